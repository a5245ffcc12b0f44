import type { AgentName } from '@batonpass/contract/event'
import type { AgentTerminal } from '../../ports/terminal.ts'
import { agents } from './agent-list.ts'

/** What each agent's screen looks like; one that is not here is watched, but not typed into. */
export const terminals: Partial<Record<AgentName, AgentTerminal>> = Object.fromEntries(
  agents.flatMap(({ adapter, terminal }) => (terminal ? [[adapter.name, terminal]] : [])),
)
