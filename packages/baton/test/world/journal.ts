import type { AgentEvent } from '@batonpass/contract/event'
import type { EntryId, EventId, SessionId } from '@batonpass/contract/ids'
import type { NewEntry } from '@batonpass/contract/journal'
import type { Session } from '@batonpass/contract/session'

const numbered = (prefix: string, n: number) => `${prefix}_${String(n).padStart(20, '0')}`
export const sessionId = (n: number) => numbered('ses', n) as SessionId
export const eventId = (n: number) => numbered('evt', n) as EventId
export const entryId = (n: number) => numbered('ent', n) as EntryId

/** The moment `seconds` after the beginning of 2026. */
export const at = (seconds = 0) => new Date(Date.UTC(2026, 0, 1) + seconds * 1000).toISOString()

let last = 0

export function aPrompt(prompt: string, session = sessionId(1), when = at()): AgentEvent {
  const common = { id: eventId(++last), at: when, agent: 'claude-code' as const, session }
  return { ...common, nativeSession: nativeOf(session), type: 'PromptSubmitted', prompt }
}

/** An entry of a prompt that says `text`, unless a part says otherwise. */
export function anEntry(text: string, parts: Partial<NewEntry> = {}): NewEntry {
  const session = parts.session ?? sessionId(1)
  const when = parts.at ?? at()
  return {
    id: entryId(++last),
    at: when,
    agent: 'claude-code',
    session,
    nativeSession: nativeOf(session),
    project: '/home/dev/project',
    body: { kind: 'event', source: 'user', event: aPrompt(text, session, when) },
    ...parts,
  }
}

export function aSession(n: number, parts: Partial<Session> = {}): Session {
  return {
    id: sessionId(n),
    agent: 'claude-code',
    nativeSession: nativeOf(sessionId(n)),
    project: '/home/dev/project',
    startedAt: at(),
    lastSeenAt: at(n),
    lastEvent: 'PromptSubmitted',
    events: 1,
    ...parts,
  }
}

export const nativeOf = (session: SessionId) => `native-${Number(session.slice(4))}`
