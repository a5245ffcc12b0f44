import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { constants, lstatSync } from 'node:fs'
import { appendFile, lstat, mkdir, realpath } from 'node:fs/promises'
import { dirname, isAbsolute, join } from 'node:path'
import type { Git, GitPosition } from '../../ports/git.ts'
import { readRegularFile, readRegularText } from './snapshot/regular-file.ts'

const TIMEOUT_MS = 4000
const MAX_OUTPUT = 32 * 1024 * 1024
/** Beyond these limits, an untracked file is identified by size and time instead of content. */
const MAX_READ_FILES = 300
const MAX_READ_BYTES = 2_000_000
/** Baton's own folders do not count as work of the agent. */
const BATON_FOLDERS = ['.tmp', '.baton', '.bmad/handoffs', '.bmad/handoff-facts']
/** More paths or commits would not tell the reader more. */
const MAX_PATHS = 3000
const MAX_COMMITS = 50
const MAX_SUBJECTS = 2000
/** Tracked or not: what is in them may be a secret. */
const SECRET_FILES = [
  '.env',
  '.env.*',
  '*.pem',
  '*.key',
  '.netrc',
  '.pgpass',
  '*credential*',
  '*secret*',
].map(name => `:(exclude,top,glob,icase)**/${name}`)
/** Compare only the commit of a submodule: to see more, git would run inside it with the submodule's own settings. */
const PARTS = ['--ignore-submodules=dirty', '--submodule=short']
const STATUS = ['--no-renames', '--untracked-files=all', '--ignore-submodules=dirty']

