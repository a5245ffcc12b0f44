import { join, relative, resolve } from 'node:path'
import type { UnnamedWrites } from '../../ports/unnamed-writes.ts'
import { git, withoutFilters } from './git.ts'
import { readRegularText } from './snapshot/regular-file.ts'

const MAX_PATCH = 5_000_000
const MAX_WORDS = 50
/** Commits that an unfinished merge, rebase, cherry-pick or revert continues with or returns to. */
const HALF_DONE = ['HEAD', 'ORIG_HEAD', 'MERGE_HEAD', 'CHERRY_PICK_HEAD', 'REVERT_HEAD', 'REBASE_HEAD']

/** Compares what git would write with what is in the worktree: an identical file changes nothing. */
export const gitUnnamedWrites: UnnamedWrites = {
  async mayChange(worktree, commands, isGuarded, checkHooks = true) {
    const calm = await withoutFilters(worktree)
    const where = (await git(worktree, ['rev-parse', '--show-toplevel']))?.trimEnd()
    if (!calm || !where) return true
    const look: Look = {
      root: where,
      named: said => said.split('\0').some(name => name !== '' && isGuarded(join(where, name))),
      // If the comparison fails, assume a write.
      git: args => git(where, args, calm).then(said => said ?? Promise.reject(new Error(args[0]))),
    }
    try {
      if (checkHooks && (await runsChangedHooks(look))) return true
      for (const [sub = '', ...words] of commands)
        if (await (checkHooks ? brings : bringsInside)(look, sub, words)) return true
      return false
    } catch {
      return true
    }
  },
}

interface Look {
  root: string
  /** Whether the list contains the name of a guarded file. */
  named(said: string): boolean
  git(args: readonly string[]): Promise<string>
}

async function brings(look: Look, sub: string, words: readonly string[]): Promise<boolean> {
  if (words.length > MAX_WORDS || words.some(word => word.includes('..'))) return true
  const plain = words.filter(word => !word.startsWith('-') || word === '-')
  // An option's value may also name a commit.
  const values = words.flatMap(word => /^-(?:-[\w-]+=|[a-z])(.+)$/.exec(word)?.[1] ?? [])
  const names = [...plain.map(word => (word === '-' ? '@{-1}' : word)), ...values]
  const goesOn = words.some(word => /^--(abort|continue|skip|quit)$/.test(word))
  switch (sub) {
    case 'commit':
      return false
    case 'checkout':
    case 'restore':
    case 'switch':
    case 'worktree':
      return (await index(look)) || (await any(look, [...names, ...(await remotes(look, names)), 'HEAD']))
    case 'reset':
      return await any(look, [...names, 'HEAD'])
    case 'merge':
      return await any(look, [...names, ...(goesOn ? HALF_DONE : ['@{upstream}'])])
    case 'cherry-pick':
      return goesOn || (await any(look, names))
    case 'revert':
      return (
        goesOn ||
        (await any(
          look,
          names.flatMap(name => [`${name}^1`, `${name}^2`]),
        ))
      )
    case 'stash':
      return await stash(look, words, plain)
    case 'rm':
      return look.named(await look.git(['ls-files', '-z', '--', ...plain]))
    case 'clean':
      return look.named(await look.git(['ls-files', '-z', '--others', '--', ...plain]))
    case 'apply':
      return await patches(look, words, plain)
    default:
      return true
  }
}

/**
 * The same for a command that is contained: guarded files are read-only for it, so a commit on the way that changes one makes
 * it fail. A rebase ends with what the base and the branch have.
 */
async function bringsInside(look: Look, sub: string, words: readonly string[]): Promise<boolean> {
  const plain = words.filter(word => !word.startsWith('-'))
  const has = (option: RegExp) => words.some(word => option.test(word))
  const hasOnly = (option: RegExp) => words.every(word => !word.startsWith('-') || option.test(word))
  // Without the index, a patch or a reset records nothing about a file that it could not write.
  if (sub === 'apply' && hasOnly(APPLIES)) return false
  if (sub === 'reset' && hasOnly(RESETS)) return false
  if (sub === 'update-index') return false
  if (sub === 'rebase' && has(/^--(continue|skip|abort|quit)$/))
    return await any(look, (await exists(look, 'REBASE_HEAD')) ? HALF_DONE : ['HEAD'])
  const isOther = words.some(word => word.startsWith('-') && !CONTAINED_OPTIONS.test(word))
  if (isOther || plain.length > 2 || words.some(word => word.includes('..')))
    return await brings(look, sub, words)
  // The second name is the branch that git switches to first.
  if (sub === 'rebase') return await any(look, [plain[0] ?? '@{upstream}', plain[1] ?? 'HEAD', 'HEAD'])
  // What this command itself puts aside first comes back.
  if (sub === 'stash' && /^(pop|apply)$/.test(plain.join(' ')) && !(await exists(look, 'refs/stash')))
    return await any(look, ['HEAD'])
  if (sub === 'pull') return await any(look, [plain.length === 2 ? plain.join('/') : '@{upstream}', 'HEAD'])
  return await brings(look, sub, words)
}

