import { lstat, realpath } from 'node:fs/promises'
import { BatonError } from '@batonpass/contract/errors'
import type { GitLogin, GitWork } from '../../ports/git-work.ts'
import { type GitSaid, isStranger, networkGit } from './network.ts'

const LOCAL_MS = 20_000
const BASES = ['upstream/main', 'upstream/master', 'origin/main', 'origin/master']

/** `origin`, or else the only remote. */
export async function remoteOf(folder: string): Promise<string | undefined> {
  const names = (await local(folder, ['remote'])).out.split('\n').filter(Boolean)
  return names.includes('origin') ? 'origin' : names.length === 1 ? names[0] : undefined
}

/** Branches and worktrees, with the user's own git. */
export const gitWork: GitWork = {
  remote: remoteOf,

  async base(folder, login) {
    const remote = await remoteOf(folder)
    if (!remote) throw noRemote()
    const fetch = (given?: GitLogin) =>
      networkGit(['fetch', '--quiet', remote], { cwd: folder, login: given })
    await fetch().catch(async error => {
      const own = isStranger(error) ? await login?.() : undefined
      if (!own) throw error
      await fetch(own)
    })
    const head = await local(folder, ['symbolic-ref', '--short', '-q', `refs/remotes/${remote}/HEAD`])
    for (const name of [head.out.trim(), `${remote}/main`, `${remote}/master`, ...BASES]) {
      if (name && (await exists(folder, `refs/remotes/${name}`))) return name
    }
    const only = await local(folder, ['for-each-ref', '--format=%(refname:short)', `refs/remotes/${remote}`])
    const [first, second] = only.out.split('\n').filter(name => name && !name.endsWith('/HEAD'))
    if (first && !second) return first
    throw new BatonError('git_failed', `${remote} has no main branch to start from`, {
      remedy: `Set it with \`git remote set-head ${remote} BRANCH\`.`,
    })
  },

  async switchBranch(folder, branch, base) {
    await checkBranchName(folder, branch)
    const { out } = await local(folder, ['symbolic-ref', '--short', '-q', 'HEAD'])
    if (out.trim() === branch) return
    if (await exists(folder, `refs/heads/${branch}`)) await must(folder, ['switch', '--quiet', branch])
    else
      await must(folder, ['switch', '--quiet', '--create', branch, ...(await startOf(folder, branch, base))])
  },

  async addWorktree(folder, path, branch, base) {
    await checkBranchName(folder, branch)
    const known = await local(folder, ['worktree', 'list', '--porcelain'])
    const there = await lstat(path).then(
      () => realpath(path),
      () => undefined,
    )
    // Created by an earlier attempt that was interrupted.
    if (there && known.out.includes(`worktree ${there}\n`)) return there
    const start = (await exists(folder, `refs/heads/${branch}`))
      ? [path, branch]
      : ['-b', branch, path, (await startOf(folder, branch, base)).at(-1) ?? base]
    await must(folder, ['worktree', 'add', '--quiet', ...start])
    return realpath(path)
  },

  async ahead(folder, base) {
    const counted = await local(folder, ['rev-list', '--count', `${base}..HEAD`])
    return counted.code === 0 ? Number(counted.out.trim()) : 0
  },

  async isTracked(folder, path) {
    return (await local(folder, ['ls-files', '--error-unmatch', '--', path])).code === 0
  },
}

/** Where a new local branch starts: at the same branch on the remote, else at the base. */
async function startOf(folder: string, branch: string, base: string): Promise<string[]> {
  const remote = await remoteOf(folder)
  const theirs = `${remote}/${branch}`
  return (await exists(folder, `refs/remotes/${theirs}`)) ? ['--track', theirs] : ['--no-track', base]
}

export async function checkBranchName(folder: string, branch: string): Promise<void> {
  const fine =
    !branch.startsWith('-') && (await local(folder, ['check-ref-format', '--branch', branch])).code === 0
  if (!fine) throw new BatonError('git_failed', `${JSON.stringify(branch)} is not a valid branch name`)
}

const exists = async (folder: string, ref: string): Promise<boolean> =>
  (await local(folder, ['rev-parse', '--verify', '--quiet', `${ref}^{commit}`])).code === 0

const local = (folder: string, args: readonly string[]): Promise<GitSaid> =>
  networkGit(args, { cwd: folder, lenient: true, timeoutMs: LOCAL_MS, env: { GIT_OPTIONAL_LOCKS: '0' } })
const must = (folder: string, args: readonly string[]): Promise<GitSaid> =>
  networkGit(args, { cwd: folder, timeoutMs: LOCAL_MS })

export const noRemote = () =>
  new BatonError('git_failed', 'This repository has no remote', {
    remedy: 'Add one with `git remote add origin ADDRESS`.',
  })
