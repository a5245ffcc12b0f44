import { execFileSync } from 'node:child_process'
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { gitSnapshots } from '../../src/adapters/git/snapshot.ts'
import { Undo, type UndoOptions } from '../../src/undo/undo.ts'
import { gitRepo, type Repository, scratch } from '../world/scratch.ts'

export interface UndoWorld extends AsyncDisposable {
  repo: Repository
  undo: Undo
  time: { now: number }
  state: string
}

export const DAY = 86_400_000

/** A repository, undo over it, and a clock that stands until it is set. */
export async function undoWorld(options: Partial<UndoOptions> = {}): Promise<UndoWorld> {
  const repo = await gitRepo()
  const state = scratch('bu-')
  const time = { now: Date.UTC(2026, 10, 15, 12) }
  const undo = new Undo({
    snapshots: gitSnapshots({ dir: state.path }),
    clock: { now: () => time.now, elapsed: () => 0 },
    ...options,
  })
  return {
    repo,
    undo,
    time,
    state: state.path,
    async [Symbol.asyncDispose]() {
      state.remove()
      repo.remove()
    },
  }
}

/** Baton's own repository of a world's snapshots. */
export const storeIn = ({ state }: Pick<UndoWorld, 'state'>): string =>
  join(state, readdirSync(state)[0] ?? '', 'store.git')

/** The names of the snapshots in it. */
export const storedRefs = async (world: Pick<UndoWorld, 'state'>): Promise<string[]> =>
  execFileSync('git', ['for-each-ref', '--format=%(refname:lstrip=4)'], {
    cwd: storeIn(world),
    encoding: 'utf8',
  })
    .split('\n')
    .filter(Boolean)
    .sort()

/** Every file below a folder, `.git` left out: kind, permission bits and content. Names are bytes. */
export function treeOf(root: string, folder = Buffer.alloc(0)): Record<string, string> {
  const found: Record<string, string> = {}
  const at = Buffer.concat([Buffer.from(`${root}/`), folder])
  for (const name of readdirSync(at, { encoding: 'buffer' })) {
    if (folder.length === 0 && name.toString() === '.git') continue
    const path = folder.length === 0 ? name : Buffer.concat([folder, Buffer.from('/'), name])
    const where = Buffer.concat([Buffer.from(`${root}/`), path])
    const facts = lstatSync(where)
    const key = path.toString('latin1')
    if (facts.isDirectory()) Object.assign(found, treeOf(root, path))
    else if (facts.isSymbolicLink()) found[key] = `link ${readlinkSync(where, { encoding: 'latin1' })}`
    else found[key] = `${(facts.mode & 0o777).toString(8)} ${readFileSync(where, 'latin1')}`
  }
  return found
}

/** All that git knows of a worktree besides its files. */
export async function gitState(repo: Repository, folder = repo.path): Promise<Record<string, string>> {
  const ask = (...args: string[]) => repo.git('-C', folder, ...args).catch(() => 'none')
  return {
    head: await ask('rev-parse', '-q', '--verify', 'HEAD'),
    branch: await ask('symbolic-ref', '-q', 'HEAD'),
    index: await ask('ls-files', '--stage', '-z'),
    flags: await ask('ls-files', '-t', '-v', '-z'),
  }
}

export const indexBytes = (repo: Repository): string =>
  readFileSync(join(repo.path, '.git/index')).toString('base64')
