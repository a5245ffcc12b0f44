import type { AgentAdapter } from '../../../ports/agent.ts'
import { decode } from './decode.ts'
import { encode } from './encode.ts'
import { hooks } from './hooks.ts'
import { install, installed, uninstall } from './install.ts'
import { safe } from './safe.ts'

export const cursor: AgentAdapter = {
  name: 'cursor',
  aliases: ['cursor-agent'],
  title: 'Cursor',
  programs: ['cursor-agent', 'cursor'],
  hooks,
  // Its payloads do not say how freely it runs.
  modes: {},
  decode,
  encode,
  safe,
  install,
  uninstall,
  installed,
}
