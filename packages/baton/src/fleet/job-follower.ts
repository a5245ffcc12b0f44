import { BatonError } from '@batonpass/contract/errors'
import { isPassing } from '../claim/retry-schedule.ts'
import type { JobProgress, QueuedJob } from '../ports/job-queue.ts'
import { chooseAgent } from './choose-jobs.ts'
import { isActiveJob, JobRecord, jobKey, usesSlot } from './job-record.ts'
import { type JobFacts, nextJobStep } from './next-step.ts'
import type { FleetPorts } from './ports.ts'
import { obstacleToReviewStart } from './review-starts.ts'
import { DEFAULT_AGENT } from './settings.ts'

/** How long a job waits that cannot start now, such as one that another issue blocks. */
const LATER_SECONDS = 10 * 60
/** How often a working agent's commits are pushed and its handoff document is stored, for a machine that resumes. */
const SAVE_MS = 5 * 60_000
const FIRST_RETRY_MS = 15_000
const MAX_RETRY_MS = 15 * 60_000

/** Carries the jobs that this machine took from the clone to the merge. Every step may be repeated after a crash. */
export class JobFollower {
  readonly #ports: FleetPorts
  /** When the work of each job was saved; undefined while it is being saved. */
  readonly #savedAt = new Map<string, number | undefined>()

  #newsStarts: Promise<void> = Promise.resolve()

  constructor(ports: FleetPorts) {
    this.#ports = ports
  }

  /** Writes down that this machine has the job. An earlier attempt left its clone. */
  async begin(
    job: QueuedJob,
    agents: readonly string[],
    agent?: string,
    left?: JobProgress | undefined,
  ): Promise<JobRecord> {
    const { records, clones, clock } = this.#ports
    const earlier = await records.of(job.data)
    // Another machine has continued since: its commits are on the remote, and this clone is behind.
    if (earlier?.isFenced) await clones.setAside(earlier)
    const working = (await records.all()).filter(usesSlot)
    const [first = DEFAULT_AGENT, ...rest] = agents
    const folders = earlier ?? (await clones.folders(job.data.project, job.data.issue))
    const record = JobRecord.parse({
      version: 1,
      job: job.id,
      data: job.data,
      agent: agent ?? job.data.agent ?? chooseAgent([first, ...rest], working),
      clone: folders.clone,
      objects: folders.objects,
      stage: 'taken',
      takenAt: clock.now(),
      takesOver: left?.claim,
      resumesReview: left?.isInReview || undefined,
    })
    await this.#ports.journal({ what: 'taken', ...aboutJob(job) })
    return records.put(record)
  }

