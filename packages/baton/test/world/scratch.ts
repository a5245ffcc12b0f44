import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** A private folder, removed when disposed and at the latest when the process ends. */
export interface Scratch extends AsyncDisposable {
  path: string
  /** Writes a file (and its folders) under the scratch folder and returns its absolute path. */
  write: (name: string, text: string, mode?: number) => string
  remove: () => void
}

// Unix socket paths end at about 100 bytes, so the folder's own name stays short.
export function scratch(prefix = 'bt-'): Scratch {
  const path = realpathSync(mkdtempSync(join(tmpdir(), prefix)))
  const remove = () => {
    process.off('exit', remove)
    // An agent that is just ending may still write: rm retries on ENOTEMPTY.
    rmSync(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 })
  }
  process.once('exit', remove)
  return {
    path,
    write: (name, text, mode = 0o644) => writeUnder(path, name, text, mode),
    remove,
    [Symbol.asyncDispose]: async () => remove(),
  }
}

export interface Repository extends Scratch {
  git: (...args: string[]) => Promise<string>
  /** Writes files and commits them; returns the commit's id. */
  commit: (files: Record<string, string>, message?: string) => Promise<string>
  /** A bare repository named origin, with the current branch pushed to it; made at the first call. */
  remote: () => Promise<string>
}

/** A real git repository on branch main with one commit, deaf to the machine's own git settings. */
export async function gitRepo(path?: string): Promise<Repository> {
  const folder = scratch('bg-')
  const work = path ?? join(folder.path, 'work')
  mkdirSync(work, { recursive: true })
  const env = { ...process.env, ...plainGit }
  const git = async (...args: string[]) => (await run('git', args, { cwd: work, env })).stdout.trimEnd()
  await git('init', '-q', '-b', 'main')
  await git('config', 'user.name', 'Dev')
  await git('config', 'user.email', 'dev@example.com')
  await git('config', 'commit.gpgsign', 'false')

  const commit = async (files: Record<string, string>, message = 'Change') => {
    for (const [name, text] of Object.entries(files)) writeUnder(work, name, text)
    await git('add', '-A')
    await git('commit', '-q', '--allow-empty', '-m', message)
    return git('rev-parse', 'HEAD')
  }
  await commit({ 'README.md': '# Example\n' }, 'Begin')

  let bare: string | undefined
  const remote = async () => {
    if (bare) return bare
    bare = join(folder.path, 'origin.git')
    await git('init', '-q', '--bare', '-b', 'main', bare)
    await git('remote', 'add', 'origin', bare)
    await git('push', '-q', '-u', 'origin', 'HEAD')
    return bare
  }

  const write = (name: string, text: string, mode?: number) => writeUnder(work, name, text, mode)
  return { ...folder, path: work, write, git, commit, remote }
}

/** Keeps the machine's and the user's git configuration out of a test. */
export const plainGit = { GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1', GIT_TERMINAL_PROMPT: '0' }

function writeUnder(root: string, name: string, text: string, mode = 0o644): string {
  const file = join(root, name)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text, { mode })
  return file
}
