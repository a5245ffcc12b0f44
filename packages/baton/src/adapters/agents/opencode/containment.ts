import { join } from 'node:path'
import type { AgentContainment, OwnFile } from '../../../ports/agent.ts'
import { ownFolder } from '../own-folder.ts'
import { outsideLogin } from './outside-login.ts'

/** What it only reads; its model and its provider come with the login. Its other settings may hold keys. */
const READ = ['AGENTS.md', 'agent', 'command', 'node_modules', 'package.json', 'plugin', 'skill']

export const containment: AgentContainment = {
  outsideLogin,
  files(place) {
    const settings = join(ownFolder(place, 'XDG_CONFIG_HOME', '.config'), 'opencode')
    const data = join(ownFolder(place, 'XDG_DATA_HOME', '.local/share'), 'opencode')
    return [
      { kind: 'private-folder', path: settings },
      { kind: 'private-folder', path: data },
      ...READ.map((name): OwnFile => ({ kind: 'read-only', path: join(settings, name) })),
      { kind: 'private-transcripts', path: data },
    ]
  },
}
