import type { Cycle, CycleEntry, Essentials } from '@batonpass/contract/cycle'
import type { EventId, SessionId } from '@batonpass/contract/ids'
import type { Typed } from '../../ports/driver.ts'

/** What a cycle hears. Times are counted in milliseconds that passed while a daemon ran: a clock that jumps changes nothing. */
export type CycleEvent =
  /** A good moment: at a stop the agent is asked by its hook, else by typing; `force` interrupts its turn first. */
  | { type: 'moment'; by: 'stop' | 'idle' | 'force' }
  /** What came of the last thing that was typed. */
  | { type: 'typed'; outcome: Typed }
  | { type: 'cleared'; outcome: Typed }
  /** The agent has begun with what was asked of it. */
  | { type: 'begun' }
  /** A person typed something else. */
  | { type: 'interfered' }
  | { type: 'written'; document: string; writtenBy: 'agent' | 'baton'; essentials: Essentials }
  | { type: 'unwritten'; why: string }
  | { type: 'successor'; session: SessionId; nativeSession: string }
  /** The conversation at the place could not be gone back to; Baton began a fresh one there. */
  | { type: 'replaced'; session: SessionId; nativeSession: string }
  | { type: 'answered'; wrong: readonly string[]; by: EventId }
  /** The old session ended, or there is nothing at the place any more. */
  | { type: 'lost'; why: string }
  | { type: 'time'; ms: number }
  | { type: 'decided'; yes: boolean }
  | { type: 'cancel'; why: string; again?: boolean }
  /** A new daemon takes it up. `cut`: the agent lived in the old one, so that a turn of it ended with that. */
  | { type: 'restart'; cut?: boolean }

/** What is to be done. Everything may be done twice without harm. */
export type CycleEffect =
  | { do: 'ask-document'; interrupt: boolean }
  | { do: 'write-document' }
  | { do: 'clear' }
  | { do: 'carry-over' }
  | { do: 'resume' }
  | { do: 'ask-again'; wrong: readonly string[] }
  | { do: 'go-on'; typed: boolean }
  | { do: 'ask-person' }
  /** The document waits for whoever begins in the project next, not only at this place. */
  | { do: 'release-document' }
  | { do: 'drop-request' }
  | { do: 'tell'; what: CycleEntry['what']; reason?: string }

export interface Limits {
  documentMs: number
  answerMs: number
}

export interface CycleChange {
  cycle: Cycle
  effects: CycleEffect[]
}