/** Options that leave the index alone. Git takes shortened ones, too, so no others count. */
const APPLIES =
  /^(-|-p\d+|-C\d+|-R|--reverse|-v|--verbose|-q|--quiet|--check|--stat|--reject|--recount|--unidiff-zero|--whitespace=\w+|--ignore-whitespace)$/
/** Options with which files stay as they are. */
const RESETS = /^(-q|--quiet|--soft|--mixed|-N|--intent-to-add|-p|--patch|--)$/

const CONTAINED_OPTIONS =
  /^(-q|--quiet|-v|--verbose|-i|--interactive|-r|--rebase|--no-rebase|--ff-only|--auto(stash|squash)|--no-auto(stash|squash)|--update-refs|--stat|--no-stat|--no-edit|-p|--prune)$/

/** Whether a guarded file differs between the worktree and one of these commits. Ignores names that are not commits. */
async function any(look: Look, names: readonly string[]): Promise<boolean> {
  for (const name of new Set(names)) {
    const tree = await look.git(['rev-parse', '--verify', '--quiet', `${name}^{tree}`]).catch(() => '')
    if (tree.trim() !== '' && look.named(await look.git(['diff-index', ...NAMES, tree.trim(), '--'])))
      return true
  }
  return false
}

const NAMES = ['--name-only', '-z', '--no-renames', '--ignore-submodules=all']

const index = async (look: Look): Promise<boolean> =>
  look.named(await look.git(['diff-files', ...NAMES, '--']))

/** The remote branches of these names: git creates a local branch from one at its first use. */
async function remotes(look: Look, names: readonly string[]): Promise<string[]> {
  const plain = names.filter(name => /^[\w./-]+$/.test(name))
  if (plain.length === 0) return []
  const refs = plain.map(name => `refs/remotes/*/${name}`)
  return (await look.git(['for-each-ref', '--format=%(refname)', ...refs])).split('\n').filter(Boolean)
}

async function stash(look: Look, words: readonly string[], plain: readonly string[]): Promise<boolean> {
  const [what = 'push', name = 'stash@{0}'] = plain
  if (/^(list|show|drop|clear|create|store)$/.test(what)) return false
  if (/^(pop|apply|branch)$/.test(what)) {
    const entry = /^\d+$/.test(name) ? `stash@{${name}}` : name
    const known = await look.git(['rev-parse', '--verify', '--quiet', `${entry}^{tree}`]).catch(() => '')
    return what === 'branch' || known === '' || (await any(look, [entry, `${entry}^2`, `${entry}^3`]))
  }
  const untracked = words.some(word => /^(--include-untracked|--all|-[a-z]*[ua])/.test(word))
  if (untracked && look.named(await look.git(['ls-files', '-z', '--others']))) return true
  return await any(look, ['HEAD'])
}

const exists = async ({ git }: Look, name: string): Promise<boolean> =>
  (await git(['rev-parse', '--verify', '--quiet', name]).catch(() => '')) !== ''

/** Checks the files that patches name. Assumes a write for a quoted name and for a patch that is not in a file. */
async function patches(look: Look, words: readonly string[], plain: readonly string[]): Promise<boolean> {
  if (plain.length === 0 || plain.includes('-')) return true
  if (words.some(word => /^--(directory|unsafe-paths|include|exclude)/.test(word))) return true
  for (const name of plain) {
    const text = readRegularText(name, MAX_PATCH)
    if (text === undefined) return true
    for (const line of text.split('\n')) {
      const said = /^(?:\+\+\+|---|(?:rename|copy) (?:to|from)|diff --git) (.*)$/.exec(line)?.[1]
      if (said === undefined) continue
      if (said.includes('"')) return true
      if (
        look.named(
          said
            .replace(/\t.*$|\r$/, '')
            .split(' ')
            .join('\0'),
        )
      )
        return true
    }
  }
  return false
}

/** Whether changed hooks inside the worktree would run with the next commit: code that no one has allowed. */
async function runsChangedHooks(look: Look): Promise<boolean> {
  const named = await look.git(['config', '--type=path', '--get-all', '-z', 'core.hooksPath'])
  // The last value is Baton's own setting, which disables hooks during this check.
  const shown = named.split('\0').at(-3)
  if (shown === undefined) return false
  const inside = relative(look.root, resolve(look.root, shown))
  if (inside === '') return true
  if (inside.startsWith('..') || /^\.git(\/|$)/.test(inside)) return false
  const changed = await look.git([
    'status',
    '--porcelain',
    '--untracked-files=all',
    '--ignore-submodules=all',
    '--',
    inside,
  ])
  return changed.trim() !== ''
}