/** Runs git with argument lists only, without locks, prompts, or the repository's hooks and helpers. */
export const systemGit: Git & GitPosition = {
  async worktree(folder) {
    const where = await git(folder, ['rev-parse', '--show-toplevel'])
    const root = where?.trimEnd()
    if (!root) return undefined
    const scope = ['--', '.', ...BATON_FOLDERS.map(name => `:(exclude,top)${name}`)]
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
      tree.update(await fileDigest(join(root, name), i < MAX_READ_FILES))
    return {
      root,
      head: head?.trim() ?? '',
      branch: branch?.trim() || undefined,
      tree: tree.digest('base64url'),
    }
  },

  async readPosition(folder) {
    const scope = ['--', ':/', ...BATON_FOLDERS.map(name => `:(exclude,top)${name}`)]
    const status = ['status', '--porcelain=v2', '--branch', '--show-stash', '-z', ...STATUS]
    const calm = await withoutFilters(folder)
    if (!calm) return undefined
    const [where, said, unfinished] = await Promise.all([
      git(folder, ['rev-parse', '--show-toplevel']),
      git(folder, [...status, ...scope], calm),
      unfinishedWork(folder),
    ])
    const submodules = await changedSubmodules(where?.trimEnd())
    const rebased = unfinished.some(text => text.includes('rebase')) ? await rebasedBranch(folder) : undefined
    const root = where?.trimEnd()
    if (!root || said === undefined) return undefined
    const parts = said.split('\0')
    const header = (name: string) =>
      parts.find(part => part.startsWith(`# branch.${name} `))?.slice(10 + name.length)
    const [, ahead, behind] = /^\+(\d+) -(\d+)$/.exec(header('ab') ?? '') ?? []
    const [head, branch] = [header('oid'), header('head')]
    const stashed = /^# stash (\d+)$/.exec(parts.find(part => part.startsWith('# stash ')) ?? '')?.[1]
    const conflicts = parts.filter(part => part.startsWith('u ')).flatMap(pathOf)
    const state = [
      ...unfinished,
      ...(rebased ? [`The rebase is of the branch ${rebased}`] : []),
      ...submodules.map(({ path, state }) => `The submodule ${path} ${state}`),
      ...(conflicts.length > 0 ? [`Conflicts in ${conflicts.slice(0, 10).join(', ')}`] : []),
      ...(stashed ? [`git stash holds ${stashed} ${stashed === '1' ? 'entry' : 'entries'}`] : []),
    ]
    return {
      root,
      head: head && head !== '(initial)' ? head : '',
      branch: branch === '(detached)' ? undefined : branch,
      ahead: ahead === undefined ? undefined : Number(ahead),
      behind: behind === undefined ? undefined : Number(behind),
      dirty: parts.flatMap(pathOf).slice(0, MAX_PATHS),
      ...(state.length > 0 ? { state } : {}),
      ...(rebased ? { rebased } : {}),
      ...(submodules.length > 0 ? { submodules: submodules.map(({ path }) => path) } : {}),
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

  async lookUp(folder, commits) {
    const ids = commits.filter(id => /^[0-9a-f]{4,40}$/i.test(id))
    const form = ['--format=%(refname:short)', `--count=${MAX_PATHS}`]
    const [listed, tags, subject, remotes, ...found] = await Promise.all([
      git(folder, ['for-each-ref', ...form, 'refs/heads', 'refs/remotes', 'refs/tags']),
      git(folder, ['for-each-ref', ...form, 'refs/tags']),
      git(folder, ['log', '--format=%s', '--max-count=1', '--no-show-signature', '--no-color']),
      git(folder, ['remote']),
      ...ids.map(id =>
        git(folder, ['rev-parse', '--verify', '--quiet', '--end-of-options', `${id}^{commit}`]),
      ),
    ])
    if (listed === undefined) return undefined
    return {
      commits: ids.filter((_, i) => found[i] !== undefined),
      refs: listed.split('\n').filter(Boolean),
      tags: tags?.split('\n').filter(Boolean),
      subject: subject?.trim() || undefined,
      remotes: remotes?.split('\n').filter(Boolean),
    }
  },

  async findWords(folder, words) {
    if (words.length === 0) return []
    const patterns = words.flatMap(word => ['-e', word])
    const found = await Promise.all([
      git(folder, ['grep', '-I', '-F', '-o', '-h', '--no-color', ...patterns, '--', ':/', ...SECRET_FILES]),
      git(folder, ['ls-files', '-z', '--full-name', '--', ':/']),
      git(folder, ['for-each-ref', '--format=%(refname)', `--count=${MAX_PATHS}`]),
      git(folder, ['log', '--format=%s%n%b', `--max-count=${MAX_SUBJECTS}`]),
    ])
    return words.filter(word => found.some(text => text?.includes(word)))
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
    const isThere = lstatSync(path, { throwIfNoEntry: false }) !== undefined
    const before = isThere ? readRegularText(path, MAX_READ_BYTES) : ''
    if (before === undefined || before.split('\n').includes(pattern)) return
    await mkdir(dirname(path), { recursive: true })
    const { O_WRONLY, O_CREAT, O_APPEND, O_NOFOLLOW, O_NONBLOCK } = constants
    const flag = O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK
    await appendFile(path, `${before === '' || before.endsWith('\n') ? '' : '\n'}${pattern}\n`, { flag })
  },
}

/** Files in git's folder that exist only while an operation is unfinished. */
const UNFINISHED: Readonly<Record<string, string>> = {
  MERGE_HEAD: 'A merge is in progress (`git merge --continue` or `--abort`)',
  'rebase-merge': 'A rebase is in progress (`git rebase --continue` or `--abort`)',
  'rebase-apply': 'A rebase is in progress (`git rebase --continue` or `--abort`)',
  CHERRY_PICK_HEAD: 'A cherry-pick is in progress (`git cherry-pick --continue` or `--abort`)',
  REVERT_HEAD: 'A revert is in progress (`git revert --continue` or `--abort`)',
  BISECT_LOG: 'A bisect is in progress (`git bisect reset` ends it)',
}

async function unfinishedWork(folder: string): Promise<string[]> {
  const names = Object.keys(UNFINISHED)
  const said = await git(folder, ['rev-parse', ...names.flatMap(name => ['--git-path', name])])
  const paths = said?.split('\n').filter(Boolean) ?? []
  if (paths.length !== names.length) return []
  const found = await Promise.all(
    paths.map((path, i) =>
      lstat(isAbsolute(path) ? path : join(folder, path)).then(
        () => UNFINISHED[names[i] ?? ''] ?? [],
        () => [],
      ),
    ),
  )
  return found.flat()
}

/** The branch that a rebase moves; HEAD is detached until the rebase ends. */
async function rebasedBranch(folder: string): Promise<string | undefined> {
  const said = await git(folder, [
    'rev-parse',
    '--git-path',
    'rebase-merge/head-name',
    '--git-path',
    'rebase-apply/head-name',
  ])
  for (const path of said?.split('\n').filter(Boolean) ?? []) {
    const name = readRegularText(isAbsolute(path) ? path : join(folder, path), 1000)
    const branch = /^refs\/heads\/(\S{1,200})\s*$/.exec(name ?? '')?.[1]
    if (branch !== undefined) return branch
  }
  return undefined
}

const MAX_SUBMODULES = 10

/** Submodules with uncommitted files or at another commit than the recorded one; each with its own settings made harmless. */
async function changedSubmodules(root: string | undefined): Promise<{ path: string; state: string }[]> {
  if (!root || !(await lstat(join(root, '.gitmodules')).catch(() => undefined))?.isFile()) return []
  const form = ['config', '--file', '.gitmodules', '-z', '--get-regexp', '^submodule\\..*\\.path$']
  const listed = (await git(root, form, {}, [1])) ?? ''
  const paths = listed.split('\0').flatMap(entry => entry.split('\n')[1] || [])
  const inside = paths.filter(path => !isAbsolute(path) && !path.split('/').includes('..'))
  const found = await Promise.all(inside.slice(0, MAX_SUBMODULES).map(path => submoduleState(root, path)))
  return found.flat()
}

async function submoduleState(root: string, path: string): Promise<{ path: string; state: string }[]> {
  const folder = join(root, path)
  // A link may lead to a repository outside.
  if ((await realpath(folder).catch(() => undefined)) !== folder) return []
  // Without its own .git, git would answer for the repository around it.
  if (!(await lstat(join(folder, '.git')).catch(() => undefined)))
    return [{ path, state: 'is not checked out' }]
  const calm = await withoutFilters(folder)
  if (!calm) return []
  const [status, head, recorded] = await Promise.all([
    git(folder, ['status', '--porcelain=v1', '-z', ...STATUS], calm),
    git(folder, ['rev-parse', '--verify', '-q', 'HEAD']),
    git(root, ['ls-files', '--stage', '-z', '--', path]),
  ])
  const files = status?.split('\0').flatMap(line => line.slice(3) || []) ?? []
  const moved = head !== undefined && recorded !== undefined && !recorded.includes(head.trim())
  const state = [
    ...(files.length > 0 ? [`has uncommitted changes in ${files.slice(0, 10).join(', ')}`] : []),
    ...(moved ? [`is at ${head.trim().slice(0, 12)}, not at the recorded commit`] : []),
  ]
  return state.length > 0 ? [{ path, state: state.join(' and ') }] : []
}

/** The path in one entry of `git status --porcelain=v2`. */
function pathOf(entry: string): string[] {
  const fields = { '1': 8, u: 10, '?': 1 }[entry[0] ?? '']
  const found =
    fields === undefined ? undefined : new RegExp(`^(?:\\S+ ){${fields}}([\\s\\S]+)$`).exec(entry)?.[1]
  return found === undefined ? [] : [found]
}

/**
 * Settings that keep git from running the filters in a repository's own configuration. Filters in the user's configuration,
 * such as LFS, stay. Undefined if Baton cannot read the configuration.
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
  // Not as arguments, because a name may contain anything, even an equals sign.
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
  // A folder that only looks like a bare repository must not count: its configuration could come from anyone.
  'safe.bareRepository=explicit',
].flatMap(setting => ['-c', setting])
/** Do not fetch what is missing in a partial clone: its configuration names the program that would fetch it. */
const OFFLINE = { GIT_NO_LAZY_FETCH: '1', GIT_ALLOW_PROTOCOL: 'none' }

/** Git's output, or undefined if it fails. `empty` lists exit codes that only mean that there is nothing. */
export function git(
  cwd: string,
  args: readonly string[],
  more: Readonly<Record<string, string>> = {},
  empty: readonly number[] = [],
): Promise<string | undefined> {
  // A variable such as GIT_DIR would point to another repository.
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
    if (!facts.isFile() || !read || facts.size > MAX_READ_BYTES) return `${facts.size}:${facts.mtimeMs}\0`
    const bytes = readRegularFile(path, MAX_READ_BYTES)?.bytes
    return bytes ? createHash('sha256').update(bytes).digest('base64url') : 'unreadable\0'
  } catch {
    return 'gone\0'
  }
}
