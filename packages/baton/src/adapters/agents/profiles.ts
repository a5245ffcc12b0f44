import type { AgentProfile } from '../../ports/agent.ts'
import { profiles } from './profile-list.ts'

export { profiles }

/** By folder name or by a name people type. */
export function findProfile(nameOrAlias: string): AgentProfile | undefined {
  return profiles.find(({ name, aliases }) => name === nameOrAlias || aliases.includes(nameOrAlias))
}
