import { join } from 'node:path'
import { ownFolder } from '../own-folder.ts'
import { pluginInstall } from '../plugin-file.ts'
import { extension } from './extension.ts'
import { profile } from './profile.ts'

/** `$PI_CODING_AGENT_DIR/extensions/baton.ts` (usually `~/.pi/agent`), or `.pi/extensions/baton.ts` of a project. */
export const { install, uninstall, installed } = pluginInstall({
  profile,
  body: extension,
  path: ({ scope, project, ...own }) =>
    scope === 'user'
      ? join(ownFolder(own, 'PI_CODING_AGENT_DIR', '.pi/agent'), 'extensions', 'baton.ts')
      : join(project, '.pi', 'extensions', 'baton.ts'),
  // oh-my-pi takes the same extensions from a folder of its own.
  also: ({ scope, home }) =>
    scope === 'user'
      ? {
          path: join(home, '.omp', 'agent', 'extensions', 'baton.ts'),
          signs: ['install-id', 'agent/config.yml', 'agent/models.yml'].map(name => join(home, '.omp', name)),
        }
      : undefined,
})
