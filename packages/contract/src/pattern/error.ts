/** A regular expression that Baton does not support. */
export class PatternError extends Error {
  /** What is wrong, without the pattern itself. Completes "the pattern …". */
  readonly problem: string

  constructor(source: string, problem: string) {
    super(
      `the pattern ${JSON.stringify(source)} ${problem}; rewrite it, or use a rule with program and flags`,
    )
    this.name = 'PatternError'
    this.problem = problem
  }
}
