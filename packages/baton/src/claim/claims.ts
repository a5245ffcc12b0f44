import type { Claimable, Claimed, ClaimView } from '@batonpass/contract/claim'
import { BatonError } from '@batonpass/contract/errors'
import type { SessionId } from '@batonpass/contract/ids'
import type { Session } from '@batonpass/contract/session'
import { KeyedQueue } from '../session/keyed-queue.ts'
import { answered } from './ask-to-close.ts'
import { assignToSession, carryOver, type Holder } from './claim-holder.ts'
import { adopt, claimIssue, resumeClaiming } from './claim-issue.ts'
import { claimView } from './claim-view.ts'
import { CloseQuestions } from './close-questions.ts'
import { wake } from './deliver-news.ts'
import { releaseClaim } from './end-claim.ts'
import { checkLease } from './fence.ts'
import { advanceClaim } from './lifecycle.ts'
import { claimNext, listClaimable } from './list-claimable.ts'
import type { ClaimOrder, ClaimPorts, StepOutcome, Trigger } from './ports.ts'
import type { ClaimRecord } from './record.ts'
import { renewLease } from './renew-lease.ts'
import { retrySchedule } from './retry-schedule.ts'

/** A session that never stops again would keep its own for ever. */
const MAX_ITEMS = 100

/** What sessions are still to be told after their claims have ended; each once. */
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

/** An agent at rest is not typed to more often than this. */
const WAKE_MS = 30_000
/** A claim that was cut off half-way is left alone for this long: its command may still be at work. */
const CLAIMING_MS = 60_000
/** A file that was written a moment ago may be in the middle of a turn that nobody told us about. */
const SETTLE_MS = 3000

/** Every claim of this machine: claimed, carried on, released. One thing at a time for each worktree. */
export class Claims {
  readonly #ports: ClaimPorts
  readonly #turns = new KeyedQueue()
  readonly #busy = new Set<string>()
  readonly #woken = new Map<string, number>()
  readonly #settling = new Map<string, Promise<unknown>>()
  readonly #farewells = new FinalMessages()
  readonly #closing: CloseQuestions

  constructor(ports: ClaimPorts) {
    this.#ports = ports
    this.#closing = new CloseQuestions(ports, async (record, answer) => {
      await this.#turns.run(record.project, () => answered(ports, record, answer))
      if (answer === 'yes') await this.#carry(record, { why: 'nudge', resting: true })
    })
  }

  at(project: string): Promise<ClaimRecord | undefined> {
    return this.#ports.records.at(project)
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

  /** Issues that could be claimed, those that are held marked. */
  claimable(project: string): Promise<Claimable[]> {
    return listClaimable(this.#ports, project)
  }

  async list(): Promise<ClaimView[]> {
    const records = (await this.#ports.records.all()).sort((a, b) => b.claimedAt - a.claimedAt)
    return Promise.all(records.map(record => this.#view(record)))
  }

  /** Gives an issue back, whatever its phase. */
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
      throw new BatonError('not_found', 'No issue is claimed here, or there is no token to push with', {
        remedy: 'Let git log in by itself: gh auth setup-git, or an ssh key.',
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

  /** A turn of the claim's session has ended: what its phase asks for is done now. */
  stopped(record: ClaimRecord): Promise<StepOutcome> {
    return this.#carry(record, { why: 'stop', resting: true })
  }

  /** Every few seconds: leases are renewed, pull requests followed, answers heard, agents woken. */
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

  /** Something has happened on the forge: the claims it may be about are looked at now. Gives how many. */
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

  /** The successor of a session goes on with its claim. False when it holds none. */
  carryOver(from: SessionId, to: Holder): Promise<boolean> {
    return carryOver(this.#ports, from, to)
  }

  /** Which session a claim belongs to, when one begins in its worktree. False: another one is still alive. */
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

  /** A signal file that no claim of ours belongs to: somebody wrote it by hand. */
  adopt(project: string, session: Session): Promise<ClaimRecord | undefined> {
    return this.#turns.run(project, async () => {
      const known = await this.at(project)
      const found = known ? undefined : await this.#ports.signals.read(project)
      if (known || found?.kind !== 'claim') return known
      return adopt(this.#ports, project, found.file, session)
    })
  }

  busy(session: string, yes: boolean): void {
    if (yes) this.#busy.add(session)
    else this.#busy.delete(session)
  }

  /** Resolves when what is under way in a project has ended, so that others see its result. */
  async settled(project: string): Promise<void> {
    await this.#settling.get(project)?.catch(() => {})
  }

  /** What a session is told after its claim has ended. */
  farewell(session: string): string | undefined {
    return this.#farewells.take(session)
  }

  stop(): void {
    this.#closing.stop()
  }

  async #tickOne(record: ClaimRecord): Promise<void> {
    const now = this.#ports.clock.now()
    if (record.stage === 'claiming') {
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
    // A file from the future, by a clock that was set back, is not young for ever.
    const young = age >= 0 && age < SETTLE_MS
    await this.#carry(record, { why: 'tick', resting: !young && this.#rests(record) })
    await this.#after(record)
  }

  async #after({ project, id }: ClaimRecord): Promise<void> {
    const record = await this.at(project)
    if (record?.id !== id) return
    if (record.closing === 'asked') this.#closing.ask(record)
    else this.#closing.withdraw(id)
    const now = this.#ports.clock.now()
    if (record.inbox.length === 0 || !this.#rests(record) || now - (this.#woken.get(id) ?? 0) < WAKE_MS)
      return
    this.#woken.set(id, now)
    await wake(this.#ports, record)
  }

  #carry(record: ClaimRecord, trigger: Trigger): Promise<StepOutcome> {
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
    this.#woken.delete(record.id)
    if (record.session && notice) this.#farewells.leave(record.session, notice)
  }

  /** The agent's turn is over, or there is none. After a restart nobody is known to be at work. */
  #rests({ session }: ClaimRecord): boolean {
    return session === undefined || !this.#busy.has(session)
  }

  #view(record: ClaimRecord): Promise<ClaimView> {
    return claimView(record, this.#ports.signals)
  }
}
