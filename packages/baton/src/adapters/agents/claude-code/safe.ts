import type { PermissionMode } from '@batonpass/contract/event'
import type { Reaction } from '@batonpass/contract/reaction'

/** What to answer when no daemon can be asked: nothing runs unseen, and nobody is kept from working. */
export function safe(nativeEvent: string, mode: PermissionMode | undefined): Reaction {
  // A stop stays a stop, and a permission dialog is already a person being asked.
  if (nativeEvent !== 'PreToolUse') return {}
  if (mode === undefined || askIsSeen[mode]) return { permission: { decision: 'ask', reason: ASK } }
  return { permission: { decision: 'deny', reason: DENY } }
}

/** Whether a hook's `ask` brings a person in. */
const askIsSeen: Record<PermissionMode, boolean> = {
  default: true,
  'accept-edits': true,
  plan: true,
  auto: true,
  'never-ask': false,
  bypass: false,
}

const ASK = 'Baton could not be asked about this call, so you decide. `baton doctor` says what is wrong.'
const DENY =
  'Baton could not be asked about this call, and this permission mode shows no question to a person, so it is refused. `baton doctor` says what is wrong.'
