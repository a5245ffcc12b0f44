import type { Claimable, Claimed, ClaimView } from '@batonpass/contract/claim'
import { BatonError } from '@batonpass/contract/errors'
import type { Grant } from '@batonpass/contract/grant'
import type { SessionId } from '@batonpass/contract/ids'
import type { Session } from '@batonpass/contract/session'
import { type YesNo, YesNoQuestions } from '../ask/yes-no-questions.ts'
import { KeyedQueue } from '../session/keyed-queue.ts'
import { answered, awaitAnswer } from './ask-to-close.ts'
import { claimGrantNow } from './claim-grant.ts'
import { assignToSession, carryOver, type Holder } from './claim-holder.ts'
import { adopt, claimIssue, resumeClaiming } from './claim-issue.ts'
import { claimView } from './claim-view.ts'
import { wake } from './deliver-news.ts'
import { releaseClaim } from './end-claim.ts'
import { checkLease } from './fence.ts'
import { advanceClaim } from './lifecycle.ts'
import { claimNext, listClaimable } from './list-claimable.ts'
import type { ClaimOrder, ClaimPorts, StepOutcome, Trigger } from './ports.ts'
import type { ClaimRecord } from './record.ts'
import { renewLease } from './renew-lease.ts'
import { retrySchedule } from './retry-schedule.ts'

/** Limits the stored messages: a session that reports no further event never collects its own. */
const MAX_ITEMS = 100

/** Messages for sessions whose claims have ended. Each is delivered once, at the session's next hook. */
class FinalMessages {
  readonly #texts = new Map<string, string>()

  leave(session: string, text: string): void {
    this.#texts.set(session, text)
    const [oldest] = this.#texts.keys()
    if (this.#texts.size > MAX_ITEMS && oldest !== undefined) this.#texts.delete(oldest)
  }

  take(session: string): string | undefined {
    const text = this.#texts.get(session)
    this.#texts.delete(session)
    return text
  }
}

/** What a workflow in the same session has to know. */
interface ClaimProgress {
  /** The branch is handed off; Baton proves it and opens its pull request. */
  isReady: boolean
  pullRequest?: { number: number; url: string }
  /** The newest proof of the branch. */
  proof?: string
}

/** Minimum time between two attempts to wake an idle agent. */
const WAKE_MS = 30_000
/** How long a half-made claim is left alone: the command that makes it may still be running. */
const CLAIMING_MS = 60_000
/** A signal file younger than this may be part of a turn whose hooks Baton has not received. */
const SETTLE_MS = 3000

/** Makes, advances and releases the claims of this machine. Runs one operation at a time for each worktree. */
export class Claims {
  readonly #ports: ClaimPorts
  readonly #turns = new KeyedQueue()
  readonly #busy = new Set<string>()
  readonly #lastWokenAt = new Map<string, number>()
  readonly #settling = new Map<string, Promise<unknown>>()
  readonly #farewells = new FinalMessages()
  readonly #closing: YesNoQuestions<ClaimRecord>

