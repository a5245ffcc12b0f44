import type { Ask } from '@batonpass/contract/ask'

/** Stores asks. Once its promise resolves, a write survives `kill -9`. */
export interface AskStore {
  add(ask: Ask): Promise<void>
  /**
   * Atomically writes a settled ask and what it allows for the rest of its session.
   * False: the ask was already settled and stays unchanged.
   */
  settle(
    ask: Ask,
    allowed: { session: string | undefined; fingerprint: string } | undefined,
  ): Promise<boolean>
  /** Writes an ask that stays open. False: it was settled meanwhile. */
  update(ask: Ask): Promise<boolean>
  open(): Promise<Ask[]>
  /** The newest ask with this key and fingerprint. */
  byKey(key: string, fingerprint: string): Promise<Ask | undefined>
  /** Finds an ask by its id or an unambiguous prefix of it. */
  find(idOrPrefix: string): Promise<Ask | undefined>
  /** Newest first, including settled asks. */
  recent(limit: number): Promise<Ask[]>
  /** Whether a person allowed exactly this call for the rest of its session. */
  allowed(fingerprint: string): Promise<boolean>
  /** Removes settled asks older than that time, or all asks of a session. */
  forget(which: { before: string } | { session: string }): Promise<number>
  /** A channel's private data, kept across restarts. */
  memory(channel: string): ChannelMemory
}

export interface ChannelMemory {
  get(key: string): Promise<string | undefined>
  set(key: string, value: string): Promise<void>
  delete(key: string): Promise<void>
  /** All pairs whose key has this prefix. */
  list(prefix: string): Promise<{ key: string; value: string }[]>
}
