import type { Heard, TurnEnd } from '../ports/backend.ts'
import type { SessionMessage } from './session-file/entries.ts'

/** What whoever shows a hosted conversation is told. */
export type SessionEvent =
  | { type: 'agent_start' }
  | { type: 'heard'; heard: Heard }
  | { type: 'message_end'; message: SessionMessage }
  | { type: 'agent_end'; end: TurnEnd | 'failed' }
  | { type: 'handoff'; step: 'asked' | 'checking' | 'asked-again' | 'switching' }
  /** Another session is open now. */
  | { type: 'session'; id: string; why: 'new' | 'resume' | 'fork' | 'handoff'; parent?: string }
