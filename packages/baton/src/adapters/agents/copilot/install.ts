import { join } from 'node:path'
import { hookCommand, runsLauncher } from '../hook-command.ts'
import { ownFolder } from '../own-folder.ts'
import { settingsInstall, timeoutSeconds } from '../settings-install.ts'
import { entry } from './entry.ts'
import { hooks } from './hooks.ts'

/** `$COPILOT_HOME/hooks/baton.json` (usually `~/.copilot`), or `.github/hooks/baton.json` of a project. */
export const { install, uninstall, installed } = settingsInstall({
  agent: 'copilot',
  title: entry.title,
  hooks,
  layout: {
    entries: 'flat',
    ours: (_event, hook) =>
      typeof hook === 'object' && hook !== null && 'bash' in hook && runsLauncher(hook.bash),
    beside: { key: 'version', value: 1 },
  },
  path: ({ scope, project, ...own }) =>
    scope === 'user'
      ? join(ownFolder(own, 'COPILOT_HOME', '.copilot'), 'hooks', 'baton.json')
      : join(project, '.github', 'hooks', 'baton.json'),
  entry: (point, target) => ({
    type: 'command',
    bash: hookCommand(target, 'copilot', point.event),
    timeoutSec: timeoutSeconds(point, target),
  }),
})
