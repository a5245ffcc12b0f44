/** What is known of one running process. */
export interface ProcessFacts {
  pid: number
  /** Its command line, word by word where the system tells, and the program file behind it. */
  words: readonly string[]
  program: string | undefined
  /** Has a controlling terminal. */
  terminal: boolean
  /** Names of its environment variables, where they can be read. */
  environment: readonly string[]
}

/** Who started whom. */
export interface Ancestry {
  /** The process and its ancestors, nearest first; undefined when the walk did not reach the first process. */
  of(pid: number): Promise<ProcessFacts[] | undefined>
  /** Whether that process has the file open: proof that it is the one who speaks. Undefined where the system does not tell. */
  holds(pid: number, file: string): Promise<boolean | undefined>
}
