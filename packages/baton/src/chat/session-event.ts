import type { BatonError } from '@batonpass/contract/errors'
import type { WrittenHandoff } from '../handoff/write/hosted-writer.ts'
import type { BackendEvent, TurnEnd } from '../ports/backend.ts'
import type { SessionMessage } from './session-file/entries.ts'

/** Events for a program that displays a hosted conversation. */
export type SessionEvent =
  | { type: 'agent_start' }
  | { type: 'heard'; heard: BackendEvent }
  | { type: 'message_end'; message: SessionMessage }
  | { type: 'agent_end'; end: TurnEnd | 'failed' }
  | { type: 'handoff'; step: 'asked' | 'checking' | 'asked-again' | 'switching' }
  /** Another session is now open. */
  | { type: 'session'; id: string; why: 'new' | 'resume' | 'fork' | 'handoff'; parent?: string }

/** How a handoff ended. In every case but the first the old session stays open, unchanged. */
export type HandoffOutcome =
  | ({ kind: 'switched'; session: string; parentSession: string } & WrittenHandoff)
  | { kind: 'cancelled' }
  /** The turn ended without a reply. */
  | { kind: 'empty' }
  | { kind: 'refused' }
  | { kind: 'failed'; error: BatonError }