  constructor(ports: ClaimPorts) {
    this.#ports = ports
    this.#closing = new YesNoQuestions<ClaimRecord>({
      ask: (record, signal) => awaitAnswer(ports, record, signal),
      settle: (record, answer) => this.#settle(record, answer),
      fault: ports.fault,
    })
  }

  /** What a session may do by itself because it holds a claim. */
  async grantOf(session: SessionId, project: string): Promise<Grant | undefined> {
    const record = await this.at(project)
    return record?.grant && claimGrantNow(record, await this.#ports.signals.read(project), session)
  }

  at(project: string): Promise<ClaimRecord | undefined> {
    return this.#ports.records.at(project)
  }

  /** How far the claim of a session is; undefined if it holds none here. */
  async progressOf(session: SessionId, project: string): Promise<ClaimProgress | undefined> {
    const record = await this.at(project)
    if (record?.session !== session) return undefined
    const found = await this.#ports.signals.read(project)
    const { pr, proof } = record
    return {
      isReady: found.kind === 'claim' && found.file.phase === 'ready_for_pr',
      ...(pr ? { pullRequest: { number: pr.number, url: pr.url } } : {}),
      ...(proof ? { proof: proof.id } : {}),
    }
  }

  claim(order: Omit<ClaimOrder, 'issue'> & { issue: number | 'next' }): Promise<Claimed> {
    return this.#turns.run(order.project, async () => {
      const half = await this.at(order.project)
      if (half?.stage === 'claiming') await resumeClaiming(this.#ports, half)
      const { issue } = order
      const done =
        issue === 'next'
          ? await claimNext(this.#ports, order)
          : await claimIssue(this.#ports, { ...order, issue })
      return { claim: await this.#view(done.record), fresh: done.fresh, warnings: done.warnings }
    })
  }

  /** Lists the issues that could be claimed and marks those that are held. */
  claimable(project: string): Promise<Claimable[]> {
    return listClaimable(this.#ports, project)
  }

  async list(): Promise<ClaimView[]> {
    const records = (await this.#ports.records.all()).sort((a, b) => b.claimedAt - a.claimedAt)
    return Promise.all(records.map(record => this.#view(record)))
  }

  /** Releases an issue, whatever its claim phase. */
  async release(project: string, issue: number | undefined, why: string): Promise<ClaimView> {
    const { records } = this.#ports
    const record =
      issue === undefined
        ? await this.at(project)
        : ((await records.find(each => each.issue === issue && each.project === project)) ??
          (await records.find(each => each.issue === issue && each.home === project)))
    if (!record) {
      const what = issue === undefined ? 'No issue is claimed here' : `Issue #${issue} is not claimed here`
      throw new BatonError('not_found', what, { remedy: 'See `baton claim list`.' })
    }
    return this.#turns.run(record.project, async () => {
      const view = await this.#view(record)
      await releaseClaim(this.#ports, record, why)
      this.#closing.withdraw(record.id)
      await advanceClaim(this.#ports, record, { why: 'nudge', resting: true })
      return view
    })
  }

  /** Pushes the branch of a worktree's claim with the forge's token, where git itself cannot log in. */
  async push(project: string): Promise<void> {
    const record = await this.at(project)
    const found = record && (await this.#ports.signals.read(project))
    const login = record && (await this.#ports.loginFor(record.home))
    if (!record || record.adopted || found?.kind !== 'claim' || !login)
      throw new BatonError('not_found', 'No issue is claimed here, or Baton has no token to push with', {
        remedy: 'Set up a login for git itself: gh auth setup-git, or an SSH key.',
      })
    await this.#ports.outside.pushBranch(record, login)
  }

  /** Fails unless this worktree's claim is still held, for a command that is about to push. */
  async checkLease(project: string): Promise<void> {
    const record = await this.at(project)
    if (!record)
      throw new BatonError('not_found', 'No issue is claimed here', { remedy: 'See `baton claim list`.' })
    await checkLease(this.#ports, record)
  }

  /** Advances a claim whose session has just ended a turn. */
  stopped(record: ClaimRecord, report?: Trigger['report']): Promise<StepOutcome> {
    return this.#carry(record, { why: 'stop', resting: true, report })
  }

  /** Reads a claim's pull request now, because a person spoke of a merge that Baton has not seen yet. */
  async readNow(record: ClaimRecord): Promise<ClaimRecord | undefined> {
    await this.#carry(record, { why: 'nudge', resting: false })
    return this.at(record.project)
  }

  /** Runs every few seconds: renews leases, polls pull requests, applies answers, wakes agents. */
  async tick(): Promise<void> {
    // A forge that does not answer must not make ticks queue up.
    const records = (await this.#ports.records.all()).filter(({ project }) => !this.#settling.has(project))
    await Promise.all(
      records.map(record =>
        this.#tickOne(record).catch(cause =>
          this.#ports.fault(`following the claim of #${record.issue}`, cause),
        ),
      ),
    )
  }

  /** Advances the claims that a change on the forge may concern. Returns how many. */
  async nudge(about: {
    repository: string
    pulls?: readonly number[]
    branches?: readonly string[]
  }): Promise<number> {
    const repository = about.repository.toLowerCase()
    const named = (about.pulls?.length ?? 0) + (about.branches?.length ?? 0) > 0
    const records = (await this.#ports.records.all()).filter(
      record =>
        record.repository.endsWith(`/${repository}`) &&
        (!named || about.pulls?.includes(record.pr?.number ?? 0) || about.branches?.includes(record.branch)),
    )
    for (const record of records)
      void this.#carry(record, { why: 'nudge', resting: this.#rests(record) })
        .then(() => this.#after(record))
        .catch(cause => this.#ports.fault('following a webhook', cause))
    return records.length
  }

  /** Moves a session's claim to its successor. Returns false if the session holds no claim. */
  carryOver(from: SessionId, to: Holder): Promise<boolean> {
    return carryOver(this.#ports, from, to)
  }

  /** Assigns a claim to the session that starts in its worktree. Returns false if another live session holds it. */
  sessionBegan(
    record: ClaimRecord,
    session: Session,
    same: boolean,
    known: Session | undefined,
  ): Promise<boolean> {
    return assignToSession(this.#ports, record, session, same, known)
  }

  async sessionEnded(record: ClaimRecord): Promise<void> {
    await this.#ports.records.change(record, known => ({ ...known, sessionEnded: true }))
  }

  /** Turns a signal file that belongs to no claim, so was written by hand, into a claim. */
  adopt(project: string, session: Session): Promise<ClaimRecord | undefined> {
    return this.#turns.run(project, async () => {
      const known = await this.at(project)
      const found = known ? undefined : await this.#ports.signals.read(project)
      if (known || found?.kind !== 'claim') return known
      return adopt(this.#ports, project, found.file, session)
    })
  }

  /** Closes the issue of a merged pull request without a question, because a person agreed to both before. */
  async agreeToClose(record: ClaimRecord): Promise<void> {
    await this.readNow(record)
    await this.#ports.records.change(record, known =>
      known.closing === 'not-asked' ? { ...known, closing: 'asked' } : known,
    )
    await this.#settle(record, 'yes')
  }

  busy(session: string, yes: boolean): void {
    if (yes) this.#busy.add(session)
    else this.#busy.delete(session)
  }

  /** Resolves when the running operation of a project has ended, so that its result is visible. */
  async settled(project: string): Promise<void> {
    await this.#settling.get(project)?.catch(() => {})
  }

  /** Returns, once, the message for a session whose claim has ended. */
  farewell(session: string): string | undefined {
    return this.#farewells.take(session)
  }

  stop(): void {
    this.#closing.stop()
  }

  async #settle(record: ClaimRecord, answer: YesNo): Promise<void> {
    await this.#turns.run(record.project, () => answered(this.#ports, record, answer))
    if (answer === 'yes') await this.#carry(record, { why: 'nudge', resting: true })
  }

  async #tickOne(record: ClaimRecord): Promise<void> {
    const now = this.#ports.clock.now()
    if (record.stage === 'claiming') {
      if (this.#ports.paused?.(record)) return
      if (now - record.claimedAt < CLAIMING_MS || (record.notBefore ?? 0) > now) return
      await this.#turns.run(record.project, async () => {
        const half = await this.at(record.project)
        if (half?.id !== record.id || half.stage !== 'claiming') return
        await resumeClaiming(this.#ports, half).catch(error =>
          this.#ports.records.put({ ...half, ...retrySchedule(error, half, now) }),
        )
      })
      return
    }
    await renewLease(this.#ports, this.#turns, record, now)
    const found = await this.#ports.signals.read(record.project)
    const age = found.kind === 'claim' ? now - found.modifiedMs : Number.POSITIVE_INFINITY
    // After the clock was set back, a file's time lies in the future: it does not count as young.
    const young = age >= 0 && age < SETTLE_MS
    await this.#carry(record, { why: 'tick', resting: !young && this.#rests(record) })
    await this.#after(record)
  }

  async #after({ project, id }: ClaimRecord): Promise<void> {
    const record = await this.at(project)
    if (record?.id !== id || this.#ports.paused?.(record)) return
    if (record.closing === 'asked') this.#closing.ask(record)
    else this.#closing.withdraw(id)
    const now = this.#ports.clock.now()
    if (record.inbox.length === 0 || !this.#rests(record) || now - (this.#lastWokenAt.get(id) ?? 0) < WAKE_MS)
      return
    this.#lastWokenAt.set(id, now)
    await wake(this.#ports, record)
  }

  #carry(record: ClaimRecord, trigger: Trigger): Promise<StepOutcome> {
    if (this.#ports.paused?.(record)) return Promise.resolve({ did: 'nothing' })
    const work = this.#turns.run(record.project, async () => {
      const outcome = await advanceClaim(this.#ports, record, trigger)
      if (outcome.did === 'closed' || outcome.did === 'ended') this.#ended(record, outcome)
      return outcome
    })
    const tail = work
      .catch(() => {})
      .finally(() => {
        if (this.#settling.get(record.project) === tail) this.#settling.delete(record.project)
      })
    this.#settling.set(record.project, tail)
    return work
  }

  #ended(record: ClaimRecord, { notice }: StepOutcome): void {
    this.#closing.withdraw(record.id)
    this.#lastWokenAt.delete(record.id)
    if (record.session && notice) this.#farewells.leave(record.session, notice)
  }

  /** Whether no turn of the claim's agent is running. After a restart, Baton assumes that none is. */
  #rests({ session }: ClaimRecord): boolean {
    return session === undefined || !this.#busy.has(session)
  }

  #view(record: ClaimRecord): Promise<ClaimView> {
    return claimView(record, this.#ports.signals)
  }
}
