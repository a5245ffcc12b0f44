import { join } from 'node:path'
import { parse, stringify } from 'smol-toml'
import type { AgentContainment, ContainmentFiles, OwnFile } from '../../../ports/agent.ts'
import { PLACEHOLDER } from '../own-login.ts'
import { outsideLogin } from './outside-login.ts'
import { codexFolder } from './trust.ts'

/** What it only reads. */
const READ = ['hooks.json', 'AGENTS.md', 'prompts', 'skills', 'rules']

/** Settings that hold no login. Of the other tables, what a session needs is chosen below. */
const KEPT = [
  'model',
  'model_provider',
  'model_reasoning_effort',
  'model_reasoning_summary',
  'model_verbosity',
  'openai_base_url',
  'approval_policy',
  'features',
  // Which hooks the user has let run.
  'hooks',
  'tui',
]

const KEPT_OF_SERVER = ['command', 'args', 'cwd', 'url', 'enabled', 'enabled_tools', 'disabled_tools']

export const containment: AgentContainment = {
  outsideLogin,
  files(place) {
    const folder = codexFolder(place)
    const settings = settingsOf(place, join(folder, 'config.toml'))
    const login = { auth_mode: 'apikey', OPENAI_API_KEY: PLACEHOLDER }
    return [
      { kind: 'private-folder', path: folder },
      { kind: 'private', path: join(folder, 'config.toml'), text: stringify(settings) },
      // In a terminal it reads the key of OpenAI from here only.
      ...('model_provider' in settings
        ? []
        : [{ kind: 'private', path: join(folder, 'auth.json'), text: JSON.stringify(login) } as const]),
      ...READ.map((name): OwnFile => ({ kind: 'read-only', path: join(folder, name) })),
      // Its conversations are not in folders by project, so those from outside are not there.
      { kind: 'private-transcripts', path: join(folder, 'sessions') },
    ]
  },
}

type Table = Readonly<Record<string, unknown>>

function settingsOf({ read, project }: ContainmentFiles, path: string): Record<string, unknown> {
  const all = parsed(read(path))
  const provider = typeof all.model_provider === 'string' ? all.model_provider : undefined
  const servers = Object.entries(tableIn(all.mcp_servers)).map(([name, server]) => [
    name,
    pick(tableIn(server), KEPT_OF_SERVER),
  ])
  return {
    ...pick(all, KEPT),
    ...(provider ? { model_providers: pick(tableIn(all.model_providers), [provider]) } : {}),
    mcp_servers: Object.fromEntries(servers),
    projects: pick(tableIn(all.projects), [project]),
    // Its own sandbox cannot start in this one, which holds for all that it does.
    sandbox_mode: 'danger-full-access',
    check_for_update_on_startup: false,
  }
}

const pick = (table: Table, names: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(names.flatMap(name => (Object.hasOwn(table, name) ? [[name, table[name]]] : [])))

const tableIn = (value: unknown): Table =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}

function parsed(text: string | undefined): Table {
  try {
    return parse(text ?? '')
  } catch {
    return {}
  }
}
