import type { ErrorCode } from '@batonpass/contract/errors'

/** A position in a file; both numbers start at 1. */
export interface Position {
  line: number
  column: number
}

/** One problem in the configuration. Its texts never quote a value, so they cannot leak a secret. */
export interface ConfigProblem extends Partial<Position> {
  code: Extract<
    ErrorCode,
    'config_invalid' | 'config_unreadable' | 'config_untrusted' | 'config_outside_project'
  >
  /** The file, or the environment variable as `$NAME`. */
  file: string
  key?: string
  message: string
  remedy?: string
}

/** Something that the user should know but that does not block anything. */
export type ConfigNotice = ConfigProblem

/** `file:line:column: what is wrong. What to do.` */
export function problemLine(problem: ConfigProblem): string {
  const place = [problem.file, problem.line, problem.column].filter(part => part !== undefined).join(':')
  const remedy = problem.remedy ? ` ${problem.remedy}` : ''
  return printable(`${place}: ${problem.message}.${remedy}`)
}

/** Sorts problems of one file by position; those without a position come last. */
export const byPosition = (a: Partial<Position>, b: Partial<Position>): number =>
  (a.line ?? Number.POSITIVE_INFINITY) - (b.line ?? Number.POSITIVE_INFINITY) ||
  (a.column ?? 0) - (b.column ?? 0)

/** Makes text from a file safe to print: a repository must not control the terminal or reorder the text. */
export const printable = (text: string): string =>
  text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, character => {
    const code = character.codePointAt(0) ?? 0
    return code <= 0xff ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u{${code.toString(16)}}`
  })
