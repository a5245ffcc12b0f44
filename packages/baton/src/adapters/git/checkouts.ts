import { mkdir, rm } from 'node:fs/promises'
import { pathToFileURL } from 'node:url'
import { BatonError } from '@batonpass/contract/errors'
import type { ChangedFile, Checkouts } from '../../ports/checkouts.ts'
import { type GitOptions, type GitResult, hardenedGit } from './hardened.ts'

const MAX_FILE = 1_000_000
const CHECKOUT_MS = 10 * 60_000
/** The usual places of the default branch, in the order of trust: what was pushed comes first. */
const DEFAULT_BRANCHES = [
  'refs/remotes/origin/HEAD',
  ...['main', 'master', 'trunk', 'develop'].map(name => `refs/remotes/origin/${name}`),
  ...['main', 'master', 'trunk', 'develop'].map(name => `refs/heads/${name}`),
]
/** No settings of the user or the system: a filter such as LFS would run a program and need the network. */
const NO_SETTINGS = { GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' }

export const gitCheckouts: Checkouts = {
  async resolve(project, name) {
    const { code, stdout } = await run(
      ['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`],
      { cwd: project, ok: [0, 1, 128] },
    )
    return code === 0 ? stdout.toString('utf8').trim() : undefined
  },

  async findBase(project, commit) {
    for (const branch of DEFAULT_BRANCHES) {
      const tip = await this.resolve(project, branch)
      if (tip === undefined) continue
      const { code, stdout } = await run(['merge-base', tip, commit], { cwd: project, ok: [0, 1] })
      if (code === 0) return stdout.toString('utf8').trim()
    }
    return commit
  },

  tree(project, commit) {
    let listed: Promise<readonly string[]> | undefined
    return {
      paths() {
        listed ??= run(['ls-tree', '-r', '-z', '--name-only', commit], { cwd: project }).then(({ stdout }) =>
          stdout.toString('utf8').split('\0').filter(Boolean),
        )
        return listed
      },
      async read(path) {
        const entry = await run(['ls-tree', '-z', '-l', commit, '--', `:(literal)${path}`], { cwd: project })
        const [, mode, id, size] =
          /^(\d{6}) blob ([0-9a-f]{40,64}) +(\d+)\t/.exec(entry.stdout.toString('utf8')) ?? []
        if (!id || !mode?.startsWith('100') || Number(size) > MAX_FILE) return undefined
        return (await run(['cat-file', 'blob', id], { cwd: project })).stdout.toString('utf8')
      },
    }
  },

  async changes(project, base, commit) {
    const how = ['-r', '-z', '--no-renames', '--no-ext-diff', '--no-textconv']
    const [counted, named] = await Promise.all([
      run(['diff-tree', ...how, '--numstat', base, commit], { cwd: project }),
      run(['diff-tree', ...how, '--name-status', base, commit], { cwd: project }),
    ])
    const parts = named.stdout.toString('utf8').split('\0').filter(Boolean)
    const status = new Map<string, ChangedFile['status']>()
    for (let i = 0; i + 1 < parts.length; i += 2)
      status.set(parts[i + 1] ?? '', parts[i] === 'A' ? 'added' : parts[i] === 'D' ? 'removed' : 'changed')
    return counted.stdout
      .toString('utf8')
      .split('\0')
      .flatMap(line => {
        const [, added, removed, path] = /^(\d+|-)\t(\d+|-)\t([\s\S]+)$/.exec(line) ?? []
        if (path === undefined) return []
        const count = (text: string | undefined) => (text === '-' ? undefined : Number(text))
        return {
          path,
          status: status.get(path) ?? 'changed',
          addedLines: count(added),
          removedLines: count(removed),
        }
      })
  },

  async patch(project, base, commit) {
    const how = ['-r', '-p', '-U8', '--no-renames', '--no-ext-diff', '--no-textconv', '--no-color']
    return (await run(['diff-tree', ...how, base, commit], { cwd: project })).stdout.toString('utf8')
  },

  async trailers(project, base, commit, name) {
    const format = `--format=%(trailers:key=${name},valueonly,unfold)`
    const { stdout } = await run(['log', format, '--end-of-options', `${base}..${commit}`], { cwd: project })
    return stdout.toString('utf8').split('\n').filter(Boolean)
  },

  async make(project, commit, folder) {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const here: GitOptions = { cwd: folder, timeoutMs: CHECKOUT_MS, env: NO_SETTINGS }
    await run(['init', '--quiet', '--template=', '.'], here)
    // One commit without its history, copied: a hard link would let a check change the objects of the first repository.
    const local = ['-c', 'protocol.file.allow=always', '-c', 'protocol.version=2']
    await run(
      [...local, 'fetch', '--quiet', '--depth=1', '--no-tags', pathToFileURL(project).href, commit],
      // The user's own settings say which folders of other users are safe to read.
      { ...here, env: { GIT_ALLOW_PROTOCOL: 'file' } },
    )
    await run(['checkout', '--quiet', '--detach', commit], here)
  },

  async remove(folder) {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 })
  },
}

async function run(args: readonly string[], options: GitOptions): Promise<GitResult> {
  try {
    return await hardenedGit(args, options)
  } catch (cause) {
    if (!(cause instanceof BatonError) || cause.code !== 'undo_unavailable') throw cause
    throw new BatonError('git_failed', cause.message, { cause })
  }
}
