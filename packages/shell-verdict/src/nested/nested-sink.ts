import type { Redirection, VariableAssignment } from '../shell/simple-command.ts'
import type { UnknownCode } from '../shell/unknown.ts'
import type { Word } from '../shell/word.ts'

/** Where the commands that a program starts are reported. */
export interface NestedSink {
  /** `moved`: it runs in another folder, which is not followed. */
  words(words: readonly Word[], assignments: VariableAssignment[], elsewhere: boolean, moved?: boolean): void
  source(text: string, elsewhere: boolean): void
  unknown(code: UnknownCode, reason: string): void
  readonly redirections: readonly Redirection[]
  readonly piped: boolean
}
