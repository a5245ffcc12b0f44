import type { AgentAdapter } from '../../../ports/agent.ts'
import { decode } from './decode.ts'
import { encode } from './encode.ts'
import { hooks } from './hooks.ts'
import { install, installed, uninstall } from './install.ts'
import { modes } from './modes.ts'
import { safe } from './safe.ts'

export const claudeCode: AgentAdapter = {
  name: 'claude-code',
  aliases: ['claude'],
  title: 'Claude Code',
  programs: ['claude'],
  hooks,
  modes,
  decode,
  encode,
  safe,
  install,
  uninstall,
  installed,
}
