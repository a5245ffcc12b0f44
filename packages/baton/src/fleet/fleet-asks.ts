import { Ask, type AskOption } from '@batonpass/contract/ask'
import { BatonError } from '@batonpass/contract/errors'
import { z } from 'zod'
import { sortedKeys } from '../ask/fingerprint.ts'
import { step } from '../ask/machine.ts'
import type { Answered, AnswerHandler, Channel, Given } from '../ports/channel.ts'
import type { Clock } from '../ports/clock.ts'
import type { FleetBoard, PublishedText, SignedText } from '../ports/fleet-board.ts'
import type { Answer, Membership } from './membership.ts'
import type { Member } from './membership-file.ts'
import { digestOf, isSignedBy, isTooLong, PublicKey, parseJson } from './signed-statement.ts'

/** While asks are open here, their answers are looked for this often. */
const LOOK_MS = 1000
/** How long a person waits for the machine that asked. */
const CONFIRM_MS = 8000
const CONFIRM_LOOK_MS = 250
/** After this time without the database, asks no longer count as seen. */
const AWAY_MS = 60_000

/** What needs the machine itself: its settings or its screen. */
const ONLY_THERE: ReadonlySet<AskOption> = new Set(['allow-project', 'allow-everywhere', 'on-screen'])

/** An ask as the machine `by` published it, signed with that key. */
const Published = z.object({
  kind: z.literal('ask'),
  fleet: PublicKey,
  by: PublicKey,
  ask: Ask,
  /** The signature of the answer that settled it, if another machine gave it. */
  answeredBy: z.string().max(200).optional(),
})
type Published = z.infer<typeof Published>

/** An ask of this machine, and what it publishes about it. */
interface Shown {
  ask: Ask
  signed: Signed
  isDirty: boolean
}
type Signed = SignedText & { fleet: string; key: string }

/** An ask of another machine, verified, with the exact text that was signed. */
interface Found extends Published {
  text: string
  from: Member
}

export interface FleetAsksPorts {
  board: FleetBoard
  membership: Membership
  /** Whether an ask is about a session of the fleet: others stay on their machine. */
  isOfFleet(ask: Ask): Promise<boolean>
  redact<T>(value: T): T
  journal(reason: string): Promise<void>
  fault(during: string, cause: unknown): void
  clock: Pick<Clock, 'elapsed'>
  pause(ms: number): Promise<void>
}

/**
 * Asks of the fleet's sessions, on every machine of it. Each is published with the signature of its machine. An answer is signed
 * with the key of the machine on which a person gave it; the machine that asked checks it and settles the ask as any other answer.
 */
export class FleetAsks implements Channel {
  readonly name = 'fleet'
  readonly #ports: FleetAsksPorts
  /** The asks of this machine that are published, or will be. */
  readonly #shown = new Map<string, Shown>()
  readonly #answeredBy = new Map<string, string>()
  /** Asks that are about to be shown; true: one was settled meanwhile. */
  readonly #showing = new Map<string, boolean>()
  #answering: AnswerHandler | undefined
  #syncing: Promise<void> | undefined
  #isLooking = false
  #hasStopped = false
  #isTidy = false
  #syncedAt = Number.NEGATIVE_INFINITY

  constructor(ports: FleetAsksPorts) {
    this.#ports = ports
    ports.membership.onAnswer = (answer, from, signature) => this.#take(answer, from, signature)
  }

  async start(answering: AnswerHandler): Promise<void> {
    this.#answering = answering
  }

  async stop(): Promise<void> {
    this.#hasStopped = true
    await this.#syncing?.catch(() => {})
  }

