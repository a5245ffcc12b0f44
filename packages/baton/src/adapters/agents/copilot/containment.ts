import { join } from 'node:path'
import type { AgentContainment, OwnFile } from '../../../ports/agent.ts'
import { ownFolder } from '../own-folder.ts'
import { parseOwnObject, withoutServerSecrets } from '../own-login.ts'
import { outsideLogin } from './outside-login.ts'

/** What it only reads. */
const READ = ['hooks', 'agents', 'skills', 'copilot-instructions.md']

export const containment: AgentContainment = {
  outsideLogin,
  files(place) {
    const folder = ownFolder(place, 'COPILOT_HOME', '.copilot')
    const servers = place.read(join(folder, 'mcp-config.json'))
    const shownServers = JSON.stringify(withoutServerSecrets(parseOwnObject(servers)))
    // Of its settings nothing else: they may hold tokens of GitHub.
    const settings = { trustedFolders: [place.project] }
    return [
      { kind: 'private-folder', path: folder },
      { kind: 'private', path: join(folder, 'config.json'), text: JSON.stringify(settings) },
      ...(servers === undefined
        ? []
        : [{ kind: 'private', path: join(folder, 'mcp-config.json'), text: shownServers } as const]),
      ...READ.map((name): OwnFile => ({ kind: 'read-only', path: join(folder, name) })),
      { kind: 'private-transcripts', path: join(folder, 'session-state') },
    ]
  },
}
