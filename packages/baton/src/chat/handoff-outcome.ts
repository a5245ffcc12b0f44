import type { BatonError } from '@batonpass/contract/errors'
import type { Written } from '../handoff/write/hosted-writer.ts'

/** How a handoff ended. In every case but the first the old session is open, as it was. */
export type HandoffOutcome =
  | ({ kind: 'switched'; session: string; parentSession: string } & Written)
  | { kind: 'cancelled' }
  /** The turn ended without a word. */
  | { kind: 'empty' }
  | { kind: 'refused' }
  | { kind: 'failed'; error: BatonError }
