import type { PermissionMode } from '@batonpass/contract/event'

/** Claude Code's `permission_mode` in our words. */
export const modes: Readonly<Record<string, PermissionMode>> = {
  default: 'default',
  acceptEdits: 'accept-edits',
  plan: 'plan',
  auto: 'auto',
  dontAsk: 'never-ask',
  bypassPermissions: 'bypass',
}

/**
 * Modes that need an allow in addition to a replaced command: without one, `auto` shows the replacement to its classifier and
 * `dontAsk` refuses it. In the other modes the dialog's own hook allows exactly the replacement, and `bypass` asks no one.
 */
export const REPLACED_WITH_ALLOW: readonly PermissionMode[] = ['auto', 'never-ask']
