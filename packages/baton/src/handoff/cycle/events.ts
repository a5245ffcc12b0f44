import type { Cycle, CycleEntry, Essentials } from '@batonpass/contract/cycle'
import type { EventId, SessionId } from '@batonpass/contract/ids'
import type { TypeResult } from '../../ports/driver.ts'

/** Events of a cycle. Times are milliseconds that passed while a daemon ran, so a clock change has no effect. */
export type CycleEvent =
  /** A good moment to start: at a stop the hook asks for the document, else Baton types the prompt; `force` interrupts the turn first. */
  | { type: 'moment'; by: 'stop' | 'idle' | 'force' }
  /** The outcome of the last prompt that Baton typed. */
  | { type: 'typed'; outcome: TypeResult }
  | { type: 'cleared'; outcome: TypeResult }
  /** The agent has started to work on the prompt. */
  | { type: 'begun' }
  /** A person typed something else. */
  | { type: 'interfered' }
  | { type: 'written'; document: string; writtenBy: 'agent' | 'baton'; essentials: Essentials }
  | { type: 'unwritten'; why: string }
  | { type: 'successor'; session: SessionId; nativeSession: string }
  /** The conversation at the place could not be resumed, so Baton started a new one there. */
  | { type: 'replaced'; session: SessionId; nativeSession: string }
  | { type: 'answered'; wrong: readonly string[]; by: EventId }
  /** The old session ended, or its terminal is gone. */
  | { type: 'lost'; why: string }
  | { type: 'time'; ms: number }
  | { type: 'decided'; yes: boolean }
  | { type: 'cancel'; why: string; again?: boolean }
  /** A new daemon resumes the cycle. `cut`: the old daemon hosted the agent, so the agent's turn ended with it. */
  | { type: 'restart'; cut?: boolean }

/** What has to be done. Every effect may be performed twice without harm. */
export type CycleEffect =
  | { do: 'ask-document'; interrupt: boolean }
  | { do: 'write-document' }
  | { do: 'clear' }
  | { do: 'carry-over' }
  | { do: 'resume' }
  | { do: 'ask-again'; wrong: readonly string[] }
  | { do: 'continue'; typed: boolean }
  | { do: 'ask-person' }
  /** The next session in the project gets the document, at any place. */
  | { do: 'release-document' }
  | { do: 'drop-request' }
  | { do: 'journal'; what: CycleEntry['what']; reason?: string }

export interface Limits {
  documentMs: number
  answerMs: number
}

export interface CycleChange {
  cycle: Cycle
  effects: CycleEffect[]
}
