import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { appendFile, lstat, mkdir, readFile } from 'node:fs/promises'
import { dirname, isAbsolute, join } from 'node:path'
import type { Git, GitPosition } from '../../ports/git.ts'

const TIMEOUT_MS = 4000
const MAX_OUTPUT = 32 * 1024 * 1024
/** Beyond these, an untracked file counts by size and time instead of by content. */
const READ_FILES = 300
const READ_BYTES = 2_000_000
/** Baton's own places are no work of the agent's. */
const OURS = ['.tmp', '.baton', '.bmad/handoffs']
/** So many paths or commits say enough. */
const MAX_PATHS = 3000
const MAX_COMMITS = 50
/** Of a submodule only its commit counts: to see more, git would run in it, by its own settings. */
const PARTS = ['--ignore-submodules=dirty', '--submodule=short']
const STATUS = ['--no-renames', '--untracked-files=all', '--ignore-submodules=dirty']

/** Git through its own program: argument lists only, no locks taken, no prompts, no hooks or helpers of the repository run. */
export const systemGit: Git & GitPosition = {
  async worktree(folder) {
    const where = await git(folder, ['rev-parse', '--show-toplevel'])
    const root = where?.trimEnd()
    if (!root) return undefined
    const scope = ['--', '.', ...OURS.map(name => `:(exclude,top)${name}`)]
    const calm = await withoutFilters(root)
    if (!calm) return undefined
    const [head, branch, status, diff] = await Promise.all([
      git(root, ['rev-parse', '--verify', '-q', 'HEAD']),
      git(root, ['symbolic-ref', '--short', '-q', 'HEAD']),
      git(root, ['status', '--porcelain=v1', '-z', ...STATUS, ...scope], calm),
      git(root, ['diff', '--no-ext-diff', '--no-textconv', '--no-color', ...PARTS, 'HEAD', ...scope], calm),
    ])
    if (status === undefined) return undefined
    const tree = createHash('sha256')
      .update(status)
      .update('\0')
      .update(diff ?? '')
    const untracked = status.split('\0').flatMap(line => (line.startsWith('?? ') ? line.slice(3) : []))
    for (const [i, name] of untracked.entries())
      tree.update(await fileDigest(join(root, name), i < READ_FILES))
    return {
      root,
      head: head?.trim() ?? '',
      branch: branch?.trim() || undefined,
      tree: tree.digest('base64url'),
    }
  },

  async readPosition(folder) {
    const scope = ['--', ':/', ...OURS.map(name => `:(exclude,top)${name}`)]
    const status = ['status', '--porcelain=v2', '--branch', '-z', ...STATUS]
    const calm = await withoutFilters(folder)
    if (!calm) return undefined
    const [where, said] = await Promise.all([
      git(folder, ['rev-parse', '--show-toplevel']),
      git(folder, [...status, ...scope], calm),
    ])
    const root = where?.trimEnd()
    if (!root || said === undefined) return undefined
    const parts = said.split('\0')
    const header = (name: string) =>
      parts.find(part => part.startsWith(`# branch.${name} `))?.slice(10 + name.length)
    const [, ahead, behind] = /^\+(\d+) -(\d+)$/.exec(header('ab') ?? '') ?? []
    const [head, branch] = [header('oid'), header('head')]
    return {
      root,
      head: head && head !== '(initial)' ? head : '',
      branch: branch === '(detached)' ? undefined : branch,
      ahead: ahead === undefined ? undefined : Number(ahead),
      behind: behind === undefined ? undefined : Number(behind),
      dirty: parts.flatMap(pathOf).slice(0, MAX_PATHS),
    }
  },

  async commitsBetween(folder, sinceMs, untilMs) {
    const between = [
      `--since=${new Date(sinceMs).toISOString()}`,
      `--until=${new Date(untilMs).toISOString()}`,
    ]
    const form = [
      '--format=%x01%H%x00%s',
      '-z',
      '--name-only',
      '--no-renames',
      '--no-show-signature',
      '--no-color',
    ]
    const said = await git(folder, ['log', ...between, `--max-count=${MAX_COMMITS}`, ...form])
    return (said ?? '').split('\x01').flatMap(entry => {
      const [id, subject = '', ...files] = entry.split('\0')
      if (!id) return []
      const paths = files.map(path => path.replace(/^\n/, '')).filter(Boolean)
      return [{ id, subject, files: paths.slice(0, MAX_PATHS) }]
    })
  },

  async remoteUrl(folder) {
    const names = (await git(folder, ['remote']))?.split('\n').filter(Boolean) ?? []
    const name = names.includes('origin') ? 'origin' : names.length === 1 ? names[0] : undefined
    return name === undefined
      ? undefined
      : (await git(folder, ['remote', 'get-url', name]))?.trimEnd() || undefined
  },

  async exclude(folder, pattern) {
    const shown = (await git(folder, ['rev-parse', '--git-path', 'info/exclude']))?.trimEnd()
    if (!shown) return
    const path = isAbsolute(shown) ? shown : join(folder, shown)
    const before = await readFile(path, 'utf8').catch(() => '')
    if (before.split('\n').includes(pattern)) return
    await mkdir(dirname(path), { recursive: true })
    await appendFile(path, `${before === '' || before.endsWith('\n') ? '' : '\n'}${pattern}\n`)
  },
}

