import type { Config } from '@batonpass/contract/config'
import { BatonError } from '@batonpass/contract/errors'
import type { FleetEntry, MergeView } from '@batonpass/contract/fleet'
import { type YesNo, YesNoQuestions } from '../ask/yes-no-questions.ts'
import type { claimMerges } from '../claim/merge-steps.ts'
import type { ClaimRecord } from '../claim/record.ts'
import { isPassing } from '../claim/retry-schedule.ts'
import type { Clock } from '../ports/clock.ts'
import { type Forge, ForgeError } from '../ports/forge.ts'
import type { GitLogin } from '../ports/git-work.ts'
import type { BranchPlace, Merges } from '../ports/merges.ts'
import {
  type JobRecord,
  type JobRecords,
  jobKey,
  type MergeAnswers,
  type MergeRecord,
  type MergeRecords,
} from './job-record.ts'
import { attemptStep, chooseMerges, isAgreed, type MergeCandidate, readinessOf } from './merge-steps.ts'

export interface MergePorts {
  jobs: Pick<JobRecords, 'all'>
  records: MergeRecords
  /** Only questions write these, and only the queue writes `records`: neither can undo the other. */
  answers: MergeAnswers
  git: Merges
  /** The claim that holds a clone. */
  claimAt(clone: string): Promise<ClaimRecord | undefined>
  /** Each action checks the claim's lease first. */
  actions: ReturnType<typeof claimMerges>
  /** A person paused everything, the project or the session: nothing may happen to it. */
  isPaused(claim: ClaimRecord): boolean
  /** Looks at the claim's pull request now. */
  look(claim: ClaimRecord): Promise<void>
  /** Lets the claim of a merged pull request close its issue. */
  agreeToClose(claim: ClaimRecord): Promise<void>
  forgeOf(data: MergeRecord['data']): Promise<Forge>
  loginFor(project: string): Promise<GitLogin | undefined>
  configOf(project: string): Promise<Config['merge']>
  askPerson(about: MergeRecord, claim: ClaimRecord, signal: AbortSignal): Promise<YesNo>
  journal(entry: Omit<FleetEntry, 'kind'>): Promise<void>
  announce(project: string, text: string): Promise<void>
  redact(text: string): string
  fault(during: string, cause: unknown): void
  clock: Clock
}

/** How often a pull request is looked at while its checks run. */
const LOOK_MS = 15_000
/** How long one waits that the forge refused, or that let others go first. */
const LATER_MS = 10 * 60_000
/** After this time without a change by its agent, a person is told. */
const SILENT_MS = 60 * 60_000

interface Candidate extends MergeCandidate {
  claim: ClaimRecord
}

/**
 * Merges the pull requests of the fleet, one at a time for each base branch: brings the branch up to date in a clone of its
 * own, proves that commit, pushes it, waits for the forge's checks and merges. Before each step it looks at the forge, so a
 * step that a killed daemon did is not done twice.
 */
export class MergeQueue {
  readonly #ports: MergePorts
  readonly #questions: YesNoQuestions<Candidate & { id: string }>
  #running: Promise<void> | undefined

