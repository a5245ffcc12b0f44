import { join } from 'node:path'
import { hookCommand, runsLauncher } from '../hook-command.ts'
import { settingsInstall, timeoutSeconds } from '../settings-install.ts'
import { entry } from './entry.ts'
import { hooks } from './hooks.ts'
import { codexFolder } from './trust.ts'

/** `$CODEX_HOME/hooks.json` (usually `~/.codex`), or `.codex/hooks.json` of a project that Codex trusts. */
export const { install, uninstall, installed } = settingsInstall({
  agent: 'codex',
  title: entry.title,
  hooks,
  layout: {
    entries: 'groups',
    ours: (_event, hook) =>
      typeof hook === 'object' && hook !== null && 'command' in hook && runsLauncher(hook.command),
  },
  path: ({ scope, project, ...own }) =>
    join(scope === 'user' ? codexFolder(own) : join(project, '.codex'), 'hooks.json'),
  entry: (point, target) => ({
    hooks: [
      {
        type: 'command',
        command: hookCommand(target, 'codex', point.event),
        timeout: timeoutSeconds(point, target),
      },
    ],
  }),
})
