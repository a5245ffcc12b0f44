import type { Reaction } from '@batonpass/contract/reaction'
import type { DecodedEvent } from './agent.ts'

/** Takes what a hosted agent does, in our words, and says how to react. Aborted when nobody waits for the answer any more. */
export type ReactTo = (event: DecodedEvent, signal: AbortSignal) => Promise<Reaction>
