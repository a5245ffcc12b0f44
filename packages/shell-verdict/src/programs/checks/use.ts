import type { FlagTable, Parsed } from '../../shell/options.ts'
import type { SimpleCommand } from '../../shell/simple-command.ts'
import type { Word } from '../../shell/word.ts'
import type { Assessment } from '../assessment.ts'

/** One use of a program, for what a flag table cannot say. */
export interface Use {
  readonly args: readonly Word[]
  readonly parsed: Parsed
  /** The flags that its table lists. */
  readonly flags: FlagTable
  readonly result: Assessment
  readonly command: SimpleCommand
}

export type Check = (use: Use) => void
