import { hash } from 'node:crypto'
import type { Config } from '@batonpass/contract/config'
import { BatonError } from '@batonpass/contract/errors'
import type { AgentEvent, AgentName } from '@batonpass/contract/event'
import type { Envelope } from '@batonpass/contract/hook'
import type { SessionId } from '@batonpass/contract/ids'
import type { Entry, EntryBody, NewEntry } from '@batonpass/contract/journal'
import { PROTOCOL } from '@batonpass/contract/protocol'
import type { Reaction } from '@batonpass/contract/reaction'
import type { Session } from '@batonpass/contract/session'
import type { AgentAdapter, DecodedEvent } from '../ports/agent.ts'
import type { Clock } from '../ports/clock.ts'
import type { Ids } from '../ports/ids.ts'
import type { ReactionContext, Reactor } from '../ports/reactor.ts'
import { ClearedSessions } from '../session/cleared-sessions.ts'
import { isNews } from '../session/context/context-usage.ts'
import { sessionId } from '../session/id.ts'
import { KeyedQueue } from '../session/keyed-queue.ts'
import { trackSession } from '../session/track-session.ts'
import { isPresumed } from '../session/watch/lost-sessions.ts'
import { DuplicateAsks } from './duplicate-asks.ts'
import { DuplicateEvents } from './duplicate-events.ts'
import { mapPaths } from './map-paths.ts'
import { contributors, type Merged, toReaction } from './merge.ts'
import { OwnActivity, rememberSession } from './own-activity.ts'
import { type PendingReaction, react } from './react.ts'
import { entryOf, stamp } from './stamp.ts'

/** One hook call: the client's envelope and the agent's own bytes. */
export interface HookCall {
  envelope: Envelope
  body: Uint8Array
  /** The client lost its connection and asks again: the event may be recorded already. */
  retry: boolean
  /** Not by a hook: whoever hosts the session says where it is. */
  hosted?: boolean
  /** Aborted when nobody waits for the answer any more. */
  signal: AbortSignal
}

export interface IntakeParts {
  adapterFor(agent: string): AgentAdapter | undefined
  reactors: readonly Reactor[]
  write(entries: readonly NewEntry[], sessions?: readonly Session[]): Promise<Entry[]>
  /** The event of an earlier call with this id, if it was recorded. */
  findRecordedEvent(request: string): Promise<AgentEvent | undefined>
  session(id: string): Promise<Session | undefined>
  /** Keeps at hand what is not worth a write: the session's next event writes it. */
  cacheSession(session: Session): void
  projectOf(cwd: string): string
  /** Whether that process really runs at the place it names. */
  isOwnPlace(place: string, pid: number | undefined): Promise<boolean>
  /** Whether an agent's own screen is at a place. */
  onScreen?(place: string, agent: AgentName): Promise<boolean>
  /** What is in force for a project right now. */
  config(project: string | undefined): Promise<Config>
  /** True for the marker of a model call that Baton itself is making right now. */
  ownCall(marker: string): boolean
  fault(during: string, cause: unknown): void
  clock: Clock
  ids: Ids
}

/** What is known about an event beside itself, as an envelope would say it. */
export interface ReportContext extends Pick<Envelope, 'cwd' | 'pane' | 'pid' | 'attended'> {
  /** Told by whoever hosts the session; its own hooks, where it has any, tell the same and are believed first. */
  hosted?: boolean
  /** Aborted when nobody waits for the answer any more. */
  signal?: AbortSignal
}

/** What hooks do not tell, or only where they are asked, or no longer where the agent is sent away. */
const NOT_FROM_HOOKS: readonly AgentEvent['type'][] = ['PermissionAsked', 'ContextMeasured', 'SessionEnded']
/** As long as any hook may wait. */
const MAX_WAIT_MS = 2 * 60 * 60_000

/** Takes hook calls in, one event at a time for each session, and gives back the agent's answers as JSON. */
export class Intake {
  readonly #parts: IntakeParts
  readonly #lanes = new KeyedQueue()
  readonly #echoes = new DuplicateEvents()
  readonly #own = new OwnActivity()
  readonly #cleared = new ClearedSessions()
  readonly #askedTwice = new DuplicateAsks()
  /** Sessions whose hooks have called. */
  readonly #hooked = new Set<string>()