  /** Does the next step of a job. */
  async follow(record: JobRecord): Promise<void> {
    const { records, clock } = this.#ports
    const now = clock.now()
    let facts: JobFacts = { agent: 'never' }
    try {
      if (record.stage !== 'taken' && record.stage !== 'waiting')
        facts = { ...(await this.#ports.factsOf(record)), isShared: this.#ports.machines !== undefined }
      const step = nextJobStep(record, facts, now)
      switch (step.do) {
        case 'prepare':
          return await this.#prepare(record)
        case 'start':
          return await (record.stage === 'review' ? this.#startForNews(record) : this.#start(record))
        case 'fixed':
          return void (await records.put({ ...record, isFixing: undefined }))
        case 'opened':
          return await this.#opened(record, step.pull)
        case 'note-pull':
          return void (await records.put({ ...record, pull: step.pull }))
        case 'fail':
          return await this.#fail(record, step.reason, facts)
        case 'put-back':
          return await this.putBack(record, step.reason)
        case 'fence':
          // Does nothing if another machine has it; a person may have taken the claim.
          if (isActiveJob(record)) await this.#toQueue(record, step.reason)
          return await this.fence(record, step.reason)
        case 'report':
          return await this.#reportToPerson(record, step.reason)
        case 'clean':
        case 'keep':
          return await this.#clean(record, step.do === 'keep' ? step.reason : undefined)
        case 'wait':
          if (step.note !== record.note && record.stage === 'working')
            await records.put({ ...record, note: step.note })
          if (record.stage === 'working') this.#saveSoon(record)
      }
    } catch (cause) {
      // The step may have come far enough to change the record.
      const known = (await records.of(record.data)) ?? record
      if (!isTemporary(cause) && known.stage !== 'review')
        return await this.#fail(known, messageOf(cause), facts)
      const tries = known.tries + 1
      const notBefore = now + Math.min(FIRST_RETRY_MS * 2 ** Math.min(tries, 10), MAX_RETRY_MS)
      await records.put({ ...known, tries, notBefore, note: this.#ports.redact(messageOf(cause)) })
    }
  }

  /** Makes the clone and claims the issue in it, as a person would with `baton claim`. */
  async #prepare(record: JobRecord): Promise<void> {
    const { clones, records } = this.#ports
    const { issue, project } = record.data
    let claim: string
    try {
      await clones.make(project, record, () => this.#ports.loginFor(project))
      claim = await this.#ports.claim(record.clone, issue, record.takesOver)
    } catch (cause) {
      const code = cause instanceof BatonError ? cause.code : undefined
      if (code === 'claim_held' || code === 'claim_refused') return this.putBack(record, messageOf(cause))
      throw cause
    }
    const left = await this.#leftBefore(record, claim)
    if (left) await this.#ports.handDown(record.clone, left.handoff)
    if (record.resumesReview) await this.#ports.resumeReview(record.clone, issue)
    if (!(await this.#save(record, { claim, handoff: left?.handoff, isInReview: false }))) return
    if (left) await this.#ports.journal({ what: 'resumed', ...aboutRecord(record) })
    const next = await records.put({ ...record, stage: 'claimed', tries: 0, note: undefined })
    if (!record.resumesReview) await this.#start(next)
  }

  /** What another machine left before this one took the issue; undefined if there was none. */
  async #leftBefore({ data, takesOver }: JobRecord, claim: string): Promise<JobProgress | undefined> {
    if (takesOver === undefined || takesOver === claim) return undefined
    const rows = await (await this.#ports.queue()).progress()
    return rows.find(row => jobKey(row.data) === jobKey(data))
  }

  /** Stores in the database what another machine needs in order to resume. False: this machine is fenced. */
  async #save(
    record: JobRecord,
    progress: Pick<JobProgress, 'claim' | 'handoff' | 'isInReview'>,
  ): Promise<boolean> {
    const { machine } = await this.#ports.settings.read()
    const queue = await this.#ports.queue()
    if (await queue.saveProgress({ data: record.data, machine, ...progress })) return true
    await this.fence(record, 'Another machine of the fleet took the issue over')
    return false
  }

  /** Pushes commits and stores the newest handoff document, in the background: a push may take minutes. */
  #saveSoon(record: JobRecord): void {
    if (!this.#ports.machines) return
    const { clock, pushWork, newestHandoff, fault } = this.#ports
    const at = this.#savedAt.has(record.job) ? this.#savedAt.get(record.job) : record.startedAt
    if (at === undefined || clock.now() - at < SAVE_MS) return
    this.#savedAt.set(record.job, undefined)
    void (async () => {
      await pushWork(record.clone).catch(cause => fault(`pushing the work on #${record.data.issue}`, cause))
      const handoff = await newestHandoff(record.clone)
      const claim = await this.#ports.claimOf(record.clone)
      const now = await this.#ports.records.of(record.data)
      if (now?.stage === 'working') await this.#save(now, { claim, handoff, isInReview: false })
    })()
      .catch(cause => fault(`saving the work on #${record.data.issue}`, cause))
      .finally(() => this.#savedAt.set(record.job, clock.now()))
  }

  /**
   * Another machine has the issue: ends the agent here and does nothing else. The clone stays, and a person learns what in it
   * was not pushed.
   */
  async fence(record: JobRecord, reason: string): Promise<void> {
    if (record.terminal) await this.#ports.endAgent(record.terminal)
    await this.#ports.records.put({
      ...record,
      stage: 'waiting',
      isFenced: true,
      note: reason,
      terminal: undefined,
      notBefore: 0,
      tries: 0,
    })
    const { issue, project } = record.data
    await this.#ports
      .forgetLostClaim(record.clone, issue, reason)
      .catch(cause => this.#ports.fault(`releasing the lost claim of #${issue}`, cause))
    const unsaved = await this.#ports.clones.unsaved(record)
    await this.#ports.journal({ what: 'fenced', ...aboutRecord(record), reason: unsaved ?? reason })
    if (unsaved)
      await this.#ports.announce(
        project,
        `⚠️ another machine continues issue #${issue}. The clone here stays: ${unsaved}\n${record.clone}`,
      )
  }

  /** One at a time: all jobs are followed at once, and each start uses a slot. */
  #startForNews(record: JobRecord): Promise<void> {
    const turn = this.#newsStarts.then(async () => {
      const note = await obstacleToReviewStart(this.#ports, record)
      if (note === undefined) return this.#start(record)
      if (note !== record.note) await this.#ports.records.put({ ...record, note })
    })
    this.#newsStarts = turn.catch(() => {})
    return turn
  }

  async #start(record: JobRecord): Promise<void> {
    const { records, clock, ids } = this.#ports
    const { issue, project } = record.data
    const terminal = `issue-${issue}-${ids.id(4)}`
    // Stored before the agent starts: after a crash, Baton looks for this terminal instead of starting a second agent.
    // The queue is done with an issue in review.
    const isFixing = record.stage === 'review'
    const stage = isFixing ? ('review' as const) : ('working' as const)
    const reviewStarts = (record.reviewStarts ?? 0) + (isFixing ? 1 : 0)
    const started = { stage, terminal, startedAt: clock.now(), reviewStarts, isFixing }
    const next = await records.put({ ...record, ...started, note: undefined })
    await this.#ports.startAgent({ agent: record.agent, clone: record.clone, project, issue, terminal })
    await this.#ports.journal({
      what: 'started',
      ...aboutRecord(next),
      reason: `${record.agent} in ${terminal}`,
    })
  }

