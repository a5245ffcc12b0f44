import { join } from 'node:path'
import type { AgentContainment, ContainmentFiles, OwnFile } from '../../../ports/agent.ts'
import { ownFolder } from '../own-folder.ts'
import { PLACEHOLDER, parseOwnObject, withoutServerSecrets } from '../own-login.ts'
import { outsideLogin, stateFile } from './outside-login.ts'
import { folderFor } from './transcript-places.ts'

/** What it only reads. Hooks, plugins and the like run in other sessions, too, so they stay as they are. */
const READ = ['CLAUDE.md', 'agents', 'commands', 'skills', 'plugins', 'output-styles', 'rules']

export const containment: AgentContainment = {
  outsideLogin,
  hosted: true,
  files(place) {
    const folder = ownFolder(place, 'CLAUDE_CONFIG_DIR', '.claude')
    const own = stateFile(place)
    return [
      { kind: 'private-folder', path: folder },
      { kind: 'private', path: own, text: ownState(place, own) },
      settingsOf(place, join(folder, 'settings.json')),
      ...READ.map((name): OwnFile => ({ kind: 'read-only', path: join(folder, name) })),
      // Conversations of this project, and of no other.
      { kind: 'writable-folder', path: folderFor(folder, place.project) },
    ]
  },
}

/** The user's settings; without the variables that they set, if one of these may be a secret. */
function settingsOf({ read, isSecret }: ContainmentFiles, path: string): OwnFile {
  const settings = parseOwnObject(read(path))
  const { env } = settings
  if (typeof env !== 'object' || env === null) return { kind: 'read-only', path }
  const kept = Object.entries(env).filter(([name, value]) => !isSecret(name, String(value)))
  const text = JSON.stringify({ ...settings, env: Object.fromEntries(kept) }, null, 2)
  return kept.length === Object.keys(env).length
    ? { kind: 'read-only', path }
    : { kind: 'read-only-text', path, text }
}

/** What of `~/.claude.json` a session needs: who is logged in, that it was set up, this project's part, MCP servers. */
function ownState({ read, project }: ContainmentFiles, path: string): string {
  const known = parseOwnObject(read(path))
  const projects = known.projects
  const here = typeof projects === 'object' && projects !== null ? Reflect.get(projects, project) : undefined
  const kept = KEPT.flatMap(name => (Object.hasOwn(known, name) ? [[name, known[name]] as const] : []))
  return JSON.stringify(
    withoutServerSecrets({
      ...Object.fromEntries(kept),
      // By its end, Claude Code knows the key again that the user accepted.
      customApiKeyResponses: { approved: [PLACEHOLDER.slice(-20)], rejected: [] },
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
  'bypassPermissionsModeAccepted',
  'numStartups',
  'autoUpdates',
  'mcpServers',
]
