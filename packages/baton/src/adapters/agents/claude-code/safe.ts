import type { PermissionMode } from '@batonpass/contract/event'
import type { Reaction } from '@batonpass/contract/reaction'

/** What to answer when no daemon can be asked: nothing runs unseen, and no one is kept from working. */
export function safe(nativeEvent: string, mode: PermissionMode | undefined): Reaction {
  // A stop stays a stop, and a permission dialog is already a person being asked.
  if (nativeEvent !== 'PreToolUse') return {}
  if (mode === undefined || asksPeople[mode]) return { permission: { decision: 'ask', reason: ASK } }
  return { permission: { decision: 'deny', reason: DENY } }
}

/**
 * Whether a person is expected to answer. The version we measured shows the dialog in every mode, others have
 * let an `ask` pass; and where a person chose not to be asked, a dialog would keep the work waiting for no one.
 */
const asksPeople: Record<PermissionMode, boolean> = {
  default: true,
  'accept-edits': true,
  plan: true,
  auto: true,
  'never-ask': false,
  bypass: false,
}

const ASK = 'Baton could not be asked about this call, so you decide. `baton doctor` says what is wrong.'
const DENY =
  'Baton could not be asked about this call, and in this permission mode no person is either, so it is refused. `baton doctor` says what is wrong.'
