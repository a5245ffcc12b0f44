import type { HookPoint } from '../../../ports/agent.ts'

/** The events of Claude Code that Baton hooks. Events without a matcher are hooked for everything they match. */
export const hooks: readonly HookPoint[] = [
  { event: 'SessionStart' },
  { event: 'UserPromptSubmit' },
  { event: 'PreToolUse', waits: true, matcher: '*' },
  { event: 'PermissionRequest', waits: true, matcher: '*' },
  // A tool server asks the person to fill in a form.
  { event: 'Elicitation', waits: true },
  // Auto mode refused a call without asking.
  { event: 'PermissionDenied', matcher: '*' },
  { event: 'PostToolUse', matcher: '*' },
  { event: 'PostToolUseFailure', matcher: '*' },
  // A supervisor may write the next prompt meanwhile.
  { event: 'Stop', seconds: 100, isStop: true },
  { event: 'StopFailure' },
  { event: 'Notification' },
  { event: 'PreCompact' },
  { event: 'PostCompact' },
  // Someone may remove Baton's hooks while a session runs.
  { event: 'ConfigChange' },
  { event: 'TaskCompleted' },
  { event: 'TeammateIdle' },
  { event: 'SubagentStart' },
  { event: 'SubagentStop' },
  { event: 'SessionEnd', seconds: 5 },
]
