import { z } from 'zod'
import { NATIVE_ID } from './native-id.ts'

/** The prefix says what an id names in a log line; the brand keeps one kind of id from being passed as another. */
const prefixed = <const P extends string>(prefix: P) =>
  z
    .string()
    .regex(new RegExp(`^${prefix}_[0-9a-z]{16,26}$`))
    .brand<P>()

export const SessionId = prefixed('ses')
export type SessionId = z.infer<typeof SessionId>

export const EventId = prefixed('evt')
export type EventId = z.infer<typeof EventId>

export const EntryId = prefixed('ent')
export type EntryId = z.infer<typeof EntryId>

export const AskId = prefixed('ask')
export type AskId = z.infer<typeof AskId>

export const ClaimId = prefixed('clm')
export type ClaimId = z.infer<typeof ClaimId>

export const CycleId = prefixed('cyc')
export type CycleId = z.infer<typeof CycleId>

export const SpawnId = prefixed('spn')
export type SpawnId = z.infer<typeof SpawnId>

/** An agent's own id for a session, prompt or tool call. */
export const NativeId = z.string().regex(NATIVE_ID)
