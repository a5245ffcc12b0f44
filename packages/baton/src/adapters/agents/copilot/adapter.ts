import type { AgentAdapter } from '../../../ports/agent.ts'
import { decode } from './decode.ts'
import { install, installed, uninstall } from './install.ts'
import { profile } from './profile.ts'

export const adapter: AgentAdapter = { ...profile, decode, install, uninstall, installed }
