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
  /** The worktrees in which agents have reported: each may have settings of its own. */
  projects(): Promise<readonly string[]>
}

/**
 * Replaces the HTTP hooks that Baton 0.1 left in Claude Code's settings, and returns the files it changed. It touches
 * only entries with the key of this state folder. A file that it cannot read or write stays, and `baton doctor` names it.
 */
export async function repairSettings({ folder, home, env, projects }: RepairOptions): Promise<string[]> {
  const key = textIn(folder.httpHookKey)?.trim() ?? ''
  // Only 0.1 made a key: everywhere else nothing has to be looked for.
  if (!/^[0-9a-f]{64}$/.test(key) || !existsSync(folder.launcher)) return []
  const paths = [
    // At the usual place, too: a variable that moves it may have come later.
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

/** False when the file was changed meanwhile, or cannot be written. */
function replaceText(path: string, before: string, after: string): boolean {
  try {
    // Settings are often a link into a folder that a person keeps in git.
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
