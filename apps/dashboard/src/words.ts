import { AGENTS as KNOWN } from '@batonpass/contract/agents'
import type { Session } from '@batonpass/contract/session'
import type { PsRow } from '@batonpass/contract/watch'
import { visibleText } from './invisible.ts'
import { WATCH_STATES } from './watch.ts'

export type Tone = 'plain' | 'good' | 'wait' | 'bad' | 'info'

/** A journal entry on one line. `tone` chooses its colour. */
export interface Line {
  mark: string
  title: string
  detail: string
  tone: Tone
  /** The detail is a command or a path: shown in a fixed-width font. */
  code?: boolean
  /** Baton's own words after the detail, with commands between backticks. */
  reason?: string
}

export const AGENTS = Object.fromEntries(
  Object.entries(KNOWN).map(([name, { title }]) => [name, title]),
) as Record<Session['agent'], string>

/** An agent that another machine named may be one that this page does not know. */
export const agentTitle = (agent: string): string =>
  (AGENTS as Partial<Record<string, string>>)[agent] ?? visibleText(agent, 40)

/** The last segment of a path. */
export const folderName = (path: string | undefined): string =>
  visibleText(path?.split('/').filter(Boolean).at(-1) ?? 'no project', MAX_NAME_LENGTH)
const MAX_NAME_LENGTH = 80

/** What a session is doing now: from its open questions, else from what the watch sees, else from its last event. */
export function describeState(
  session: Session,
  asks: number,
  nowMs: number,
  row?: PsRow,
): { word: string; tone: Tone } {
  if (session.endedAt) return { word: 'ended', tone: 'plain' }
  if (asks > 0) return { word: 'asks you', tone: 'wait' }
  const seen = row && WATCH_STATES[row.state]
  if (seen) return seen
  const quiet = nowMs - Date.parse(session.lastSeenAt)
  if (quiet > 6 * 3_600_000) return { word: 'silent', tone: 'plain' }
  switch (session.lastEvent) {
    case 'TurnEnded':
    case 'Idle':
    case 'SessionStarted':
      return { word: 'waiting', tone: 'info' }
    case 'TurnFailed':
      return { word: 'failed', tone: 'bad' }
    case 'PermissionAsked':
    case 'FormAsked':
      return { word: 'asks in its terminal', tone: 'wait' }
    default:
      return { word: 'working', tone: 'good' }
  }
}

export const countOf = (count: number, what: string, many = `${what}s`): string =>
  `${count.toLocaleString()} ${count === 1 ? what : many}`
