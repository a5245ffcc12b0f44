import type { Redirection, VariableAssignment } from './simple-command.ts'
import type { UnknownCode } from './unknown.ts'
import type { Word } from './word.ts'

/** Where the commands that a program starts are reported. */
export interface NestedSink {
  /** `moved`: it runs in another folder, which is not followed. */
  words(words: readonly Word[], assignments: VariableAssignment[], elsewhere: boolean, moved?: boolean): void
  source(text: string, elsewhere: boolean): void
  unknown(code: UnknownCode, reason: string): void
  readonly redirections: readonly Redirection[]
  readonly piped: boolean
}
