import { join } from 'node:path'
import type { AgentContainment, OwnFile } from '../../../ports/agent.ts'
import { ownFolder } from '../own-folder.ts'
import { outsideLogin } from './outside-login.ts'

/** What it only reads; its model and its provider come with the login. */
const READ = ['AGENTS.md', 'extensions', 'prompts', 'skills', 'themes']

export const containment: AgentContainment = {
  outsideLogin,
  files(place) {
    const folder = ownFolder(place, 'PI_CODING_AGENT_DIR', '.pi/agent')
    return [
      { kind: 'private-folder', path: folder },
      ...READ.map((name): OwnFile => ({ kind: 'read-only', path: join(folder, name) })),
      { kind: 'private-transcripts', path: join(folder, 'sessions') },
    ]
  },
}
