import { FILE_CHECKS } from './files.ts'
import { FLAG_CHECKS } from './flags.ts'
import { GIT_CHECKS } from './git.ts'
import { NETWORK_CHECKS } from './network.ts'
import { SQL_CHECKS } from './sql.ts'
import { SYSTEM_CHECKS } from './system.ts'
import type { Check } from './use.ts'

/** What the tables refer to by name. */
export const CHECKS: Readonly<Record<string, Check>> = {
  ...FLAG_CHECKS,
  ...FILE_CHECKS,
  ...GIT_CHECKS,
  ...NETWORK_CHECKS,
  ...SQL_CHECKS,
  ...SYSTEM_CHECKS,
}
