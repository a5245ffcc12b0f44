/** A regular expression that Baton does not take. */
export class PatternError extends Error {
  /** What is wrong, without the pattern itself: completes «the pattern …». */
  readonly problem: string

  constructor(source: string, problem: string) {
    super(
      `the pattern ${JSON.stringify(source)} ${problem}; write it without that, or as a rule with program and flags`,
    )
    this.name = 'PatternError'
    this.problem = problem
  }
}