/** The path in one entry of `git status --porcelain=v2`. */
function pathOf(entry: string): string[] {
  const fields = { '1': 8, u: 10, '?': 1 }[entry[0] ?? '']
  const found =
    fields === undefined ? undefined : new RegExp(`^(?:\\S+ ){${fields}}([\\s\\S]+)$`).exec(entry)?.[1]
  return found === undefined ? [] : [found]
}

/**
 * What keeps git from running the filters that a repository's own configuration names; those of the person's configuration,
 * such as LFS's, stay. Undefined where they cannot be known.
 */
export async function withoutFilters(folder: string): Promise<Record<string, string> | undefined> {
  const wanted = [
    '--show-scope',
    '--name-only',
    '-z',
    '--get-regexp',
    '^filter\\..*\\.(clean|smudge|process)$',
  ]
  const said = await git(folder, ['config', ...wanted], {}, [1])
  if (said === undefined) return undefined
  const [scopes, keys] = [0, 1].map(odd => said.split('\0').filter((_, at) => at % 2 === odd))
  const own = (keys ?? []).filter((_, at) => /^(local|worktree)$/.test(scopes?.[at] ?? ''))
  const names = new Set(own.map(key => key.slice(0, key.lastIndexOf('.'))))
  const off = [...names].flatMap(name => [
    [`${name}.clean`, ''],
    [`${name}.process`, ''],
    [`${name}.required`, 'false'],
  ])
  const given = Number(process.env.GIT_CONFIG_COUNT) || 0
  // Not as arguments: a name may hold anything, an equals sign, too.
  return Object.fromEntries([
    ...(off.length > 0 ? [['GIT_CONFIG_COUNT', String(given + off.length)]] : []),
    ...off.flatMap(([key, value], at) => [
      [`GIT_CONFIG_KEY_${given + at}`, key],
      [`GIT_CONFIG_VALUE_${given + at}`, value],
    ]),
  ])
}

const SAFE = [
  'core.fsmonitor=false',
  'core.hooksPath=/dev/null',
  'core.quotePath=false',
  // A folder of files that looks like a repository is none: its configuration would be a stranger's.
  'safe.bareRepository=explicit',
].flatMap(setting => ['-c', setting])
/** What is missing in a partial clone is not fetched: its configuration names the program for that. */
const OFFLINE = { GIT_NO_LAZY_FETCH: '1', GIT_ALLOW_PROTOCOL: 'none' }

/** Its output, or undefined when it fails; `empty`: codes that only say that there is nothing. */
export function git(
  cwd: string,
  args: readonly string[],
  more: Readonly<Record<string, string>> = {},
  empty: readonly number[] = [],
): Promise<string | undefined> {
  // A variable such as GIT_DIR would answer for another repository.
  const { GIT_DIR, GIT_WORK_TREE, GIT_INDEX_FILE, GIT_COMMON_DIR, ...rest } = process.env
  const env = { ...rest, ...OFFLINE, GIT_OPTIONAL_LOCKS: '0', GIT_TERMINAL_PROMPT: '0', LC_ALL: 'C', ...more }
  return new Promise(resolve => {
    execFile(
      'git',
      [...SAFE, ...args],
      { cwd, env, timeout: TIMEOUT_MS, maxBuffer: MAX_OUTPUT, encoding: 'utf8', killSignal: 'SIGKILL' },
      (error, stdout) => resolve(error && !empty.includes(Number(error.code)) ? undefined : stdout),
    )
  })
}

async function fileDigest(path: string, read: boolean): Promise<string> {
  try {
    const facts = await lstat(path)
    if (!facts.isFile() || !read || facts.size > READ_BYTES) return `${facts.size}:${facts.mtimeMs}\0`
    return createHash('sha256')
      .update(await readFile(path))
      .digest('base64url')
  } catch {
    return 'gone\0'
  }
}
