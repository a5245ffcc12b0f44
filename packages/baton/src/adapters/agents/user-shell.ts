import type { AgentSandboxing } from '../../ports/agent.ts'

/** The user's own shell where Baton knows it, as most agents do; bash otherwise. */
export const userShell: AgentSandboxing['shellOf'] = ({ SHELL = '' }, has) =>
  /zsh$/.test(SHELL) && has('zsh') ? 'zsh' : 'bash'
