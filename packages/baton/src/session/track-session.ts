import type { AgentEvent } from '@batonpass/contract/event'
import type { SessionId } from '@batonpass/contract/ids'
import type { Session } from '@batonpass/contract/session'
import { contextAfter, type Zones } from './context/context-usage.ts'
import { isPresumed } from './watch/lost-sessions.ts'

/** What is known about a session after one more event. Pure: the caller stores the result. */
export function trackSession(
  known: Session | undefined,
  event: AgentEvent,
  seen: {
    project: string | undefined
    pane?: string | undefined
    pid?: number | undefined
    /** The session that was left for this one. */
    parent?: SessionId | undefined
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
  // A session that was resumed after its end lives again.
  const { endedAt, endReason, pane: _pane, ownPid: _own, ...living }: Partial<Session> & typeof began = began
  const ended = event.type === 'SessionEnded' ? { endedAt: event.at, endReason: event.reason } : {}
  return {
    ...living,
    ...pick('cwd', known?.cwd ?? event.cwd),
    // Pinned when the session began: a later `cd` of the agent does not move its state.
    ...pick('project', known?.project ?? seen.project),
    ...pick('transcript', event.transcript ?? known?.transcript),
    ...pick('mode', event.mode ?? known?.mode),
    ...pick('pane', seen.pane ?? (hasLeft(known, event, seen) ? undefined : known?.pane)),
    ...processOf(known, event, seen),
    ...pick('parent', known?.parent ?? seen.parent),
    ...pick('context', contextAfter(known?.context, event, zones)),
    ...(!revives(event) && endedAt && !isPresumed(endReason)
      ? { endedAt, ...pick('endReason', endReason) }
      : {}),
    ...ended,
    lastSeenAt: event.at,
    lastEvent: event.type,
    events: began.events + 1,
  }
}

/** Hooks of one session run in parallel: anything else may arrive after its end and wakes nothing. */
const revives = ({ type }: AgentEvent): boolean =>
  type === 'SessionStarted' ||
  type === 'PromptSubmitted' ||
  type === 'ToolRequested' ||
  type === 'PermissionAsked'

/** A status line is run by a shell of its own, whose number says nothing about the agent. */
function processOf(
  known: Session | undefined,
  { type }: AgentEvent,
  { pid }: { pid?: number | undefined },
): Pick<Session, 'pid' | 'ownPid'> {
  if (pid === undefined || type === 'ContextMeasured')
    return { ...pick('pid', known?.pid), ...pick('ownPid', known?.ownPid) }
  return { pid, ...(known?.pid === pid ? { ownPid: true } : {}) }
}

/** Resumed by a process that names no terminal of ours: at the old place somebody else may be by now. */
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
