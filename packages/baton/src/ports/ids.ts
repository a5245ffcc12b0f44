/** The only source of chance: ids, tokens, jitter. */
export interface Ids {
  /** `length` characters out of [0-9a-z]. */
  id(length: number): string
}
