import { hash } from 'node:crypto'
import { BatonError } from '@batonpass/contract/errors'
import type { AgentEvent, AgentName } from '@batonpass/contract/event'
import type { Envelope } from '@batonpass/contract/hook'
import type { SessionId } from '@batonpass/contract/ids'
import type { EntryBody } from '@batonpass/contract/journal'
import { PROTOCOL } from '@batonpass/contract/protocol'
import type { Reaction } from '@batonpass/contract/reaction'
import type { Session } from '@batonpass/contract/session'
import type { AgentAdapter, DecodedEvent } from '../ports/agent.ts'
import type { ReactionContext, Reactor } from '../ports/reactor.ts'
import { ClearedSessions } from '../session/cleared-sessions.ts'
import { isNews } from '../session/context/context-usage.ts'
import { sessionId } from '../session/id.ts'
import { KeyedQueue } from '../session/keyed-queue.ts'
import { trackSession } from '../session/track-session.ts'
import { isPresumed } from '../session/watch/lost-sessions.ts'
import { DuplicateAsks } from './duplicate-asks.ts'
import { DuplicateEvents } from './duplicate-events.ts'
import { envelopeFrom, type HookCall, nativeEventOf, parseJson, type ReportContext } from './hook-call.ts'
import type { IntakeParts } from './intake-parts.ts'
import { mapPaths } from './map-paths.ts'
import { contributors, type Merged, toReaction } from './merge.ts'
import { OwnActivity, rememberSession } from './own-activity.ts'
import { type PendingReaction, react } from './react.ts'
import { entryOf, stamp } from './stamp.ts'

/** Events that the host must report even if the session has hooks, because hooks do not (reliably) report them. */
const NOT_FROM_HOOKS: readonly AgentEvent['type'][] = ['PermissionAsked', 'ContextMeasured', 'SessionEnded']
/** The longest time that any hook may wait. */
const MAX_WAIT_MS = 2 * 60 * 60_000

/** Handles hook calls, one event at a time for each session, and returns the answers to the agent as JSON. */
export class Intake {
  readonly #parts: IntakeParts
  readonly #queues = new KeyedQueue()
  readonly #duplicateEvents = new DuplicateEvents()
  readonly #ownActivity = new OwnActivity()
  readonly #cleared = new ClearedSessions()
  readonly #duplicateAsks = new DuplicateAsks()
  /** Sessions whose hooks have called. */
  readonly #hooked = new Set<string>()

  constructor(parts: IntakeParts) {
    this.#parts = parts
  }

