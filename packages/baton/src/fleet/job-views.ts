import type { JobView } from '@batonpass/contract/fleet'
import type { JobProgress, QueuedJob } from '../ports/job-queue.ts'
import { type JobRecord, jobKey } from './job-record.ts'

/** The queue and this machine's own records as one list: what is worked on first, then what waits. */
export function jobViews(
  jobs: readonly QueuedJob[],
  records: readonly JobRecord[],
  progress: readonly JobProgress[] = [],
  /** The names of the other machines, by their ids. */
  elsewhere: ReadonlyMap<string, string> = new Map(),
): JobView[] {
  const byKey = new Map(records.map(record => [jobKey(record.data), record]))
  const known = new Set(jobs.map(({ data }) => jobKey(data)))
  const queued = jobs.map(job => ({
    ...viewOf(job, byKey.get(jobKey(job.data))),
    ...machineOf(elsewhere.get(job.data.machine ?? '')),
  }))
  const reviewed = records.filter(record => !known.has(jobKey(record.data)) && record.stage !== 'waiting')
  for (const { data } of reviewed) known.add(jobKey(data))
  const others = progress.filter(
    ({ data, machine, isRemoved }) => elsewhere.has(machine) && !isRemoved && !known.has(jobKey(data)),
  )
  const theirs = others.map(row => ({ ...viewOfProgress(row), ...machineOf(elsewhere.get(row.machine)) }))
  return [...queued, ...reviewed.map(viewOfRecord), ...theirs].sort(
    (a, b) =>
      ORDER[a.state] - ORDER[b.state] || b.priority - a.priority || a.addedAt.localeCompare(b.addedAt),
  )
}

const machineOf = (name: string | undefined) => (name === undefined ? {} : { machine: name })

/** Another machine follows its pull request. */
function viewOfProgress({ data, isInReview }: JobProgress): JobView {
  const { repository, project, issue, priority, agent } = data
  return {
    id: `${repository}#${issue}`,
    ...{ repository, project, issue, priority, failures: 0 },
    ...(agent ? { agent } : {}),
    state: isInReview ? 'review' : 'working',
    addedAt: data.addedAt ?? '',
  }
}

const ORDER = { working: 0, review: 1, waiting: 2, failed: 3 }

function viewOf(job: QueuedJob, record: JobRecord | undefined): JobView {
  const { id, data, state, failures, addedAt, notBefore, evidence } = job
  const { repository, project, issue, priority, agent } = data
  const isOurs = record?.job === id
  const reason = state === 'active' ? (isOurs ? record.note : undefined) : (evidence?.reason ?? record?.note)
  return {
    id,
    ...{ repository, project, issue, priority, failures },
    state: state === 'active' ? 'working' : state,
    addedAt: data.addedAt ?? new Date(addedAt).toISOString(),
    ...(notBefore > addedAt && state === 'waiting' ? { notBefore: new Date(notBefore).toISOString() } : {}),
    ...((record?.agent ?? agent) ? { agent: record?.agent ?? agent } : {}),
    ...(record ? { clone: record.clone } : {}),
    ...(isOurs && record.terminal ? { terminal: record.terminal } : {}),
    ...(reason ? { reason } : {}),
    ...(evidence ? { evidence } : {}),
  }
}

/** The job is done for the queue; this machine follows its pull request. */
function viewOfRecord({ job, data, agent, clone, terminal, takenAt, pull, stage }: JobRecord): JobView {
  const { repository, project, issue, priority } = data
  return {
    id: job,
    ...{ repository, project, issue, priority, agent, clone, failures: 0 },
    state: stage === 'review' ? 'review' : 'working',
    addedAt: data.addedAt ?? new Date(takenAt).toISOString(),
    ...(terminal ? { terminal } : {}),
    ...(pull ? { pullRequest: pull.url } : {}),
  }
}