  /** Waits for no database: the ask is published in the background. */
  async show(ask: Ask): Promise<boolean> {
    this.#showing.set(ask.id, false)
    try {
      const signed = await this.#sign(ask)
      // Settled meanwhile: published now, it would stay open on the other machines.
      if (!signed || this.#showing.get(ask.id)) return false
      this.#shown.set(ask.id, { ask, signed, isDirty: true })
    } finally {
      this.#showing.delete(ask.id)
    }
    this.#syncSoon()
    return this.#reaches()
  }

  /** Signed before it is published: an answer may come at once. */
  async #sign(ask: Ask): Promise<Signed | undefined> {
    if (!(await this.#ports.isOfFleet(ask)) || (await this.#ports.membership.standing()) !== 'member')
      return undefined
    return this.#signed(ask)
  }

  /** Whether a person on another machine can see what is published: there is one, and the database answered a moment ago. */
  async #reaches(): Promise<boolean> {
    if (this.#ports.clock.elapsed() - this.#syncedAt > AWAY_MS) return false
    return (await this.#ports.membership.views()).length > 1
  }

  async settle(ask: Ask): Promise<void> {
    if (this.#showing.has(ask.id)) this.#showing.set(ask.id, true)
    if (!this.#shown.has(ask.id)) return
    await this.#end(ask)
    this.#syncSoon()
  }

  async #end(ask: Ask): Promise<void> {
    const signed = await this.#signed(ask)
    if (signed) this.#shown.set(ask.id, { ask, signed, isDirty: true })
    // This machine was removed, or the text is too long: no one sees it.
    else this.#shown.delete(ask.id)
  }

  /**
   * What this machine publishes about an ask; undefined if it is not a member, or the text is too long. The same bytes for the same
   * ask, also after a restart: an answer names their digest.
   */
  async #signed(ask: Ask): Promise<Signed | undefined> {
    const answeredBy = this.#answeredBy.get(ask.id)
    let [fleet, key] = ['', '']
    const signed = await this.#ports.membership.signOwn(own => {
      ;({ fleet, key } = own)
      const said = {
        kind: 'ask',
        fleet,
        by: key,
        ask: this.#public(ask),
        ...(answeredBy ? { answeredBy } : {}),
      }
      return JSON.stringify(said, sortedKeys)
    })
    return signed && !isTooLong(signed.text) ? { ...signed, fleet, key } : undefined
  }

  /** Publishes what changed, and takes answers. */
  sync(): Promise<void> {
    this.#syncing ??= this.#sync().finally(() => {
      this.#syncing = undefined
    })
    return this.#syncing
  }

  #syncSoon(): void {
    const before = this.#syncing ?? Promise.resolve()
    void before
      .then(() => this.sync())
      .catch(cause => this.#ports.fault('publishing asks', cause))
      .then(() => this.#look())
  }

  /** Answers are looked for more often than the fleet ticks, but only while a person may give one. */
  #look(): void {
    if (this.#isLooking) return
    this.#isLooking = true
    const run = async () => {
      while (!this.#hasStopped && [...this.#shown.values()].some(({ ask }) => ask.state === 'open')) {
        await this.#ports.pause(LOOK_MS)
        // The tick reports a database that is away.
        await this.sync().catch(() => {})
        if (!(await this.#reaches()))
          this.#answering?.lost(
            this.name,
            [...this.#shown.values()].map(({ ask }) => ask.id),
          )
      }
    }
    void run().finally(() => {
      this.#isLooking = false
    })
  }

  async #sync(): Promise<void> {
    const { board, membership } = this.#ports
    for (const [id, known] of this.#shown) {
      if (!known.isDirty) continue
      const isOpen = known.ask.state === 'open'
      const { fleet, key, text, signature } = known.signed
      await board.putAsk(fleet, key, { ask: id, text, signature, isOpen })
      // It may have been settled meanwhile.
      if (this.#shown.get(id) === known) {
        known.isDirty = false
        if (!isOpen) this.#shown.delete(id)
      }
      if (!isOpen) this.#answeredBy.delete(id)
    }
    await membership.refresh()
    if (!this.#isTidy) await this.#tidy()
    this.#isTidy = true
    this.#syncedAt = this.#ports.clock.elapsed()
  }

  /** After a restart: what was settled or forgotten without being published. */
  async #tidy(): Promise<void> {
    const { board, membership } = this.#ports
    const own = (await membership.views()).find(({ isHere }) => isHere)
    const fleet = await membership.fleet()
    if (!own || !fleet) return
    for (const { ask, by } of await this.#open())
      if (by === own.key && !this.#shown.has(ask.id)) {
        const now = await this.#answering?.find(ask.id)
        const ended: Ask = now && now.state !== 'open' ? now : { ...ask, state: 'withdrawn' }
        if (now?.state !== 'open') await this.#end(ended)
      }
    await board.tidyAsks(fleet, own.key)
  }

  /** What others may see: without secrets, and only with the answers that they can give. */
  #public({ parkedAt: _parkedAt, rules: _rules, ...ask }: Ask): Ask {
    const { id, fingerprint, key, ...words } = ask
    const options = ask.options.filter(option => !ONLY_THERE.has(option))
    return {
      ...this.#ports.redact(words),
      ...{ id, fingerprint, key: digestOf(key) },
      options: options.length > 0 ? options : ask.options,
    }
  }

  /** An answer of a member, in the order of the statements: its signature and its membership are checked already. */
  async #take(answer: Answer, from: Member, signature: string): Promise<void> {
    const { ask: id, seen, option, reason, replies, who, channel } = answer
    const stored = this.#shown.has(id) ? undefined : await this.#stored(id)
    if (stored) this.#shown.set(id, stored)
    const known = this.#shown.get(id)
    if (known?.ask.state !== 'open') return
    // The person answered exactly what this machine published.
    if (digestOf(known.signed.text) !== seen || ONLY_THERE.has(option)) {
      this.#ports.fault(`taking an answer to ${id}`, new Error(`${from.name} answered something else`))
      return
    }
    this.#answeredBy.set(id, signature)
    const by = { channel: 'fleet', who: `${who} (${channel}) on ${from.name}`.slice(0, 200) }
    const { fingerprint } = known.ask
    const taken = await this.#answering?.answer(id, { option, reason, replies, fingerprint, by })
    if (taken?.verdict === 'taken') return
    this.#answeredBy.delete(id)
    if (stored && this.#shown.get(id) === stored) this.#shown.delete(id)
  }

  /** An ask that a daemon before this one published, and that this one has not shown yet. */
  async #stored(id: string): Promise<Shown | undefined> {
    const ask = await this.#answering?.find(id)
    const isOurs = ask?.id === id && ask.state === 'open' && (await this.#ports.isOfFleet(ask))
    const signed = isOurs && (await this.#signed(ask))
    return signed ? { ask, signed, isDirty: false } : undefined
  }

  /** The open asks of all machines of the fleet but this one. */
  async others(): Promise<Ask[]> {
    await this.#ports.membership.refresh()
    const here = (await this.#ports.membership.views()).find(({ isHere }) => isHere)
    return (await this.#open()).filter(({ by }) => by !== here?.key).map(askOf)
  }

  /** An ask of another machine by its id, or an open one by the start of it; undefined if several begin like that. */
  async find(name: string): Promise<Ask | undefined> {
    await this.#ports.membership.refresh()
    const exact = await this.#find(name)
    if (exact) return askOf(exact)
    const [found, ...more] = (await this.others()).filter(({ id }) => id.startsWith(name))
    return more.length === 0 ? found : undefined
  }

  /** Signs a person's answer to an ask of another machine, and waits until that machine has settled it. */
  async answer(id: string, given: Given): Promise<Answered> {
    const { membership, pause, clock } = this.#ports
    await membership.refresh()
    const found = await this.#find(id)
    if (!found) return { verdict: 'unknown', ask: undefined }
    const { option, reason, replies, by, fingerprint = found.ask.fingerprint } = given
    const answer = {
      option,
      by,
      at: found.ask.createdAt,
      ...(reason ? { reason } : {}),
      ...(replies ? { replies } : {}),
    }
    // Whether it is too late is for the other machine to say: clocks differ.
    const { verdict, problem } = step(found.ask, { type: 'answer', answer, fingerprint })
    if (verdict !== 'taken') return { verdict, ask: askOf(found), problem }
    const signature = await membership.sign(({ fleet }) => ({
      ...{ kind: 'answer', fleet, ask: found.ask.id, seen: digestOf(found.text), option },
      ...(reason ? { reason } : {}),
      ...(replies ? { replies } : {}),
      ...{ who: by.who, channel: by.channel },
    }))
    await this.#ports.journal(`${by.who} answered ${found.ask.id} of the machine ${found.from.name}`)
    for (const until = clock.elapsed() + CONFIRM_MS; clock.elapsed() < until; ) {
      const now = await this.#find(id)
      if (now && now.ask.state !== 'open')
        return { verdict: now.answeredBy === signature ? 'taken' : 'closed', ask: askOf(now) }
      await pause(CONFIRM_LOOK_MS)
    }
    throw new BatonError('timed_out', `The answer is sent, but ${found.from.name} has not confirmed it`, {
      remedy: 'It counts as soon as that machine reads it. See `baton asks --fleet`.',
    })
  }

  async #open(): Promise<Found[]> {
    const fleet = await this.#ports.membership.fleet()
    const rows = fleet ? await this.#ports.board.asks(fleet) : []
    return rows.flatMap(row => this.#verify(row, fleet) ?? []).filter(({ ask }) => ask.state === 'open')
  }

  async #find(id: string): Promise<Found | undefined> {
    const fleet = await this.#ports.membership.fleet()
    const rows = fleet ? await this.#ports.board.asks(fleet, id) : []
    return rows.map(row => this.#verify(row, fleet)).find(found => found?.ask.id === id)
  }

  /** Undefined unless a machine that is a member now has signed it. */
  #verify(row: PublishedText, fleet: string | undefined): Found | undefined {
    const read = Published.safeParse(parseJson(row.text)).data
    const from = read && this.#ports.membership.memberWith(read.by)
    if (!from || read.fleet !== fleet || read.ask.id !== row.ask || !isSignedBy(row, read.by))
      return undefined
    return { ...read, from, text: row.text }
  }
}

const askOf = ({ ask, from }: Found): Ask => ({ ...ask, facts: { ...ask.facts, machine: from.name } })
