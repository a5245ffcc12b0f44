import { join } from 'node:path'
import { hookCommand, runsLauncher } from '../hook-command.ts'
import { ownFolder } from '../own-folder.ts'
import { settingsInstall, timeoutSeconds } from '../settings-install.ts'
import { entry } from './entry.ts'
import { hooks } from './hooks.ts'

/** `$GEMINI_CLI_HOME/.gemini/settings.json` (usually the home), or `.gemini/settings.json` of a folder that Gemini CLI trusts. */
export const { install, uninstall, installed } = settingsInstall({
  agent: 'gemini',
  title: entry.title,
  hooks,
  layout: {
    entries: 'groups',
    ours: (_event, hook) =>
      typeof hook === 'object' && hook !== null && 'command' in hook && runsLauncher(hook.command),
  },
  path: ({ scope, project, ...own }) =>
    join(scope === 'user' ? ownFolder(own, 'GEMINI_CLI_HOME', '') : project, '.gemini', 'settings.json'),
  entry: (point, target) => ({
    ...(point.matcher === undefined ? {} : { matcher: point.matcher }),
    hooks: [
      {
        name: 'baton',
        type: 'command',
        command: hookCommand(target, 'gemini', point.event),
        // In milliseconds, unlike everywhere else.
        timeout: timeoutSeconds(point, target) * 1000,
      },
    ],
  }),
})
