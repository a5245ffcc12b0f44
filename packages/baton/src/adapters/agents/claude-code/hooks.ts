import type { HookPoint } from '../../../ports/agent.ts'

/** The events of Claude Code that Baton hooks. Events without a matcher are hooked for everything they match. */
export const hooks: readonly HookPoint[] = [
  { event: 'SessionStart', role: 'decide' },
  { event: 'UserPromptSubmit', role: 'decide' },
  { event: 'PreToolUse', role: 'decide', waits: true, matcher: '*' },
  { event: 'PermissionRequest', role: 'decide', waits: true, matcher: '*' },
  { event: 'PostToolUse', role: 'observe', matcher: '*' },
  { event: 'PostToolUseFailure', role: 'observe', matcher: '*' },
  // A supervisor may write the next prompt meanwhile.
  { event: 'Stop', role: 'decide', seconds: 100 },
  { event: 'StopFailure', role: 'observe' },
  { event: 'Notification', role: 'observe' },
  { event: 'PreCompact', role: 'decide' },
  { event: 'PostCompact', role: 'observe' },
  { event: 'SubagentStart', role: 'observe' },
  { event: 'SubagentStop', role: 'observe' },
  { event: 'SessionEnd', role: 'observe', seconds: 5 },
]
