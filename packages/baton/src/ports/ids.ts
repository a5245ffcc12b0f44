/** The only source of randomness: ids, tokens, jitter. */
export interface Ids {
  /** `length` random characters from [0-9a-z]. */
  id(length: number): string
}
