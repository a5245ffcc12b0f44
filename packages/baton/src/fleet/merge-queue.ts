import type { MergeView } from '@batonpass/contract/fleet'
import { YesNoQuestions } from '../ask/yes-no-questions.ts'
import { lacksPerson } from '../claim/merge-steps.ts'
import { type JobRecord, jobKey, type MergeRecord } from './job-record.ts'
import { type Candidate, MergeAttempts } from './merge-attempt.ts'
import type { MergePorts } from './merge-ports.ts'
import { chooseMerges, readinessOf } from './merge-steps.ts'

/** After this time without a change by its agent, a person is told. */
const SILENT_MS = 60 * 60_000

/**
 * Merges the pull requests of the fleet, one at a time for each base branch: brings the branch up to date in a clone of its
 * own, proves that commit, pushes it, waits for the forge's checks and merges. Before each step it looks at the forge, so a
 * step that a killed daemon did is not done twice.
 */
export class MergeQueue {
  readonly #ports: MergePorts
  readonly #attempts: MergeAttempts
  readonly #questions: YesNoQuestions<Candidate & { id: string }>
  #running: Promise<void> | undefined

  constructor(ports: MergePorts) {
    this.#ports = ports
    this.#attempts = new MergeAttempts(ports)
    this.#questions = new YesNoQuestions<Candidate & { id: string }>({
      ask: ({ record, claim }, signal) => ports.askPerson(record, claim, signal),
      settle: async ({ record: { data, lineage } }, answer) => {
        const [head = ''] = lineage
        if (answer !== 'none') await ports.answers.put({ version: 1, data, head, answer })
      },
      fault: ports.fault,
    })
  }

  /** Does what is due; a call while another one works joins it. */
  tick(): Promise<void> {
    this.#running ??= this.#tick().finally(() => {
      this.#running = undefined
    })
    return this.#running
  }

  /** Withdraws open questions; what is half done waits, and lets other machines merge meanwhile. */
  async pause(): Promise<void> {
    this.#questions.keep(new Set())
    await this.#ports.bases
      ?.leaveBases()
      .catch(cause => this.#ports.fault('letting other machines merge', cause))
  }

  async views(): Promise<MergeView[]> {
    const candidates = await this.#candidates({ isView: true })
    const views = candidates.map((candidate): MergeView => {
      const { record, claim } = candidate
      const readiness = readinessOf(candidate, this.#ports.clock.now())
      const note =
        'note' in readiness
          ? readiness.note
          : readiness.is === 'ask'
            ? 'Baton asks you'
            : 'It is next in line'
      const isMerging = record.attempt !== undefined
      return {
        repository: record.data.repository,
        issue: record.data.issue,
        pullRequest: claim.pr?.url ?? '',
        base: record.base,
        state: isMerging ? 'merging' : readiness.is === 'author' ? 'author' : 'waiting',
        note: (isMerging || record.notBefore > this.#ports.clock.now() ? record.note : undefined) ?? note,
        since: new Date(record.since).toISOString(),
      }
    })
    return views.sort((a, b) => a.since.localeCompare(b.since))
  }

  async #tick(): Promise<void> {
    const { records, clock } = this.#ports
    // Also if another machine follows the pull request now: this one must not keep its base branch. First, because leaving it
    // would end the turn of the next one that takes it.
    const followed = new Set((await this.#jobsInReview()).map(({ data }) => jobKey(data)))
    for (const record of await records.all())
      if (!followed.has(jobKey(record.data))) await this.#attempts.forget(record)
    for (const candidate of await this.#candidates()) await this.#reportSilence(candidate)
    for (const candidate of await this.#candidates())
      if (candidate.record.attempt && candidate.record.notBefore <= clock.now())
        await this.#attempts.safely(candidate, () => this.#attempts.follow(candidate))
    const candidates = await this.#candidates()
    for (const candidate of chooseMerges(candidates, clock.now()))
      await this.#attempts.safely(candidate, () => this.#attempts.begin(candidate))
    const asked = candidates.filter(
      each => readinessOf(each, clock.now()).is === 'ask' && !each.record.attempt,
    )
    this.#questions.keep(new Set(asked.map(questionOf)))
    for (const each of asked) this.#questions.ask({ ...each, id: questionOf(each) })
  }

  /** Its agent may be gone, or at the limit of fixes. */
  async #reportSilence({ record, seen, claim }: Candidate): Promise<void> {
    const { records, clock, announce } = this.#ports
    const { sentBack, data, note } = record
    if (sentBack?.head !== seen.head || sentBack.isReported || clock.now() - sentBack.at < SILENT_MS) return
    await records.put({ ...record, sentBack: { ...sentBack, isReported: true } })
    await announce(
      data.project,
      `🔔 issue #${data.issue} waits for you: it went back to its agent before the merge, which has changed nothing since. ${note ?? ''}\n${claim.project}`,
    )
  }

  /** The open pull requests of this machine's jobs. */
  async #candidates({ isView = false } = {}): Promise<Candidate[]> {
    const jobs = await this.#jobsInReview()
    const found = await Promise.all(jobs.map(job => this.#candidateOf(job, isView)))
    return found.filter(each => each !== undefined)
  }

  async #jobsInReview(): Promise<JobRecord[]> {
    return (await this.#ports.jobs.all()).filter(({ stage }) => stage === 'review')
  }

  async #candidateOf({ clone, data }: JobRecord, isView: boolean): Promise<Candidate | undefined> {
    const { records, answers, clock } = this.#ports
    const claim = await this.#ports.claimAt(clone)
    const pr = claim?.pr
    const known = await records.of(data)
    if (!claim || !pr?.seen || claim.lease.lost || this.#ports.isPaused(claim)) return undefined
    if (pr.state !== 'open' && !known?.attempt) return undefined
    const { head, base } = pr.seen
    const { policy } = await this.#ports.configOf(data.project)
    const fresh = { lineage: [head], base, pull: pr.number, notBefore: 0 }
    const { repository, issue, project } = data
    // The author's new commits need a new answer, and are a reason to try again.
    const isSame = known?.pull === pr.number && known.base === base && known.lineage.includes(head)
    const { note, ...kept } = known ?? { data: { repository, issue, project }, since: clock.now() }
    const isKnown = known !== undefined && (isSame || known.attempt !== undefined)
    const record: MergeRecord = isKnown ? known : { ...kept, version: 1, ...fresh }
    if (!isKnown && !isView) await records.put(record)
    const given = await answers.of(data)
    const answer = given?.head === record.lineage[0] ? given?.answer : undefined
    const { seen, review, conflict: hasConflict } = pr
    const lacking = lacksPerson(claim, record.lineage)
    return { record, claim, answer, seen, review, hasConflict, policy, lacksPerson: lacking }
  }
}

const questionOf = ({ record: { data, lineage } }: Candidate): string => `${jobKey(data)} ${lineage[0]}`