  constructor(ports: MergePorts) {
    this.#ports = ports
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

  /** Withdraws open questions; what is half done waits. */
  pause(): void {
    this.#questions.keep(new Set())
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
    for (const candidate of await this.#candidates()) await this.#reportSilence(candidate)
    for (const candidate of await this.#candidates())
      if (candidate.record.attempt && candidate.record.notBefore <= clock.now())
        await this.#safely(candidate, () => this.#follow(candidate))
    const candidates = await this.#candidates()
    for (const candidate of chooseMerges(candidates, clock.now()))
      await this.#safely(candidate, () => this.#begin(candidate))
    const asked = candidates.filter(
      each => readinessOf(each, clock.now()).is === 'ask' && !each.record.attempt,
    )
    this.#questions.keep(new Set(asked.map(questionOf)))
    for (const each of asked) this.#questions.ask({ ...each, id: questionOf(each) })
    const jobs = new Set((await this.#ports.jobs.all()).map(({ data }) => jobKey(data)))
    for (const record of await records.all()) if (!jobs.has(jobKey(record.data))) await this.#forget(record)
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
    const jobs = (await this.#ports.jobs.all()).filter(({ stage }) => stage === 'review')
    const found = await Promise.all(jobs.map(job => this.#candidateOf(job, isView)))
    return found.filter(each => each !== undefined)
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
    return { record, claim, answer, seen: pr.seen, review: pr.review, hasConflict: pr.conflict, policy }
  }

  /** Gives a pull request its turn. */
  async #begin({ record, claim, seen }: Candidate): Promise<void> {
    const { records, clock, git } = this.#ports
    const forge = await this.#ports.forgeOf(record.data)
    const pull = await forge.pullRequest(record.pull)
    // The claim looked at it a while ago.
    if (pull.state !== 'open' || !record.lineage.includes(pull.headSha)) return this.#ports.look(claim)
    const started = { head: pull.headSha, startedAt: clock.now(), hasChecks: seen.verdict !== 'none' }
    if ((await forge.mergeQueue(record.pull)) !== 'absent') {
      await records.put({ ...record, attempt: { via: 'forge', ...started }, note: undefined })
      return
    }
    const next = await records.put({
      ...record,
      attempt: { via: 'baton', ...started },
      note: `Baton merges ${record.base} into it`,
    })
    await this.#ports.journal({ what: 'merging', ...about(record) })
    const place = this.#placeOf(record, claim)
    const merged = await git.attempt(place, () => this.#ports.loginFor(record.data.project))
    if (merged.head !== pull.headSha) return this.#again(next, claim)
    if (merged.kind === 'conflict')
      return this.#sendBack(next, claim, merged.head, conflictText(claim, record.base, merged.files))
    const { folder, commit, base } = merged
    const proof = await this.#ports.actions.startProof(claim, { folder, commit, base })
    await records.put({
      ...next,
      attempt: { via: 'baton', ...started, folder, base, commit, ...(proof ? { proof } : {}) },
      note: `Baton proves it together with ${record.base}`,
    })
  }

  async #follow(candidate: Candidate): Promise<void> {
    const { record, claim, policy } = candidate
    const { records, actions, clock, git } = this.#ports
    const { attempt, data } = record
    if (!attempt) return
    if (attempt.via === 'forge') return this.#followForge(record, claim)
    // The daemon was killed before the merge was written down.
    if (!attempt.commit) return this.#leave(record, undefined)
    const proof = await actions.proofOf(attempt.proof)
    if (proof === 'running') return
    const place = this.#placeOf(record, claim)
    const login = () => this.#ports.loginFor(data.project)
    const forge = await this.#ports.forgeOf(data)
    const [pull, tips] = await Promise.all([forge.pullRequest(record.pull), git.tips(place, login)])
    // What the forge shows may be older than what git shows.
    if (pull.state === 'open' && tips.head !== pull.headSha && tips.head === attempt.commit) return
    const mayMerge = isAgreed({ ...candidate, approvedCommits: pull.approvedCommits })
    const step = attemptStep(attempt, { pull, baseTip: tips.base, proof, mayMerge, policy, now: clock.now() })
    switch (step.do) {
      case 'finish':
        return this.#finish(record, claim, pull.url)
      case 'leave':
        return step.note === undefined ? this.#again(record, claim) : this.#leave(record, step.note)
      case 'again':
        return this.#again(record, claim)
      case 'wait':
        return void (await records.put({ ...record, note: step.note, notBefore: clock.now() + LOOK_MS }))
      case 'send-back':
        return this.#sendBack(record, claim, attempt.head, proofText(claim, record.base, step.why))
      case 'push':
        // Stored first: the pushed commit is Baton's own, and the person's answer covers it.
        await records.put({ ...record, lineage: [...new Set([...record.lineage, attempt.commit])] })
        try {
          await actions.push(claim, attempt.folder ?? '')
        } catch (cause) {
          const { head } = await git.tips(place, login)
          if (head !== attempt.head) return this.#again(record, claim)
          throw cause
        }
        return this.#ports.look(claim)
      case 'merge': {
        const { method } = await this.#ports.configOf(data.project)
        await actions.merge(claim, record.pull, { headSha: attempt.commit, method })
        return this.#finish(record, claim, pull.url)
      }
    }
  }

  /** On a forge with a merge queue of its own, that one updates, checks and merges. */
  async #followForge(record: MergeRecord, claim: ClaimRecord): Promise<void> {
    const { records, actions, clock } = this.#ports
    const { attempt } = record
    if (!attempt) return
    const forge = await this.#ports.forgeOf(record.data)
    const pull = await forge.pullRequest(record.pull)
    if (pull.state === 'merged') return this.#finish(record, claim, pull.url)
    if (pull.state === 'closed' || pull.headSha !== attempt.head) return this.#again(record, claim)
    const notBefore = clock.now() + LOOK_MS
    const isThere = (await forge.mergeQueue(record.pull)) === 'queued'
    if (isThere || !attempt.isQueued) {
      if (!isThere) await actions.enqueue(claim, record.pull, attempt.head)
      const note = "It is in the forge's own merge queue"
      await records.put({ ...record, attempt: { ...attempt, isQueued: true }, note, notBefore })
      return
    }
    const why = pull.mergeable === 'conflict' ? `It conflicts with ${record.base}.` : 'A check failed there.'
    await this.#sendBack(
      record,
      claim,
      attempt.head,
      `The forge's merge queue did not merge ${pull.url}. ${why} ${mergeFirst(claim, record.base)}`,
    )
  }

  async #finish(record: MergeRecord, claim: ClaimRecord, url: string): Promise<void> {
    await this.#ports.agreeToClose(claim)
    await this.#forget(record)
    await this.#ports.journal({ what: 'merged', ...about(record), pullRequest: url })
  }

  /** Ends the turn; the place in the queue stays. */
  async #leave({ attempt, note: _, ...record }: MergeRecord, note: string | undefined): Promise<void> {
    const notBefore = note === undefined ? 0 : this.#ports.clock.now() + LATER_MS
    await this.#ports.records.put({ ...record, notBefore, ...(note ? { note } : {}) })
    await this.#ports.git.remove(record.data)
  }

  /** Something has moved, or is missing again: what the claim last saw is out of date. */
  async #again(record: MergeRecord, claim: ClaimRecord): Promise<void> {
    await this.#leave(record, undefined)
    await this.#ports.look(claim)
  }

  async #sendBack(record: MergeRecord, claim: ClaimRecord, head: string, text: string): Promise<void> {
    const { records, clock, actions } = this.#ports
    await actions.sendBack(claim, text)
    const [line = ''] = text.split('\n')
    const sentBack = { head, at: clock.now(), count: (record.sentBack?.count ?? 0) + 1 }
    const { attempt: _, ...rest } = record
    await records.put({ ...rest, sentBack, note: this.#ports.redact(line) })
    await this.#ports.git.remove(record.data)
    await this.#ports.journal({ what: 'sent-back', ...about(record), reason: this.#ports.redact(line) })
  }

  /** A failure that may pass is tried again; another one ends the turn, so that the next pull request can go. */
  async #safely(candidate: Candidate, work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (cause) {
      const record = (await this.#ports.records.of(candidate.record.data)) ?? candidate.record
      const said = this.#ports.redact(cause instanceof Error ? cause.message : String(cause)).slice(0, 500)
      if (isPassing(cause) || (cause instanceof ForgeError && cause.trouble === 'conflict')) {
        const notBefore = this.#ports.clock.now() + LOOK_MS
        await this.#ports.records.put({ ...record, note: said, notBefore })
        return
      }
      if (!(cause instanceof BatonError)) this.#ports.fault('merging a pull request', cause)
      const isNews = record.note !== said
      await this.#leave(record, said)
      if (!isNews) return
      await this.#ports.journal({ what: 'not-merged', ...about(record), reason: said })
      await this.#ports.announce(
        record.data.project,
        `⚠️ issue #${record.data.issue}: its pull request could not be merged: ${said}`,
      )
    }
  }

  async #forget(record: MergeRecord): Promise<void> {
    await this.#ports.git.remove(record.data)
    await this.#ports.answers.remove(record)
    await this.#ports.records.remove(record)
  }

  #placeOf({ data, base }: MergeRecord, { branch }: ClaimRecord): BranchPlace {
    return { project: data.project, issue: data.issue, branch, base }
  }
}

const questionOf = ({ record: { data, lineage } }: Candidate): string => `${jobKey(data)} ${lineage[0]}`

const about = ({ data: { repository, issue } }: MergeRecord) => ({ repository, issue })

const mergeFirst = ({ branch }: ClaimRecord, base: string): string =>
  `First get the newest commits: git fetch, then git merge origin/${branch}, then git merge origin/${base}. Do not rebase: Baton learns from how you solve a conflict in a merge.`

const conflictText = (claim: ClaimRecord, base: string, files: readonly string[]): string =>
  `PR #${claim.pr?.number} conflicts with ${base}, and neither earlier solutions nor a structural merge solve it.\n${files
    .slice(0, 30)
    .map(file => `- ${file}`)
    .join('\n')}\n${mergeFirst(claim, base)}`

const proofText = (claim: ClaimRecord, base: string, why: string): string =>
  `PR #${claim.pr?.number} fails its checks together with the newest ${base}.\n${why}\n${mergeFirst(claim, base)}`
