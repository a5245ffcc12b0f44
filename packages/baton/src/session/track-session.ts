import type { AgentEvent } from '@batonpass/contract/event'
import type { SessionId } from '@batonpass/contract/ids'
import type { Session } from '@batonpass/contract/session'
import { contextAfter, type Zones } from './context/context-usage.ts'
import { isPresumed } from './watch/lost-sessions.ts'

/** Updates a session with an event. Pure: the caller stores the result. */
export function trackSession(
  known: Session | undefined,
  event: AgentEvent,
  seen: {
    project: string | undefined
    pane?: string | undefined
    pid?: number | undefined
    /** The session that this one continues. */
    parent?: SessionId | undefined
    /** What the session would be called after this event. */
    name?: Pick<Session, 'name' | 'namedBy'> | undefined
  },
  zones: Zones,
): Session {
  const began = known ?? {
    id: event.session,
    agent: event.agent,
    nativeSession: event.nativeSession,
    startedAt: event.at,
    events: 0,
  }
  // A session that is resumed after its end is live again.
  const { endedAt, endReason, pane: _pane, ownPid: _own, ...living }: Partial<Session> & typeof began = began
  const ended = event.type === 'SessionEnded' ? { endedAt: event.at, endReason: event.reason } : {}
  return {
    ...living,
    ...pick('cwd', known?.cwd ?? event.cwd),
    // Fixed when the session starts: a later `cd` of the agent does not move its state.
    ...pick('project', known?.project ?? seen.project),
    ...pick('transcript', event.transcript ?? known?.transcript),
    ...pick('mode', event.mode ?? known?.mode),
    ...pick('pane', seen.pane ?? (hasLeft(known, event, seen) ? undefined : known?.pane)),
    ...(known?.name ? {} : seen.name),
    ...processOf(known, event, seen),
    ...pick('parent', known?.parent ?? seen.parent),
    ...pick('context', contextAfter(known?.context, event, zones)),
    ...(!revives(event) && endedAt && !isPresumed(endReason)
      ? { endedAt, ...pick('endReason', endReason) }
      : {}),
    ...ended,
    lastSeenAt: event.at,
    // Baton itself answers the question about a command that runs in the sandbox: no dialog is open.
    lastEvent:
      event.type === 'PermissionAsked' && event.sandbox
        ? 'ToolRequested'
        : known && BESIDE_THE_TURN.has(event.type)
          ? known.lastEvent
          : event.type,
    events: began.events + 1,
  }
}

/** These say nothing about what the session itself is doing. */
const BESIDE_THE_TURN: ReadonlySet<AgentEvent['type']> = new Set([
  'SettingsChanged',
  'TaskCompleted',
  'TeammateIdle',
])

/** Hooks of one session run in parallel, so other events may arrive after its end and must not revive it. */
const revives = ({ type }: AgentEvent): boolean =>
  type === 'SessionStarted' ||
  type === 'PromptSubmitted' ||
  type === 'ToolRequested' ||
  type === 'PermissionAsked'

/** A status line runs in its own shell, whose pid is not the agent's. */
function processOf(
  known: Session | undefined,
  { type }: AgentEvent,
  { pid }: { pid?: number | undefined },
): Pick<Session, 'pid' | 'ownPid'> {
  if (pid === undefined || type === 'ContextMeasured')
    return { ...pick('pid', known?.pid), ...pick('ownPid', known?.ownPid) }
  return { pid, ...(known?.pid === pid ? { ownPid: true } : {}) }
}

/** Resumed by a process that reports no terminal on this machine: another program may use the old terminal by now. */
const hasLeft = (
  known: Session | undefined,
  { type }: AgentEvent,
  { pid }: { pid?: number | undefined },
): boolean =>
  type === 'SessionStarted' &&
  pid !== undefined &&
  pid !== known?.pid &&
  known?.pane?.startsWith('%') === true

const pick = <K extends string, V>(key: K, value: V | undefined): { [P in K]?: V } =>
  (value === undefined ? {} : { [key]: value }) as { [P in K]?: V }
