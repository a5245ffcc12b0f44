import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { replaceHttpHooks } from '../adapters/agents/claude-code/http-hooks.ts'
import { settingsPath } from '../adapters/agents/claude-code/install.ts'
import type { Environment } from '../config/places.ts'
import type { StateFolder } from '../config/state-folder.ts'
import { replaceFile } from './secret-file.ts'

export interface RepairOptions {
  folder: StateFolder
  home: string
  env: Environment
  /** The worktrees of known sessions; each may have its own settings. */
  projects(): Promise<readonly string[]>
}

/**
 * Replaces the HTTP hooks that Baton 0.1 left in Claude Code's settings, and returns the files it changed. It touches
 * only entries with the key of this state folder. A file that it cannot read or write stays, and `baton doctor` names it.
 */
export async function repairSettings({ folder, home, env, projects }: RepairOptions): Promise<string[]> {
  const key = textIn(folder.httpHookKey)?.trim() ?? ''
  // Only Baton 0.1 created this key; without it there is nothing to repair.
  if (!/^[0-9a-f]{64}$/.test(key) || !existsSync(folder.launcher)) return []
  const paths = [
    // Check the default place, too: the variable that moves it may have been set later.
    ...[env, {}].map(own => settingsPath({ scope: 'user', project: '', home, env: own })),
    ...(await projects()).map(project => settingsPath({ scope: 'local', project, home, env })),
  ]
  return [...new Set(paths)].filter(path => {
    const before = textIn(path)
    if (before === undefined) return false
    const after = replaceHttpHooks(before, key, { launcher: folder.launcher, home })
    return after !== before && replaceText(path, before, after)
  })
}

/** Replaces the file's text. Returns false if the file has changed meanwhile or cannot be written. */
function replaceText(path: string, before: string, after: string): boolean {
  try {
    // Follow links: settings are often a link into a dotfiles repository.
    const file = realpathSync(path)
    if (textIn(file) !== before) return false
    replaceFile(file, after, statSync(file).mode & 0o777)
    return true
  } catch {
    return false
  }
}

function textIn(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}
