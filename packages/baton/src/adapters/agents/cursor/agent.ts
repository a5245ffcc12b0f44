import type { Agent } from '../../../ports/agent.ts'
import { cursor } from './adapter.ts'
import { capabilities } from './capabilities.ts'
import { launches } from './launch.ts'

export const agent: Agent = { adapter: cursor, capabilities, launches }
