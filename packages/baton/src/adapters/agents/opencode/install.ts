import { join } from 'node:path'
import { ownFolder } from '../own-folder.ts'
import { pluginInstall } from '../plugin-file.ts'
import { plugin } from './plugin.ts'
import { profile } from './profile.ts'

/** `$XDG_CONFIG_HOME/opencode/plugin/baton.js` (usually `~/.config`), or `.opencode/plugin/baton.js` of a project. */
export const { install, uninstall, installed } = pluginInstall({
  profile,
  body: plugin,
  path: ({ scope, project, ...own }) =>
    scope === 'user'
      ? join(ownFolder(own, 'XDG_CONFIG_HOME', '.config'), 'opencode', 'plugin', 'baton.js')
      : join(project, '.opencode', 'plugin', 'baton.js'),
})
