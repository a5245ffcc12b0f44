import { join } from 'node:path'
import { AGENTS } from '@batonpass/contract/agents'
import { hookCommand, runsLauncher } from '../hook-command.ts'
import { settingsInstall, timeoutSeconds } from '../settings-install.ts'
import { hooks } from './hooks.ts'

/** `~/.gemini/settings.json`, or `.gemini/settings.json` of a folder that Gemini CLI trusts. */
export const { install, uninstall, installed } = settingsInstall({
  agent: 'gemini',
  title: AGENTS.gemini.title,
  hooks,
  layout: {
    entries: 'groups',
    ours: (_event, hook) =>
      typeof hook === 'object' && hook !== null && 'command' in hook && runsLauncher(hook.command),
  },
  path: ({ scope, home, project }) => join(scope === 'user' ? home : project, '.gemini', 'settings.json'),
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
