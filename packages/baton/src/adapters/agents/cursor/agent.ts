import type { Agent } from '../../../ports/agent.ts'
import { cursor } from './adapter.ts'
import { capabilities } from './capabilities.ts'

export const agent: Agent = { adapter: cursor, capabilities }
