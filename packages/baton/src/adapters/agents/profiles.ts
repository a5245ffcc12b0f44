import type { AgentProfile } from '../../ports/agent.ts'
import { profile as claudeCode } from './claude-code/profile.ts'
import { profile as cursor } from './cursor/profile.ts'

/** What a hook client must know of every agent Baton speaks with. */
export const profiles: readonly AgentProfile[] = [claudeCode, cursor]

/** By folder name or by a name people type. */
export function findProfile(nameOrAlias: string): AgentProfile | undefined {
  return profiles.find(({ name, aliases }) => name === nameOrAlias || aliases.includes(nameOrAlias))
}
