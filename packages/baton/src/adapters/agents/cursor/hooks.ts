import type { HookPoint } from '../../../ports/agent.ts'

/** The events of Cursor that Baton hooks. Shell and MCP calls are hooked twice and counted once: see decode. */
export const hooks: readonly HookPoint[] = [
  { event: 'sessionStart', role: 'decide' },
  { event: 'beforeSubmitPrompt', role: 'decide' },
  { event: 'beforeShellExecution', role: 'decide', waits: true },
  { event: 'beforeMCPExecution', role: 'decide', waits: true },
  { event: 'preToolUse', role: 'decide', waits: true },
  { event: 'postToolUse', role: 'observe' },
  { event: 'postToolUseFailure', role: 'observe' },
  { event: 'preCompact', role: 'observe' },
  { event: 'subagentStart', role: 'observe' },
  { event: 'subagentStop', role: 'observe' },
  // A supervisor may write the next prompt meanwhile.
  { event: 'stop', role: 'decide', seconds: 100 },
  { event: 'sessionEnd', role: 'observe' },
]
