import { dirname, join } from 'node:path'
import type { AgentAdapter } from '../../../ports/agent.ts'
import { hookCommand, runsLauncher } from '../hook-command.ts'
import { ownFolder } from '../own-folder.ts'
import { type Place, settingsInstall, timeoutSeconds } from '../settings-install.ts'
import { entry } from './entry.ts'
import { hooks } from './hooks.ts'

/** `$GEMINI_CLI_HOME/.gemini/settings.json` (usually the home), or `.gemini/settings.json` of a folder that Gemini CLI trusts. */
const hooksFile = settingsInstall({
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

export const { installed } = hooksFile

/**
 * A policy next to the hooks: a command that Baton moved into the sandbox needs no dialog. It names the box, which takes only
 * ids that the daemon prepared. Not for a project: the next person's box is elsewhere.
 */
export const install: AgentAdapter['install'] = (target, read) => {
  const changes = hooksFile.install(target, read)
  const box = join(dirname(dirname(target.launcher)), 'sandbox', 'box')
  // Quotation marks in it would be written otherwise in the command.
  if (target.scope !== 'user' || /['"\\]/.test(box)) return changes
  const path = policyPath(target)
  const before = read(path)
  const after = policyText(box)
  const isTheirs = before !== undefined && !before.startsWith(MARK)
  return before === after || isTheirs ? changes : [...changes, { path, before, after }]
}

export const uninstall: AgentAdapter['uninstall'] = (target, read) => {
  const changes = hooksFile.uninstall(target, read)
  const path = policyPath(target)
  const before = target.scope === 'user' ? read(path) : undefined
  return before?.startsWith(MARK) ? [...changes, { path, before, after: undefined }] : changes
}

const policyPath = (own: Pick<Place, 'home' | 'env'>): string =>
  join(ownFolder(own, 'GEMINI_CLI_HOME', ''), '.gemini', 'policies', 'baton.toml')

const MARK = '# Written by `baton init`, taken away by `baton uninstall`.'

/** It is compared with the call as JSON: the quotation mark ends the command. */
function policyText(box: string): string {
  const escaped = box.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  return `${MARK} Lets commands run that Baton moved into its sandbox.
[[rule]]
toolName = "run_shell_command"
commandRegex = ${JSON.stringify(`'${escaped}' [0-9a-z]+"`)}
decision = "allow"
priority = 500
`
}