  constructor(parts: IntakeParts) {
    this.#parts = parts
  }

  async handleHookCall(call: HookCall): Promise<string> {
    const { envelope } = call
    const adapter = this.#parts.adapterFor(envelope.agent)
    if (!adapter) throw new BatonError('agent_unknown', `No adapter for agent ${envelope.agent}`)
    const ownCall = envelope.marker !== undefined && this.#parts.ownCall(envelope.marker)

    let decoded: DecodedEvent
    let native: string
    try {
      const payload = parseJson(call.body)
      native = envelope.event ?? nativeEventOf(payload)
      const result = adapter.decode(payload, envelope.event)
      if ('ignored' in result) return NOTHING_TO_SAY
      decoded = result.event
    } catch (cause) {
      return ownCall ? NOTHING_TO_SAY : await this.#safe(adapter, envelope, cause)
    }
    if (this.#own.isOwn(decoded.nativeSession, ownCall)) return NOTHING_TO_SAY
    rememberSession(this.#hooked, sessionId(adapter.name, decoded.nativeSession))
    if (!call.retry && this.#isEcho(call, decoded)) return NOTHING_TO_SAY

    try {
      const event = mapPaths(decoded, envelope.pathMap)
      const session = sessionId(adapter.name, event.nativeSession)
      const reaction = await this.#askedTwice.runOnce(session, event, false, () => this.#hear(call, event))
      if (!reaction) return NOTHING_TO_SAY
      return JSON.stringify(
        adapter.encode(reaction, native, await this.#isOnScreen(adapter, session, reaction)),
      )
    } catch (cause) {
      return await this.#safe(adapter, { ...envelope, event: native }, cause, decoded.mode)
    }
  }

  /** Takes an event in that no hook brought: a hosted session's, or a figure that Baton read itself. */
  async handleEvent(agent: AgentName, event: DecodedEvent, about: ReportContext = {}): Promise<Reaction> {
    const { signal = AbortSignal.timeout(MAX_WAIT_MS), hosted, ...seen } = about
    const session = sessionId(agent, event.nativeSession)
    if (hosted && this.#hooked.has(session) && !NOT_FROM_HOOKS.includes(event.type)) {
      if (seen.pane !== undefined) await this.updateSession(session, known => ({ ...known, pane: seen.pane }))
      return {}
    }
    const envelope: Envelope = { protocol: PROTOCOL, agent, source: 'manual', ...seen }
    const call = { envelope, body: new Uint8Array(), retry: false, hosted: true, signal }
    return (
      (await this.#askedTwice.runOnce(session, event, hosted === true, () => this.#hear(call, event))) ?? {}
    )
  }

  /** While a session answers a question of Baton's own, no reactor speaks at its stop. */
  ownTurn(agent: AgentName, nativeSession: string, on: boolean): void {
    this.#own.setOwnTurn(sessionId(agent, nativeSession), on, this.#parts.clock.elapsed())
  }

  /** Changes what is known of a session, in its turn. */
  async updateSession(id: SessionId, change: (session: Session) => Session): Promise<void> {
    await this.#lanes.run(id, async () => {
      const known = await this.#parts.session(id)
      const next = known && change(known)
      if (next && next !== known) await this.#parts.write([], [next])
    })
  }

  /** Resolves when every session's queue is empty. */
  idle(): Promise<void> {
    return this.#lanes.idle()
  }

  /** Undefined when the call is the echo of one that was heard before. */
  async #hear(call: HookCall, decoded: DecodedEvent): Promise<Reaction | undefined> {
    const { clock } = this.#parts
    const began = clock.elapsed()
    const session = sessionId(call.envelope.agent, decoded.nativeSession)
    const heard = await this.#lanes.run(session, async () => {
      const heard = await this.#record(call, decoded)
      if (!heard) return undefined
      // In shadow mode everything is written down and nothing is answered; so is a question of Baton's own.
      const silent = heard.context.config.shadow.enabled || this.#own.isOwnTurn(heard.event, clock.elapsed())
      const reactors = silent ? [] : this.#parts.reactors
      if (heard.unrecorded !== undefined)
        return { denied: await this.#deniedUnrecorded(reactors, heard, heard.unrecorded) }
      const reacting = await react(reactors, heard.event, heard.context, (reactor, cause) =>
        this.#parts.fault(`${reactor} on ${heard.event.type}`, cause),
      )
      return { event: heard.event, reacting, project: heard.context.project }
    })
    if (!heard) return undefined
    if ('denied' in heard) return heard.denied
    const { event, reacting, project } = heard
    const merged = await withDeferred(reacting, call.signal)
    const reaction = toReaction(merged)
    if (reaction.goOn) this.#own.rememberPrompt(session, reaction.goOn.prompt)
    // The answer to a figure is only shown.
    const isShown = event.type === 'ContextMeasured'
    if (!isShown && Object.keys(reaction).length > 0 && !isPlainAllow(reaction, merged)) {
      const tookMs = Math.round((clock.elapsed() - began) * 1000) / 1000
      const body: EntryBody = {
        kind: 'reaction',
        event: event.id,
        reaction,
        by: contributors(merged),
        tookMs,
      }
      try {
        await this.#parts.write([entryOf(this.#parts, event, project, body)])
      } catch (cause) {
        // What nobody could look up later is not done; but a deny stands, recorded or not.
        if (reaction.permission?.decision !== 'deny') throw cause
        this.#parts.fault(`recording the reaction to ${event.type}`, cause)
      }
    }
    return reaction
  }

  async #record(call: HookCall, decoded: DecodedEvent) {
    const { clock, ids, write } = this.#parts
    const { envelope } = call
    const now = clock.now()
    let unrecorded: unknown
    const before =
      call.retry && envelope.request ? await this.#parts.findRecordedEvent(envelope.request) : undefined
    // Counted even when it is recorded: another installation may repeat its own call to this new daemon, too.
    if (call.retry && this.#isEcho(call, decoded) && !before) return undefined
    const event = before ?? this.#own.markOwnPrompt(stamp(decoded, envelope, now, ids))
    const known = await this.#parts.session(event.session)
    if (!before && event.type === 'SessionEnded' && hasEnded(known)) return undefined
    const cwd = known?.cwd ?? event.cwd ?? envelope.cwd
    const project = known?.project ?? (cwd === undefined ? undefined : this.#parts.projectOf(cwd))
    const config = await this.#parts.config(project)
    const seen = await this.#whereabouts(call, known)
    const session =
      before && known
        ? known
        : trackSession(
            known,
            event,
            { project, ...seen, parent: this.#cleared.parentOf(event, seen) },
            config.context,
          )
    if (!before && !isWorthRecording(known, event, session)) this.#parts.cacheSession(session)
    else if (!before) {
      const body: EntryBody = { kind: 'event', event, source: envelope.source }
      const entry = entryOf(this.#parts, event, project, body)
      // `claude plugin` and the like say goodbye without ever having begun.
      const isNothing = !known && event.type === 'SessionEnded' && event.reason !== 'clear'
      try {
        await write(
          [envelope.request ? { ...entry, request: envelope.request } : entry],
          isNothing ? [] : [session],
        )
      } catch (cause) {
        unrecorded = cause
      }
    }
    const context = { session, project: project ?? '/', config, attended: envelope.attended, now }
    return { event, context, unrecorded }
  }

  /** An event that cannot be recorded gets the safe answer; but what the rules deny stays denied. */
  async #deniedUnrecorded(
    reactors: readonly Reactor[],
    { event, context }: { event: AgentEvent; context: ReactionContext },
    cause: unknown,
  ): Promise<Reaction> {
    for (const reactor of reactors) {
      const denial = await reactor.denies?.(event, context)
      if (!denial) continue
      this.#parts.fault(`recording ${event.type}, which is denied`, cause)
      return { permission: { ...denial, reason: `${denial.reason}. ${unrecordedWords(cause)}` } }
    }
    throw cause
  }

  /** Looked at only when it matters: an ask that nobody sees would keep the agent waiting for ever. */
  async #isOnScreen(
    { asksOnScreen, name }: AgentAdapter,
    id: SessionId,
    { permission }: Reaction,
  ): Promise<boolean> {
    if (!asksOnScreen || permission?.decision !== 'ask') return false
    const pane = (await this.#parts.session(id))?.pane
    return pane !== undefined && ((await this.#parts.onScreen?.(pane, name).catch(() => false)) ?? false)
  }

  /** What a hook says of its place and process counts only where they are this machine's: Baton types there. */
  async #whereabouts(
    { envelope: { pane, pid, pathMap }, hosted }: HookCall,
    known: Session | undefined,
  ): Promise<{ pane?: string | undefined; pid?: number | undefined }> {
    if (hosted || pane === undefined) return { pane, pid: hosted || !pathMap ? pid : undefined }
    // Whoever sees other paths sees other processes and terminals, too.
    if (pathMap) return {}
    if (pane === known?.pane) return { pane, pid }
    return { pid, pane: (await this.#parts.isOwnPlace(pane, pid).catch(() => false)) ? pane : undefined }
  }

  /** By what was said, not by its bytes: the same event comes with a line break from a process and without one by HTTP. */
  #isEcho({ envelope }: HookCall, decoded: DecodedEvent): boolean {
    const fingerprint = hash('sha1', envelope.agent + JSON.stringify(decoded), 'base64')
    const { source, request } = envelope
    return this.#echoes.isDuplicate({ fingerprint, source, request, now: this.#parts.clock.elapsed() })
  }

  async #safe(
    adapter: AgentAdapter,
    envelope: Envelope,
    cause: unknown,
    mode?: DecodedEvent['mode'],
  ): Promise<string> {
    this.#parts.fault(`${envelope.agent} ${envelope.event ?? 'hook'}`, cause)
    const native = envelope.event ?? ''
    const safe = adapter.safe(native, mode)
    const { permission } = safe
    const isFull = cause instanceof BatonError && cause.code === 'disk_full'
    const said =
      permission && isFull
        ? { ...safe, permission: { ...permission, reason: `${permission.reason} ${unrecordedWords(cause)}` } }
        : safe
    return JSON.stringify(adapter.encode(said, native))
  }
}

const NOTHING_TO_SAY = '{}'

/** Names the cause for the person who reads the answer. */
const unrecordedWords = (cause: unknown): string => {
  if (!(cause instanceof BatonError)) return 'Baton could not record this call; see `baton doctor`.'
  const remedy = cause.remedy ? ` ${cause.remedy}` : ''
  return `Baton could not record this call: ${cause.message}.${remedy}`
}

/** A hosted agent's end is told by its host, and often once more by its hook. */
const hasEnded = (known: Session | undefined): boolean =>
  known?.endedAt !== undefined && !isPresumed(known.endReason)

/** Agents give their figures many times a minute; only what changes something is kept. */
const isWorthRecording = (known: Session | undefined, event: AgentEvent, after: Session): boolean =>
  event.type !== 'ContextMeasured' || after.context === undefined || isNews(known?.context, after.context)

/** An allow by the permission chain alone stands in the journal already, as its decision. */
const isPlainAllow = (reaction: Reaction, merged: Merged): boolean =>
  reaction.permission?.decision === 'allow' &&
  Object.keys(reaction).length === 1 &&
  contributors(merged).every(reactor => reactor === 'permission')

const withDeferred = (reacting: PendingReaction, signal: AbortSignal) =>
  reacting.waiting ? reacting.rest(signal) : Promise.resolve(reacting.merged)

/** Invalid UTF-8 becomes replacement characters: an odd byte in a prompt is no reason to fail. */
function parseJson(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(body))
  } catch (cause) {
    throw new BatonError('payload_invalid', 'The hook payload is not JSON', { cause })
  }
}

function nativeEventOf(payload: unknown): string {
  if (typeof payload !== 'object' || payload === null || !('hook_event_name' in payload)) return ''
  return typeof payload.hook_event_name === 'string' ? payload.hook_event_name : ''
}
