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
  { event: 'stop', role: 'decide' },
  { event: 'sessionEnd', role: 'observe' },
]
