import type { AgentAdapter } from '../../../ports/agent.ts'
import { pluginDecode } from '../plugin-protocol.ts'
import { actionOf } from './actions.ts'
import { install, installed, uninstall } from './install.ts'
import { profile } from './profile.ts'

export const adapter: AgentAdapter = {
  ...profile,
  decode: pluginDecode('pi', actionOf),
  install,
  uninstall,
  installed,
}
