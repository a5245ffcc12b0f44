import type { HookPoint } from '../../../ports/agent.ts'

/** The events of Gemini CLI that Baton hooks. PreCompress is none of them: it fires before every request. */
export const hooks: readonly HookPoint[] = [
  { event: 'SessionStart' },
  { event: 'BeforeAgent' },
  { event: 'BeforeTool', waits: true, matcher: '*' },
  { event: 'AfterTool', matcher: '*' },
  // A supervisor may write the next prompt meanwhile.
  { event: 'AfterAgent', seconds: 100, isStop: true },
  { event: 'Notification' },
  { event: 'SessionEnd', seconds: 5 },
]
