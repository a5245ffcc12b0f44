import type { HookPoint } from '../../../ports/agent.ts'

/** The events of Codex that Baton hooks: Claude Code's names and layout. */
export const hooks: readonly HookPoint[] = [
  { event: 'SessionStart' },
  { event: 'UserPromptSubmit' },
  { event: 'PreToolUse', waits: true },
  { event: 'PermissionRequest', waits: true },
  { event: 'PostToolUse' },
  // A supervisor may write the next prompt meanwhile.
  { event: 'Stop', seconds: 100, isStop: true },
  { event: 'PreCompact' },
  { event: 'PostCompact' },
  { event: 'SubagentStart' },
  { event: 'SubagentStop' },
  // Codex gives this one no more.
  { event: 'SessionEnd', seconds: 3 },
]
