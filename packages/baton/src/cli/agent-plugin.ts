import { existsSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { onPath } from '../adapters/system/on-path.ts'
import type { StateFolder } from '../config/state-folder.ts'
import { replaceFile } from '../daemon/secret-file.ts'
import { stablePrograms } from '../hook/runtime.ts'
import { hasPlugin, ownPlugin } from '../hook/start-workflow.ts'
import { ran } from './agent-tools.ts'
import type { Io } from './io.ts'

/** Baton's plugin for Claude Code (slash commands, stage agents, tools), put in and taken out by `claude plugin`. */
const PROGRAM = 'claude'
const NAME = 'baton@batonpass'
const ADD = (folder: string) => [
  ['plugin', 'marketplace', 'add', folder],
  ['plugin', 'install', NAME],
]
const REMOVE = [
  ['plugin', 'uninstall', NAME],
  ['plugin', 'marketplace', 'remove', 'batonpass'],
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
  for (const words of ADD(home))
    if (!(await ran(PROGRAM, words, io)))
      return `Claude Code did not take Baton's plugin; try: ${[PROGRAM, ...words].join(' ')}`
  replaceFile(noteFile(folder), `${NAME}\n`, 0o600)
  return "Claude Code has Baton's slash commands (plugin baton): /baton:issue-to-impl, /baton:handoff, …"
}

/** Whether it was Baton who put it in. */
export const gavePlugin = (folder: StateFolder): boolean => existsSync(noteFile(folder))

export async function takePlugin(folder: StateFolder, io: Io): Promise<string[]> {
  if (!gavePlugin(folder)) return []
  const left: string[] = []
  for (const words of REMOVE) if (!(await ran(PROGRAM, words, io))) left.push([PROGRAM, ...words].join(' '))
  rmSync(noteFile(folder), { force: true })
  return left.length === 0
    ? ["Removed Baton's plugin from Claude Code"]
    : [`Could not take Baton's plugin from Claude Code; run: ${left.join('; ')}`]
}

const noteFile = ({ dir }: StateFolder): string => join(dir, 'claude-plugin')
