import type { HookPoint } from '../../../ports/agent.ts'

/** The events of Copilot CLI that Baton hooks. */
export const hooks: readonly HookPoint[] = [
  { event: 'sessionStart' },
  { event: 'userPromptSubmitted' },
  { event: 'preToolUse', waits: true },
  { event: 'permissionRequest', waits: true },
  { event: 'postToolUse' },
  { event: 'postToolUseFailure' },
  // A supervisor may write the next prompt meanwhile.
  { event: 'agentStop', seconds: 100, isStop: true },
  { event: 'subagentStart' },
  { event: 'subagentStop' },
  { event: 'preCompact' },
  { event: 'errorOccurred' },
  { event: 'sessionEnd', seconds: 5 },
]
