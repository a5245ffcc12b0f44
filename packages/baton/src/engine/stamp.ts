import type { AgentEvent } from '@batonpass/contract/event'
import type { Envelope } from '@batonpass/contract/hook'
import { EntryId, EventId } from '@batonpass/contract/ids'
import type { EntryBody, NewEntry } from '@batonpass/contract/journal'
import type { DecodedEvent } from '../ports/agent.ts'
import type { Clock } from '../ports/clock.ts'
import type { Ids } from '../ports/ids.ts'
import { sessionId } from '../session/id.ts'

/** Adds Baton's id, time and session id to a decoded event. */
export function stamp(decoded: DecodedEvent, envelope: Envelope, now: number, ids: Ids): AgentEvent {
  return {
    ...decoded,
    id: EventId.parse(`evt_${ids.id(20)}`),
    at: new Date(now).toISOString(),
    agent: envelope.agent,
    session: sessionId(envelope.agent, decoded.nativeSession),
  }
}

/** Builds a journal entry about an event. */
export function entryOf(
  { ids, clock }: { ids: Ids; clock: Clock },
  event: AgentEvent,
  project: string | undefined,
  body: EntryBody,
): NewEntry {
  return {
    id: EntryId.parse(`ent_${ids.id(20)}`),
    at: body.kind === 'event' ? event.at : new Date(clock.now()).toISOString(),
    agent: event.agent,
    session: event.session,
    nativeSession: event.nativeSession,
    ...(event.promptId ? { promptId: event.promptId } : {}),
    ...('toolUseId' in event && event.toolUseId ? { toolUseId: event.toolUseId } : {}),
    ...(project ? { project } : {}),
    body,
  }
}
