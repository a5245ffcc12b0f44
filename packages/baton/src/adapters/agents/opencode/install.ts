import { join } from 'node:path'
import { pluginInstall } from '../plugin-file.ts'
import { plugin } from './plugin.ts'
import { profile } from './profile.ts'

/** `~/.config/opencode/plugin/baton.js`, or `.opencode/plugin/baton.js` of a project. */
export const { install, uninstall, installed } = pluginInstall({
  profile,
  body: plugin,
  path: ({ scope, home, project }) =>
    scope === 'user'
      ? join(home, '.config', 'opencode', 'plugin', 'baton.js')
      : join(project, '.opencode', 'plugin', 'baton.js'),
})
