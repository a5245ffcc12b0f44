import type { Store } from '../ports/store.ts'

/** `journal.retain`: an entry is deleted when it is older than `days`, or when the journal is larger than `bytes`. */
export interface Retention {
  days: number
  bytes: number
}

/** The limits for a prune at a given moment. Zero means no limit. */
export function pruneLimits(retention: Retention, now: number): Parameters<Store['prune']>[0] {
  const { days, bytes } = retention
  return {
    ...(days > 0 ? { olderThan: new Date(now - days * 86_400_000).toISOString() } : {}),
    ...(bytes > 0 ? { maxBytes: bytes } : {}),
  }
}
