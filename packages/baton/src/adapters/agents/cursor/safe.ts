import type { Reaction } from '@batonpass/contract/reaction'

/** What to answer when no daemon can be asked. A hook's `ask` reaches no one in Cursor, so what would run is refused. */
export function safe(nativeEvent: string): Reaction {
  return RUNS_SOMETHING.has(nativeEvent) ? { permission: { decision: 'deny', reason: DENY } } : {}
}

const RUNS_SOMETHING = new Set(['beforeShellExecution', 'beforeMCPExecution', 'beforeReadFile', 'preToolUse'])

const DENY =
  'Baton could not be asked about this call, and Cursor cannot ask a person from a hook, so it is refused. `baton doctor` says what is wrong.'
