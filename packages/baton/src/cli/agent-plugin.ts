import { existsSync, readFileSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { applyEdits, modify, parse } from 'jsonc-parser'
import { onPath } from '../adapters/system/on-path.ts'
import type { StateFolder } from '../config/state-folder.ts'
import { replaceFile } from '../daemon/secret-file.ts'
import { stablePrograms } from '../hook/runtime.ts'
import { hasPlugin, ownPlugin } from '../hook/start-workflow.ts'
import { ran } from './agent-tools.ts'
import { removeEmptyFolders } from './clean-project.ts'
import type { Io } from './io.ts'

/** Baton's plugin for Claude Code (slash commands, stage agents, tools), put in and taken out by `claude plugin`. */
const PROGRAM = 'claude'
const MARKETPLACE = 'batonpass'
const NAME = `baton@${MARKETPLACE}`
const ADD = (folder: string) => [
  ['plugin', 'marketplace', 'add', folder],
  ['plugin', 'install', NAME],
]
const REMOVE = [
  ['plugin', 'uninstall', NAME],
  ['plugin', 'marketplace', 'remove', MARKETPLACE],
]

/** Whether it is missing, and could be put in. */
export const lacksPlugin = (agents: readonly string[], io: Io): boolean =>
  agents.includes('claude-code') &&
  onPath(PROGRAM, io.env) !== undefined &&
  ownPlugin() !== undefined &&
  !hasPlugin(io)

/** The commands that would put it in. */
export const pluginLines = (): string[] => ADD(ownPlugin() ?? '').map(words => [PROGRAM, ...words].join(' '))

/** Puts it in, and notes that it was Baton who did: `uninstall` takes back just that. */
export async function givePlugin(folder: StateFolder, io: Io): Promise<string> {
  // npm may sweep away what npx brought.
  const home = join(dirname(stablePrograms(folder.dir).cli), 'plugin')
  const note: Note = { had: pluginKeys(io), hadFolder: existsSync(pluginFolder(io)) }
  for (const words of ADD(home))
    if (!(await ran(PROGRAM, words, io)))
      return `Claude Code did not take Baton's plugin; try: ${[PROGRAM, ...words].join(' ')}`
  replaceFile(noteFile(folder), `${JSON.stringify(note)}\n`, 0o600)
  return "Claude Code has Baton's slash commands (plugin baton): /baton:issue-to-impl, /baton:handoff, …"
}

/** Whether it was Baton who put it in. */
export const gavePlugin = (folder: StateFolder): boolean => existsSync(noteFile(folder))

/** Run before the hooks are removed from Claude Code's settings: its own commands leave empty keys there, and copies of the plugin. */
export async function takePlugin(folder: StateFolder, io: Io): Promise<string[]> {
  if (!gavePlugin(folder)) return []
  const left: string[] = []
  for (const words of REMOVE) if (!(await ran(PROGRAM, words, io))) left.push([PROGRAM, ...words].join(' '))
  const note = readNote(folder)
  rmSync(noteFile(folder), { force: true })
  if (left.length > 0) return [`Could not take Baton's plugin from Claude Code; run: ${left.join('; ')}`]
  removeCopies(note, io)
  removeEmptyKeys(note, io)
  return ["Removed Baton's plugin from Claude Code"]
}

/** What was there before the plugin was. */
interface Note {
  had: string[]
  hadFolder: boolean
}

const noteFile = ({ dir }: StateFolder): string => join(dir, 'claude-plugin')

/** A note of Baton 0.1 says nothing more than that Baton did it. */
function readNote(folder: StateFolder): Note {
  const note = objectIn(noteFile(folder))
  const had: unknown = Reflect.get(note, 'had')
  return {
    had: Array.isArray(had) ? had.filter(key => typeof key === 'string') : [],
    hadFolder: Reflect.get(note, 'hadFolder') !== false,
  }
}

/** Claude Code keeps a removed plugin's files, and its lists of plugins when they are empty. */
function removeCopies({ hadFolder }: Note, io: Io): void {
  const plugins = pluginFolder(io)
  for (const kind of ['cache', 'marketplaces'])
    rmSync(join(plugins, kind, MARKETPLACE), { recursive: true, force: true })
  if (hadFolder) return
  for (const kind of ['cache', 'marketplaces']) removeEmptyFolders(join(plugins, kind), dirname(plugins))
  const lists = ['installed_plugins.json', 'known_marketplaces.json'].map(name => join(plugins, name))
  const isInUse = (list: string) =>
    Object.values(objectIn(list)).some(value => isObject(value) && Object.keys(value).length > 0)
  if (lists.some(isInUse)) return
  for (const list of lists) rmSync(list, { force: true })
  removeEmptyFolders(plugins, dirname(plugins))
}

function removeEmptyKeys({ had }: Note, io: Io): void {
  const path = settingsFile(io)
  const before = textIn(path)
  if (before === undefined) return
  const settings = objectIn(path)
  const isEmpty = (value: unknown) => isObject(value) && Object.keys(value).length === 0
  const empty = KEYS.filter(key => !had.includes(key) && isEmpty(Reflect.get(settings, key)))
  const after = empty.reduce((text, key) => applyEdits(text, modify(text, [key], undefined, {})), before)
  if (after !== before) replaceFile(path, after, statSync(path).mode & 0o777)
}

/** The keys that Claude Code's commands write. */
const KEYS = ['enabledPlugins', 'extraKnownMarketplaces']

const pluginKeys = (io: Io): string[] => KEYS.filter(key => key in objectIn(settingsFile(io)))

const claudeFolder = ({ env, home }: Io): string => env.CLAUDE_CONFIG_DIR || join(home, '.claude')
const pluginFolder = (io: Io): string => join(claudeFolder(io), 'plugins')
const settingsFile = (io: Io): string => join(claudeFolder(io), 'settings.json')

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Empty if the file is missing or holds no object. */
function objectIn(path: string): object {
  const value: unknown = parse(textIn(path) ?? '')
  return isObject(value) ? value : {}
}

function textIn(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}