  /** First the record: after a crash, or without the database, the job is completed later. */
  async #opened(record: JobRecord, pull: NonNullable<JobRecord['pull']>): Promise<void> {
    await this.#ports.records.put({
      ...record,
      stage: 'review',
      pull,
      note: undefined,
      tries: 0,
      notBefore: 0,
    })
    await this.#ports.journal({ what: 'opened', ...aboutRecord(record), pullRequest: pull.url })
    await this.complete(record).catch(cause => this.#ports.fault('completing a job', cause))
  }

  /** The job is done for the queue; the progress says who follows its pull request. */
  async complete(record: JobRecord): Promise<void> {
    const { machines, holdsClaim, claimOf } = this.#ports
    // A machine that woke up does not bring back what another one has merged meanwhile.
    const isHeld = machines === undefined || (await holdsClaim(record.clone))
    const claim = await claimOf(record.clone)
    if (isHeld && !(await this.#save(record, { claim, isInReview: true }))) return
    await (await this.#ports.queue()).complete(record.job)
  }

  async #fail(
    record: JobRecord,
    reason: string,
    { claim }: { claim?: { session?: string | undefined; proof?: string | undefined } },
  ): Promise<void> {
    const evidence = {
      reason: this.#ports.redact(reason).slice(0, 1000),
      at: new Date(this.#ports.clock.now()).toISOString(),
      clone: record.clone,
      ...(claim?.session ? { session: claim.session } : {}),
      ...(claim?.proof ? { proof: claim.proof } : {}),
    }
    const state = await (await this.#ports.queue()).fail(record.job, evidence)
    await this.rest(record, evidence.reason)
    const gaveUp = state === 'failed'
    await this.#ports.journal({
      what: gaveUp ? 'gave-up' : 'failed',
      ...aboutRecord(record),
      reason: evidence.reason,
    })
    if (gaveUp)
      await this.#ports.announce(
        record.data.project,
        `🔔 issue #${record.data.issue} failed twice and waits for you: ${evidence.reason}\n${record.clone}\nTry again: baton queue retry ${record.data.issue}`,
      )
  }

  /** Tells a person once that an open pull request needs them. */
  async #reportToPerson(record: JobRecord, reason: string): Promise<void> {
    if (record.note === reason) return
    await this.#ports.records.put({ ...record, note: reason })
    const { issue, project } = record.data
    await this.#ports.announce(project, `🔔 issue #${issue} waits for you: ${reason}\n${record.clone}`)
  }

  /** Not a failure of the work: the issue may be free later. */
  async putBack(record: JobRecord, reason: string, seconds?: number): Promise<void> {
    const said = await this.#toQueue(record, reason, seconds)
    await this.rest(record, said)
    await this.#ports.journal({ what: 'put-back', ...aboutRecord(record), reason: said })
  }

  async #toQueue({ job }: JobRecord, why: string, seconds = LATER_SECONDS): Promise<string> {
    const reason = this.#ports.redact(why).slice(0, 1000)
    const at = new Date(this.#ports.clock.now()).toISOString()
    await (await this.#ports.queue()).putBack(job, seconds, { reason, at })
    return reason
  }

  /** Ends the agent of an open pull request. If it is needed again, another one starts. */
  async endForNow(record: JobRecord): Promise<void> {
    if (!record.terminal) return
    const { agent, isWorking } = await this.#ports.factsOf(record)
    if (agent !== 'alive') return
    // First the task: a daemon that is killed in between leaves the agent, which takes the task as news.
    if (isWorking || record.isFixing) await this.#ports.keepTask(record.clone)
    await this.#ports.endAgent(record.terminal)
    await this.#ports.records.put({ ...record, isFixing: undefined })
  }

  /** Ends the agent; the clone stays for the next attempt. */
  async rest(record: JobRecord, note: string): Promise<void> {
    await this.#ports.records.put({
      ...record,
      stage: 'waiting',
      note,
      terminal: undefined,
      notBefore: 0,
      tries: 0,
    })
    if (record.terminal) await this.#ports.endAgent(record.terminal)
  }

  async #clean(record: JobRecord, why: string | undefined): Promise<void> {
    if (record.terminal) await this.#ports.endAgent(record.terminal)
    const { machine } = await this.#ports.settings.read()
    const { repository, issue, addedAt } = record.data
    const mergedAt = new Date(this.#ports.clock.now()).toISOString()
    const merged = { repository, issue, mergedAt, ...(addedAt ? { addedAt } : {}) }
    const queue = await this.#ports.queue()
    await queue.dropProgress(record.data, machine, why === undefined ? merged : undefined)
    const left = why === undefined ? await this.#ports.clones.remove(record) : { kept: why }
    await this.#ports.records.remove(record)
    await this.#ports.journal({
      what: 'cleaned',
      ...aboutRecord(record),
      ...(left === 'removed' ? {} : { reason: `${record.clone} stays: ${left.kept}` }),
    })
  }
}

/** What the journal says about a job. */
export const aboutJob = ({ id, data }: Pick<QueuedJob, 'id' | 'data'>) => ({
  job: id,
  repository: data.repository,
  issue: data.issue,
})
const aboutRecord = ({ job, data }: Pick<JobRecord, 'job' | 'data'>) => aboutJob({ id: job, data })

const messageOf = (cause: unknown): string =>
  cause instanceof BatonError
    ? [cause.message, cause.remedy].filter(Boolean).join('. ')
    : cause instanceof Error
      ? cause.message
      : String(cause)

/** A failure of the surroundings: the job itself may be fine, and waits. */
function isTemporary(cause: unknown): boolean {
  return isPassing(cause) || (cause instanceof BatonError && cause.code.startsWith('forge_'))
}
