import type { MachineView } from '@batonpass/contract/fleet'
import type { JobProgress, JobQueue, QueuedJob } from '../ports/job-queue.ts'
import type { JobFollower } from './job-follower.ts'
import { type FleetSettings, isActiveJob, type JobRecord, jobKey } from './job-record.ts'
import type { FleetPorts } from './ports.ts'

/**
 * Compares this machine's records with the database: resumes after a crash, gives up what another machine has now, and puts
 * the issues of machines that vanished back into the queue. Every step may be repeated.
 */
export async function reconcile(
  ports: FleetPorts,
  follower: JobFollower,
  { machine, agents, mode, projects }: FleetSettings,
): Promise<void> {
  const queue = await ports.queue()
  const [jobs, all] = await Promise.all([queue.list(), queue.progress()])
  const isRemovedHere = (row: JobProgress) => row.isRemoved === true && row.machine === machine
  for (const { data } of all.filter(isRemovedHere)) {
    const record = await ports.records.of(data)
    if (record) await forget(ports, record)
    await queue.dropProgress(data, machine)
  }
  const rows = all.filter(row => !isRemovedHere(row))
  const progress = new Map(rows.map(row => [jobKey(row.data), row]))
  const active = jobs.filter(({ state, data }) => state === 'active' && data.machine === machine)
  for (const job of active) {
    const record = await ports.records.of(job.data)
    const own = withProject(job, ports, projects)
    if (record?.job === job.id) {
      if (record.stage === 'review') await follower.complete(record)
    } else if (own) await follower.begin(own, agents, undefined, progress.get(jobKey(job.data)))
  }
  for (const record of await ports.records.all()) {
    const isActive = active.some(({ id }) => id === record.job)
    if (isOver(record, jobs, progress)) await forget(ports, record)
    else if (record.isFenced) continue
    else if (await isTakenAway(ports, record, machine, progress))
      await follower.fence(record, 'Another machine of the fleet took the issue over')
    else if ((isActiveJob(record) && !isActive) || (record.stage === 'review' && isFree(record, progress)))
      await follower.rest(record, 'The queue gave the job up')
    // Also if work that was saved in the background came after the pull request.
    else if (record.stage === 'review' && progress.get(jobKey(record.data))?.isInReview !== true)
      await follower.complete(record)
  }
  if (ports.machines && mode === 'up')
    await reclaim(ports, queue, rows, await ports.machines.machines(), machine)
}

/**
 * The job with the clone of its repository on this machine: the folder in a job is that of the machine that added it.
 * Undefined if a person did not name the repository here, whatever the database says.
 */
export function withProject(
  job: QueuedJob,
  ports: Pick<FleetPorts, 'database'>,
  projects: Readonly<Record<string, string>>,
): QueuedJob | undefined {
  if (ports.database() === 'own') return job
  const { repository } = job.data
  const project = Object.hasOwn(projects, repository) ? projects[repository] : undefined
  return project === undefined ? undefined : { ...job, data: { ...job.data, project } }
}

async function isTakenAway(
  ports: FleetPorts,
  record: JobRecord,
  machine: string,
  progress: ReadonlyMap<string, JobProgress>,
): Promise<boolean> {
  const row = progress.get(jobKey(record.data))
  if (row) return row.machine !== machine && row.machine !== ''
  // Another machine may have merged it already; then it also had the claim.
  const isClaimed = record.stage !== 'waiting' && record.stage !== 'taken'
  return isClaimed && ports.machines !== undefined && !(await ports.holdsClaim(record.clone))
}

/** This machine was silent for too long, but no other one has taken the issue yet: it may continue where it was. */
const isFree = ({ data }: JobRecord, progress: ReadonlyMap<string, JobProgress>): boolean =>
  progress.get(jobKey(data))?.machine === ''

/** Another machine merged the issue, or forgot it after a person removed it. */
const isOver = (
  { stage, data }: JobRecord,
  jobs: readonly QueuedJob[],
  progress: ReadonlyMap<string, JobProgress>,
): boolean =>
  stage === 'waiting' && !progress.has(jobKey(data)) && !jobs.some(job => jobKey(job.data) === jobKey(data))

async function forget(ports: FleetPorts, record: JobRecord): Promise<void> {
  const { clone, data, terminal } = record
  if (terminal) await ports.endAgent(terminal)
  await ports
    .releaseClaim(clone, data.issue, 'the queue no longer has the issue')
    .catch(cause => ports.fault(`releasing the claim of #${data.issue}`, cause))
  const left = await ports.clones.remove(record)
  await ports.records.remove(record)
  await ports.journal({
    what: 'cleaned',
    repository: data.repository,
    issue: data.issue,
    ...(left === 'removed' ? {} : { reason: `${clone} stays: ${left.kept}` }),
  })
}

/** By the database's clock: this machine's own may be wrong. */
async function reclaim(
  ports: FleetPorts,
  queue: JobQueue,
  rows: readonly JobProgress[],
  machines: readonly MachineView[],
  here: string,
): Promise<void> {
  const silent = new Map(
    machines.filter(({ id, isAlive }) => !isAlive && id !== here).map(({ id, name }) => [id, name]),
  )
  for (const { data, machine, isRemoved } of rows) {
    const name = silent.get(machine)
    // What was removed stays marked for the machine that has it, which may wake up.
    if (name === undefined || isRemoved) continue
    const reason = `The machine ${name} no longer reports: another one resumes from the pushed branch`
    const at = new Date(ports.clock.now()).toISOString()
    if (await queue.reclaim(data, machine, { reason, at }))
      await ports.journal({ what: 'vanished', repository: data.repository, issue: data.issue, reason })
  }
}
