import { join } from 'node:path'
import type { AgentContainment, ContainmentFiles, OwnFile } from '../../../ports/agent.ts'
import { ownFolder } from '../own-folder.ts'
import { baseHosts, withoutServerSecrets } from '../own-login.ts'
import { outsideLogin } from './outside-login.ts'
import { folderFor } from './transcript-places.ts'

/** The model, and where Claude Code renews its login. */
const HOSTS = ['api.anthropic.com', 'console.anthropic.com', 'platform.claude.com']

/** What it only reads. Hooks, plugins and the like run in other sessions, too, so they stay as they are. */
const READ = [
  'settings.json',
  'CLAUDE.md',
  'agents',
  'commands',
  'skills',
  'plugins',
  'output-styles',
  'rules',
]

export const containment: AgentContainment = {
  outsideLogin,
  hosts: ({ env }) => baseHosts(HOSTS, [env.ANTHROPIC_BASE_URL]),
  files(place) {
    const folder = ownFolder(place, 'CLAUDE_CONFIG_DIR', '.claude')
    const isMoved = place.env.CLAUDE_CONFIG_DIR !== undefined && place.env.CLAUDE_CONFIG_DIR !== ''
    const own = join(isMoved ? folder : place.home, '.claude.json')
    return [
      { kind: 'private-folder', path: folder },
      { kind: 'private', path: own, text: ownSettings(place, own) },
      ...READ.map((name): OwnFile => ({ kind: 'read-only', path: join(folder, name) })),
      // Renewed tokens must last: the old ones end with the renewal.
      { kind: 'writable', path: join(folder, '.credentials.json') },
      // Conversations of this project, and of no other.
      { kind: 'writable-folder', path: folderFor(folder, place.project) },
    ]
  },
}

/** What of `~/.claude.json` a session needs: who is logged in, that it was set up, this project's part, MCP servers. */
function ownSettings({ read, project }: ContainmentFiles, path: string): string {
  let known: Record<string, unknown> = {}
  try {
    const parsed: unknown = JSON.parse(read(path) ?? '{}')
    if (typeof parsed === 'object' && parsed !== null) known = { ...parsed }
  } catch {
    // As without the file: Claude Code starts with its first questions.
  }
  const projects = known.projects
  const here = typeof projects === 'object' && projects !== null ? Reflect.get(projects, project) : undefined
  const kept = KEPT.flatMap(name => (Object.hasOwn(known, name) ? [[name, known[name]] as const] : []))
  return JSON.stringify(
    withoutServerSecrets({
      ...Object.fromEntries(kept),
      ...(here === undefined ? {} : { projects: { [project]: here } }),
    }),
  )
}

const KEPT = [
  'hasCompletedOnboarding',
  'lastOnboardingVersion',
  'theme',
  'userID',
  'oauthAccount',
  'customApiKeyResponses',
  'bypassPermissionsModeAccepted',
  'numStartups',
  'autoUpdates',
  'mcpServers',
]
