import type { VariableAssignment } from '../shell/simple-command.ts'
import type { UnknownCode } from '../shell/unknown.ts'
import type { Word } from '../shell/word.ts'

/** Where the commands that a program starts are reported. */
export interface NestedSink {
  /** `moved`: it runs in another folder, which is not followed. */
  words(words: readonly Word[], assignments: VariableAssignment[], elsewhere: boolean, moved?: boolean): void
  source(text: string, elsewhere: boolean): void
  /** What the program reads from standard input is such a text, as far as it is known. */
  sourceOfInput(): void
  unknown(code: UnknownCode, reason: string): void
}
