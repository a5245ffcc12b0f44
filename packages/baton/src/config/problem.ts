import type { ErrorCode } from '@batonpass/contract/errors'

/** Where in a file something stands; both count from 1. */
export interface Position {
  line: number
  column: number
}

/** One thing that is wrong with the configuration. Its words never hold a value, so they never hold a secret. */
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

/** Something a person should know that stops nothing. */
export type ConfigNotice = ConfigProblem

/** `file:line:column: what is wrong. What to do.` */
export function problemLine(problem: ConfigProblem): string {
  const place = [problem.file, problem.line, problem.column].filter(part => part !== undefined).join(':')
  const remedy = problem.remedy ? ` ${problem.remedy}` : ''
  return printable(`${place}: ${problem.message}.${remedy}`)
}

/** For sorting what was found in one file; what has no position comes last. */
export const byPosition = (a: Partial<Position>, b: Partial<Position>): number =>
  (a.line ?? Number.POSITIVE_INFINITY) - (b.line ?? Number.POSITIVE_INFINITY) ||
  (a.column ?? 0) - (b.column ?? 0)

/** Text from a file, safe to print: a repository must not steer the terminal or reorder what is read. */
export const printable = (text: string): string =>
  text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, character => {
    const code = character.codePointAt(0) ?? 0
    return code <= 0xff ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u{${code.toString(16)}}`
  })
