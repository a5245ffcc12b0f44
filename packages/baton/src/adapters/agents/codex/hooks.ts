import type { HookPoint } from '../../../ports/agent.ts'

/** The events of Codex that Baton hooks: Claude Code's names and layout. */
export const hooks: readonly HookPoint[] = [
  { event: 'SessionStart', role: 'decide' },
  { event: 'UserPromptSubmit', role: 'decide' },
  { event: 'PreToolUse', role: 'decide', waits: true },
  { event: 'PermissionRequest', role: 'decide', waits: true },
  { event: 'PostToolUse', role: 'observe' },
  // A supervisor may write the next prompt meanwhile.
  { event: 'Stop', role: 'decide', seconds: 100 },
  { event: 'PreCompact', role: 'observe' },
  { event: 'PostCompact', role: 'observe' },
  { event: 'SubagentStart', role: 'observe' },
  { event: 'SubagentStop', role: 'observe' },
  // Codex gives this one no more.
  { event: 'SessionEnd', role: 'observe', seconds: 3 },
]
