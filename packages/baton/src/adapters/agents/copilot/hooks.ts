import type { HookPoint } from '../../../ports/agent.ts'

/** The events of Copilot CLI that Baton hooks. */
export const hooks: readonly HookPoint[] = [
  { event: 'sessionStart', role: 'decide' },
  { event: 'userPromptSubmitted', role: 'decide' },
  { event: 'preToolUse', role: 'decide', waits: true },
  { event: 'permissionRequest', role: 'decide', waits: true },
  { event: 'postToolUse', role: 'observe' },
  { event: 'postToolUseFailure', role: 'observe' },
  // A supervisor may write the next prompt meanwhile.
  { event: 'agentStop', role: 'decide', seconds: 100 },
  { event: 'subagentStart', role: 'observe' },
  { event: 'subagentStop', role: 'observe' },
  { event: 'preCompact', role: 'observe' },
  { event: 'errorOccurred', role: 'observe' },
  { event: 'sessionEnd', role: 'observe', seconds: 5 },
]
