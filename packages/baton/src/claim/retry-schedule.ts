import type { ClaimTrouble } from '@batonpass/contract/claim'
import { BatonError } from '@batonpass/contract/errors'
import { ForgeError } from '../ports/forge.ts'
import type { ClaimRecord } from './record.ts'

const FIRST_MS = 15_000
const MAX_PAUSE_MS = 15 * 60_000
/** How often to retry after a failure that a person has to fix. */
const NEEDS_PERSON_MS = 10 * 60_000

/** What to store about a failure: the error, since when it lasts, and when to retry. */
export function retrySchedule(
  error: unknown,
  record: Pick<ClaimRecord, 'trouble' | 'tries'>,
  now: number,
): { trouble: ClaimTrouble; tries: number; notBefore: number } {
  const known = error instanceof BatonError ? error : undefined
  const tries = record.tries + 1
  const passing = isPassing(error)
  const backoff = Math.min(FIRST_MS * 2 ** Math.min(tries - 1, 10), MAX_PAUSE_MS)
  const asked = error instanceof ForgeError ? error.retryAt : undefined
  const notBefore = asked !== undefined && asked > now ? asked : now + (passing ? backoff : NEEDS_PERSON_MS)
  const code = known?.code ?? 'internal'
  const message = known ? known.message : 'An internal error occurred; see `baton logs --kind fault`'
  const since = record.trouble?.code === code ? record.trouble.since : new Date(now).toISOString()
  const trouble = {
    code,
    message: message.slice(0, 500),
    ...(known?.remedy ? { remedy: known.remedy.slice(0, 300) } : {}),
    since,
    retryAt: new Date(notBefore).toISOString(),
  }
  return { trouble, tries, notBefore }
}

/** Whether the failure is temporary and may end without a person's help. */
export function isPassing(error: unknown): boolean {
  if (error instanceof ForgeError) return error.passing
  if (!(error instanceof BatonError)) return false
  if (error.code === 'git_failed') return /cannot be reached|took too long/.test(error.message)
  return error.code === 'database_failed' || error.code === 'timed_out' || error.code === 'daemon_busy'
}
