/** Runs external programs to their end. Takes argument lists only and never uses a shell. */
export interface Programs {
  /** Resolves when the program and its whole process group have ended, however they ended; rejects if it cannot start. */
  run(call: ProgramCall, signal: AbortSignal): Promise<ProgramEnd>
}

export interface ProgramCall {
  /** An absolute path, or a name to look up in the PATH of `env`. */
  program: string
  args: readonly string[]
  cwd: string
  /** The complete environment. Nothing is inherited. */
  env: Readonly<Record<string, string>>
  /** Written to stdin, which is then closed. */
  input: string
  /** Written after `input`, piece by piece as the program reads them. */
  moreInput?: Iterable<string> | undefined
  withinMs: number
}

export interface ProgramEnd {
  /** Why the program ended: on its own, or because Baton ended it. */
  why: 'itself' | 'timed-out' | 'aborted' | 'too-much-output'
  /** Undefined if a signal ended it. */
  code: number | undefined
  stdout: string
  /** The end of stderr, for error messages. */
  stderr: string
}

/** A program that prints more than this is ended. */
export const MAX_PROGRAM_OUTPUT = 4 * 1024 * 1024
