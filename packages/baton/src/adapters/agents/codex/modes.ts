import type { PermissionMode } from '@batonpass/contract/event'

/** Codex's `permission_mode` in our words: it borrows Claude Code's names. */
export const modes: Readonly<Record<string, PermissionMode>> = {
  default: 'default',
  acceptEdits: 'accept-edits',
  plan: 'plan',
  dontAsk: 'never-ask',
  bypassPermissions: 'bypass',
}
