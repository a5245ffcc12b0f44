import { join } from 'node:path'
import type { AgentContainment, OwnFile } from '../../../ports/agent.ts'
import { ownFolder } from '../own-folder.ts'
import { parseOwnObject, withoutServerSecrets } from '../own-login.ts'
import { outsideLogin } from './outside-login.ts'

/** What it only reads. Extensions keep settings of their own, logins included, in files next to them. */
const READ = ['GEMINI.md', 'commands', 'policies', 'skills', 'trustedFolders.json']

export const containment: AgentContainment = {
  outsideLogin,
  files(place) {
    const folder = join(ownFolder(place, 'GEMINI_CLI_HOME', ''), '.gemini')
    const settings = join(folder, 'settings.json')
    const shown = withoutServerSecrets(parseOwnObject(place.read(settings)))
    return [
      { kind: 'private-folder', path: folder },
      { kind: 'private', path: settings, text: JSON.stringify(shown) },
      ...READ.map((name): OwnFile => ({ kind: 'read-only', path: join(folder, name) })),
      { kind: 'private-transcripts', path: join(folder, 'tmp') },
    ]
  },
}
