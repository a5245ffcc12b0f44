import type { HookPoint } from '../../../ports/agent.ts'

/** The events of Gemini CLI that Baton hooks. PreCompress is none of them: it fires before every request. */
export const hooks: readonly HookPoint[] = [
  { event: 'SessionStart', role: 'decide' },
  { event: 'BeforeAgent', role: 'decide' },
  { event: 'BeforeTool', role: 'decide', waits: true, matcher: '*' },
  { event: 'AfterTool', role: 'observe', matcher: '*' },
  // A supervisor may write the next prompt meanwhile.
  { event: 'AfterAgent', role: 'decide', seconds: 100 },
  { event: 'Notification', role: 'observe' },
  { event: 'SessionEnd', role: 'observe', seconds: 5 },
]
