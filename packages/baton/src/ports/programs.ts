/** Other people's programs, run to their end. Argument lists only: no shell ever sees them. */
export interface Programs {
  /** Resolves however the program ends, and only when nothing of its process group is left; rejects when it cannot be started. */
  run(call: ProgramCall, signal: AbortSignal): Promise<ProgramEnd>
}

export interface ProgramCall {
  /** An absolute path, or a name that is looked up in the PATH of `env`. */
  program: string
  args: readonly string[]
  cwd: string
  /** The whole environment: nothing is inherited. */
  env: Readonly<Record<string, string>>
  /** Given on standard input, which is then closed. */
  input: string
  withinMs: number
}

export interface ProgramEnd {
  /** Why it ended: by itself, or because it was made to. */
  why: 'itself' | 'timed-out' | 'aborted' | 'too-much-output'
  /** Undefined when a signal ended it. */
  code: number | undefined
  stdout: string
  /** The last part of it, for error messages. */
  stderr: string
}

/** What a program may print before it is ended. */
export const MAX_PROGRAM_OUTPUT = 4 * 1024 * 1024
