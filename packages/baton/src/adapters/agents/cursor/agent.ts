import type { Agent } from '../../../ports/agent.ts'
import { foreignHooksIn } from '../foreign-hooks.ts'
import { cursor } from './adapter.ts'
import { capabilities } from './capabilities.ts'
import { hooksPath } from './install.ts'
import { launches } from './launch.ts'

export const agent: Agent = {
  adapter: cursor,
  capabilities,
  launches,
  foreignHooks: (place, read) =>
    (['user', 'project'] as const).flatMap(scope => {
      const path = hooksPath({ ...place, scope })
      return foreignHooksIn(path, read(path), 'flat')
    }),
}
