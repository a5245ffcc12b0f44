import type { HookPoint } from '../../../ports/agent.ts'

/** The events of Cursor that Baton hooks. Shell and MCP calls are hooked twice and counted once: see decode. */
export const hooks: readonly HookPoint[] = [
  { event: 'sessionStart' },
  { event: 'beforeSubmitPrompt' },
  { event: 'beforeShellExecution', waits: true },
  { event: 'beforeMCPExecution', waits: true },
  { event: 'preToolUse', waits: true },
  { event: 'postToolUse' },
  { event: 'postToolUseFailure' },
  { event: 'preCompact' },
  { event: 'subagentStart' },
  { event: 'subagentStop' },
  // A supervisor may write the next prompt meanwhile.
  { event: 'stop', seconds: 100, isStop: true },
  { event: 'sessionEnd' },
]
