import type { Ask } from '@batonpass/contract/ask'

/** Where asks are kept. A write has survived `kill -9` when its promise resolves. */
export interface AskStore {
  add(ask: Ask): Promise<void>
  /**
   * Writes an ask that is no longer open, and what it allows for the rest of its session, both or neither.
   * False: it was settled before, and stays as it was.
   */
  settle(
    ask: Ask,
    allowed: { session: string | undefined; fingerprint: string } | undefined,
  ): Promise<boolean>
  open(): Promise<Ask[]>
  /** The newest one with this key and fingerprint. */
  byKey(key: string, fingerprint: string): Promise<Ask | undefined>
  /** By its id or an unambiguous start of it. */
  find(idOrPrefix: string): Promise<Ask | undefined>
  /** Newest first, settled ones too. */
  recent(limit: number): Promise<Ask[]>
  /** Whether a person allowed exactly this for the rest of its session. */
  allowed(fingerprint: string): Promise<boolean>
  /** Removes settled asks from before that time, or all that a session left. */
  forget(which: { before: string } | { session: string }): Promise<number>
  /** What a channel keeps for itself over a restart. */
  memory(channel: string): ChannelMemory
}

export interface ChannelMemory {
  get(key: string): Promise<string | undefined>
  set(key: string, value: string): Promise<void>
  delete(key: string): Promise<void>
  /** All whose key starts so. */
  list(prefix: string): Promise<{ key: string; value: string }[]>
}