  async handleHookCall(received: HookCall): Promise<string> {
    const { contained } = received
    const call = contained ? { ...received, envelope: envelopeFrom(contained, received.envelope) } : received
    const { envelope } = call
    const adapter = this.#parts.adapterFor(envelope.agent)
    if (!adapter) throw new BatonError('agent_unknown', `No adapter for agent ${envelope.agent}`)
    const ownCall = envelope.marker !== undefined && this.#parts.ownCall(envelope.marker)

    let decoded: DecodedEvent
    let native: string
    let payload: unknown
    try {
      payload = parseJson(call.body)
      native = envelope.event ?? nativeEventOf(payload)
      const result = adapter.decode(payload, envelope.event)
      if ('ignored' in result) return NOTHING_TO_SAY
      decoded = contained ? await contained.admit(result.event) : result.event
    } catch (cause) {
      // Not about this agent's own session: the caller learns nothing, and its launcher answers what is safe.
      if (contained && cause instanceof BatonError && cause.code === 'not_allowed') throw cause
      return ownCall ? NOTHING_TO_SAY : await this.#safeAnswer(adapter, envelope, cause)
    }
    if (this.#ownActivity.isOwn(decoded.nativeSession, ownCall)) return NOTHING_TO_SAY
    rememberSession(this.#hooked, sessionId(adapter.name, decoded.nativeSession))
    if (!call.retry && this.#isDuplicate(call, decoded)) return NOTHING_TO_SAY

    try {
      const mapped = mapPaths(decoded, envelope.pathMap)
      const session = sessionId(adapter.name, mapped.nativeSession)
      const event = (await this.#parts.restore?.(session, mapped, adapter.name)) ?? mapped
      const reaction = await this.#duplicateAsks.runOnce(session, event, false, () =>
        this.#processEvent(call, event),
      )
      if (!reaction) return NOTHING_TO_SAY
      return JSON.stringify(
        adapter.encode(reaction, native, await this.#isOnScreen(adapter, session, reaction), payload),
      )
    } catch (cause) {
      return await this.#safeAnswer(adapter, { ...envelope, event: native }, cause, decoded.mode)
    }
  }

  /** Handles an event that no hook delivered: from a hosted session, or a context size that Baton measured itself. */
  async handleEvent(agent: AgentName, reported: DecodedEvent, about: ReportContext = {}): Promise<Reaction> {
    const {
      signal = AbortSignal.timeout(MAX_WAIT_MS),
      hosted,
      brokered,
      contained,
      takeRelease,
      ...seen
    } = about
    const session = sessionId(agent, reported.nativeSession)
    const admitted = contained ? await contained.admit(reported) : reported
    const event = (await this.#parts.restore?.(session, admitted, agent)) ?? admitted
    if (hosted && this.#hooked.has(session) && !NOT_FROM_HOOKS.includes(event.type)) {
      if (seen.pane !== undefined) await this.updateSession(session, known => ({ ...known, pane: seen.pane }))
      return {}
    }
    const envelope: Envelope = { protocol: PROTOCOL, agent, source: 'manual', ...seen }
    const call = {
      envelope,
      body: new Uint8Array(),
      retry: false,
      hosted: true,
      brokered,
      takeRelease,
      contained,
      signal,
    }
    return (
      (await this.#duplicateAsks.runOnce(session, event, hosted === true, () =>
        this.#processEvent(call, event),
      )) ?? {}
    )
  }

  /** Starts or ends a turn that answers Baton's own question. Reactors ignore that turn. */
  ownTurn(agent: AgentName, nativeSession: string, on: boolean): void {
    this.#ownActivity.setOwnTurn(sessionId(agent, nativeSession), on, this.#parts.clock.elapsed())
  }

  /** Changes a stored session, in the order of the session's queue. */
  async updateSession(id: SessionId, change: (session: Session) => Session): Promise<void> {
    await this.#queues.run(id, async () => {
      const known = await this.#parts.session(id)
      const next = known && change(known)
      if (next && next !== known) await this.#parts.write([], [next])
    })
  }

  /** Resolves when every session's queue is empty. */
  idle(): Promise<void> {
    return this.#queues.idle()
  }

  /** Undefined if the call duplicates an earlier one. */
  async #processEvent(call: HookCall, decoded: DecodedEvent): Promise<Reaction | undefined> {
    const { clock } = this.#parts
    const began = clock.elapsed()
    const session = sessionId(call.envelope.agent, decoded.nativeSession)
    const reacted = await this.#queues.run(session, async () => {
      const recorded = await this.#record(call, decoded)
      if (!recorded) return undefined
      // While paused, in shadow mode, and in a turn that answers Baton's own question, events are recorded but reactors do not run.
      const paused = this.#parts.pausedFor?.({ session, project: recorded.context.project })
      const silent =
        paused !== undefined ||
        recorded.context.config.shadow.enabled ||
        this.#ownActivity.isOwnTurn(recorded.event, clock.elapsed())
      const reactors = paused ? [pausedReactor(paused)] : silent ? [] : this.#parts.reactors
      if (recorded.unrecorded !== undefined)
        return { denied: await this.#deniedUnrecorded(reactors, recorded, recorded.unrecorded) }
      const reacting = await react(reactors, recorded.event, recorded.context, (reactor, cause) =>
        this.#parts.fault(`${reactor} on ${recorded.event.type}`, cause),
      )
      return { event: recorded.event, reacting, project: recorded.context.project }
    })
    if (!reacted) return undefined
    if ('denied' in reacted) return reacted.denied
    const { event, reacting, project } = reacted
    const merged = await withDeferred(reacting, call.signal)
    const reaction = toReaction(merged)
    if (reaction.goOn) this.#ownActivity.rememberPrompt(session, reaction.goOn.prompt)
    // The reaction to a context figure is only shown, not recorded.
    const isShown = event.type === 'ContextMeasured'
    if (!isShown && Object.keys(reaction).length > 0 && !isPlainAllow(reaction, merged)) {
      const tookMs = Math.round((clock.elapsed() - began) * 1000) / 1000
      const body: EntryBody = {
        kind: 'reaction',
        event: event.id,
        reaction: withoutRewrite(reaction),
        by: contributors(merged),
        tookMs,
      }
      try {
        await this.#parts.write([entryOf(this.#parts, event, project, body)])
      } catch (cause) {
        // Without a record no one could look the reaction up later, so the call fails; but a deny applies, recorded or not.
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
    // Count the call even if it is recorded: another installation may repeat its own call to this new daemon, too.
    if (call.retry && this.#isDuplicate(call, decoded) && !before) return undefined
    const event = before ?? this.#ownActivity.markOwnPrompt(stamp(decoded, envelope, now, ids))
    const known = await this.#parts.session(event.session)
    if (!before && event.type === 'SessionEnded' && hasEnded(known)) return undefined
    const cwd = known?.cwd ?? event.cwd ?? envelope.cwd
    const project = known?.project ?? (cwd === undefined ? undefined : this.#parts.projectOf(cwd))
    const config = await this.#parts.config(project)
    const seen = await this.#verifiedPlace(call, known)
    const session =
      before && known
        ? known
        : trackSession(
            known,
            event,
            {
              project,
              ...seen,
              parent: this.#cleared.parentOf(event, seen),
              name: known?.name ? undefined : this.#parts.nameAfter?.(event),
            },
            config.context,
          )
    if (!before && !isWorthRecording(known, event, session)) this.#parts.cacheSession(session)
    else if (!before) {
      const body: EntryBody = { kind: 'event', event, source: envelope.source }
      const entry = entryOf(this.#parts, event, project, body)
      // `claude plugin` and similar commands send SessionEnd without ever starting a session.
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
    const isContained = call.contained !== undefined
    const isRewritable = !call.hosted && envelope.pathMap === undefined && !isContained
    const context = {
      session,
      project: project ?? '/',
      config,
      attended: envelope.attended,
      source: envelope.source,
      isRewritable,
      isContained,
      brokered: call.brokered,
      takeRelease: call.takeRelease,
      now,
    }
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

  /** Checks the screen only for an ask: an ask that no one sees would block the agent indefinitely. */
  async #isOnScreen(
    { asksOnScreen, name }: AgentAdapter,
    id: SessionId,
    { permission }: Reaction,
  ): Promise<boolean> {
    if (!asksOnScreen || permission?.decision !== 'ask') return false
    const pane = (await this.#parts.session(id))?.pane
    return pane !== undefined && ((await this.#parts.onScreen?.(pane, name).catch(() => false)) ?? false)
  }

  /** Accepts the place and process a hook reports only if they are on this machine, because Baton types there. */
  async #verifiedPlace(
    { envelope: { pane, pid, pathMap }, hosted, contained }: HookCall,
    known: Session | undefined,
  ): Promise<{ pane?: string | undefined; pid?: number | undefined }> {
    if (hosted || contained || pane === undefined) return { pane, pid: hosted || !pathMap ? pid : undefined }
    // An agent that sees different paths (a container) also sees different processes and terminals.
    if (pathMap) return {}
    if (pane === known?.pane) return { pane, pid }
    return { pid, pane: (await this.#parts.isOwnPlace(pane, pid).catch(() => false)) ? pane : undefined }
  }

  /** Compares the decoded event, not the bytes: a process adds a line break, HTTP does not. */
  #isDuplicate({ envelope }: HookCall, decoded: DecodedEvent): boolean {
    const fingerprint = hash('sha1', envelope.agent + JSON.stringify(decoded), 'base64')
    const { source, request } = envelope
    return this.#duplicateEvents.isDuplicate({
      fingerprint,
      source,
      request,
      now: this.#parts.clock.elapsed(),
    })
  }

  async #safeAnswer(
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

/** The host reports the end of a hosted session, and often its hook reports it again. */
const hasEnded = (known: Session | undefined): boolean =>
  known?.endedAt !== undefined && !isPresumed(known.endReason)

/** Agents report context figures many times a minute. Only figures that change something are recorded. */
const isWorthRecording = (known: Session | undefined, event: AgentEvent, after: Session): boolean =>
  event.type !== 'ContextMeasured' || after.context === undefined || isNews(known?.context, after.context)

/** An allow from the permission chain alone, in the sandbox or not, is already in the journal as a decision. */
const isPlainAllow = (reaction: Reaction, merged: Merged): boolean =>
  (reaction.permission?.decision ?? 'allow') === 'allow' &&
  Object.keys(reaction).every(part => part === 'permission' || part === 'rewrite') &&
  contributors(merged).every(reactor => reactor === 'permission')

/** The journal shows the agent's own command. */
const withoutRewrite = ({ rewrite: _, ...reaction }: Reaction): Reaction => reaction

const withDeferred = (reacting: PendingReaction, signal: AbortSignal) =>
  reacting.waiting ? reacting.rest(signal) : Promise.resolve(reacting.merged)

/** Says that Baton is paused where a session starts and in the status line, and decides nothing. */
const pausedReactor = (line: string): Reactor => ({
  name: 'session',
  react: ({ type }) =>
    type === 'SessionStarted' || type === 'ContextMeasured' ? { now: { notice: line } } : undefined,
})
