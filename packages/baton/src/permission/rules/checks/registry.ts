import type { Parsed } from '../../analysis/options.ts'
import type { SimpleCommand } from '../../analysis/simple-command.ts'
import type { Word } from '../../analysis/word.ts'
import type { Assessment } from '../assess.ts'
import { FILE_CHECKS } from './files.ts'
import { FLAG_CHECKS } from './flags.ts'
import { GIT_CHECKS } from './git.ts'
import { NETWORK_CHECKS } from './network.ts'
import { SQL_CHECKS } from './sql.ts'
import { SYSTEM_CHECKS } from './system.ts'

/** One use of a program, for what a flag table cannot say. */
export interface Use {
  readonly args: readonly Word[]
  readonly parsed: Parsed
  readonly result: Assessment
  readonly command: SimpleCommand
}

export type Check = (use: Use) => void

export const CHECKS: Readonly<Record<string, Check>> = {
  ...FLAG_CHECKS,
  ...FILE_CHECKS,
  ...GIT_CHECKS,
  ...NETWORK_CHECKS,
  ...SQL_CHECKS,
  ...SYSTEM_CHECKS,
}
