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
