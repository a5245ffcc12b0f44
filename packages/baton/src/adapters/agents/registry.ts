import { BatonError } from '@batonpass/contract/errors'
import type { AgentAdapter, AgentSandboxing } from '../../ports/agent.ts'
import { agents } from './agent-list.ts'
import { findProfile } from './profiles.ts'

/** Every agent Baton speaks with. */
export const adapters: readonly AgentAdapter[] = agents.map(({ adapter }) => adapter)

/** By folder name or by a name people type. Throws BatonError agent_unknown. */
export function adapterFor(nameOrAlias: string): AgentAdapter {
  const name = findProfile(nameOrAlias)?.name
  const found = adapters.find(adapter => adapter.name === name)
  if (found) return found
  const known = adapters.map(({ name }) => name).join(', ')
  throw new BatonError('agent_unknown', 'Baton has no adapter for this agent.', {
    remedy: `Name one of: ${known}.`,
  })
}

export const sandboxingOf = (agent: string): AgentSandboxing | undefined =>
  agents.find(({ adapter }) => adapter.name === agent)?.sandboxing
