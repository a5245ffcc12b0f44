import { join } from 'node:path'
import { pluginInstall } from '../plugin-file.ts'
import { extension } from './extension.ts'
import { profile } from './profile.ts'

/** `~/.pi/agent/extensions/baton.ts`, or `.pi/extensions/baton.ts` of a project. */
export const { install, uninstall, installed } = pluginInstall({
  profile,
  body: extension,
  path: ({ scope, home, project }) =>
    scope === 'user'
      ? join(home, '.pi', 'agent', 'extensions', 'baton.ts')
      : join(project, '.pi', 'extensions', 'baton.ts'),
})
