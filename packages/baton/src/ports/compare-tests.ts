/** One changed file before and after the work; undefined where it does not exist. */
export interface FileChange {
  path: string
  before: string | undefined
  after: string | undefined
}

/** What the work changed, as far as it may weaken tests. */
export interface ChangedTexts {
  changes: readonly FileChange[]
  /** All folders that had files before the work, each with a slash at its end. Undefined if no one needs to know. */
  folders?: readonly string[] | undefined
}

/**
 * Says how the work made the tests weaker, one sentence each. The text is hostile and may take long to read: outside of tests, a
 * process of its own compares it, and a comparison that did not end is a finding.
 */
export type CompareTests = (texts: ChangedTexts, signal: AbortSignal) => Promise<string[]>
