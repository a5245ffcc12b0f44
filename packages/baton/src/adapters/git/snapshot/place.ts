import { createHash } from 'node:crypto'
import { lstatSync, realpathSync, statSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { type GitOptions, type GitResult, hardenedGit, spawnGit } from '../hardened.ts'

/** A repository that git runs on. */
export interface Repo {
  readonly root: string
  readonly gitDir: string
  readonly format: 'sha1' | 'sha256'
  /** Where new objects go and old ones are found; by default in the repository itself. */
  readonly objects?: { readonly write: string; readonly read: string }
}

/** A worktree and its git folders. */
export interface Place extends Repo {
  /** The project's own object folder, shared by all its worktrees. */
  readonly objectDir: string
  /** The prefix of this worktree's snapshot refs, with a trailing slash. */
  readonly refs: string
  /** Identifies this worktree on this machine. */
  readonly key: string
}

export const UNDO_REFS = 'refs/baton/undo/'

/** Finds worktrees, and caches them while their `.git` stays the same. */
export class Places {
  readonly #known = new Map<string, { born: string; place: Place }>()

  /** The worktree that contains a folder. Undefined if there is none, or if it belongs to another user. */
  async find(folder: string): Promise<Place | undefined> {
    const root = rootAbove(folder)
    if (root === undefined) return undefined
    const { ino, birthtimeMs } = lstatSync(join(root, '.git'))
    const born = `${ino}:${birthtimeMs}`
    const known = this.#known.get(root)
    if (known?.born === born) return known.place
    const place = await findPlace(root)
    if (place) this.#known.set(root, { born, place })
    else this.#known.delete(root)
    return place
  }
}

async function findPlace(root: string): Promise<Place | undefined> {
  const asked = ['rev-parse', '--absolute-git-dir', '--git-common-dir', '--show-object-format']
  // Let git find the repository itself: only then it rejects one that belongs to another user.
  const { code, stdout } = await hardenedGit(asked, {
    cwd: root,
    env: { GIT_CEILING_DIRECTORIES: dirname(root) },
    ok: [0, 128],
  })
  const [gitDir, common, format] = stdout.toString('utf8').split('\n')
  if (code !== 0 || !gitDir || !common) return undefined
  const commonDir = realpathSync(resolve(root, common))
  const own = realpathSync(gitDir)
  return {
    root,
    gitDir: own,
    objectDir: join(commonDir, 'objects'),
    format: format === 'sha256' ? 'sha256' : 'sha1',
    refs: `${UNDO_REFS}${digest(relative(commonDir, own) + birthOf(own))}/`,
    key: digest(own),
  }
}

/** Runs git on a known worktree: a `core.worktree` in the repository's configuration cannot redirect it. */
export function gitAt(
  repo: Repo,
  args: readonly string[],
  options: Partial<GitOptions> = {},
): Promise<GitResult> {
  return hardenedGit(args, at(repo, options))
}

export const spawnGitAt = (repo: Repo, args: readonly string[], options: Partial<GitOptions> = {}) =>
  spawnGit(args, at(repo, options))

function at(repo: Repo, options: Partial<GitOptions>): GitOptions {
  const objects = repo.objects && {
    GIT_OBJECT_DIRECTORY: repo.objects.write,
    GIT_ALTERNATE_OBJECT_DIRECTORIES: listed(repo.objects.read),
  }
  return {
    cwd: repo.root,
    ...options,
    env: { GIT_DIR: repo.gitDir, GIT_WORK_TREE: repo.root, ...objects, ...options.env },
  }
}

/** A colon separates folders in git's list, unless the folder is quoted. */
const listed = (folder: string): string =>
  /[:"\\]/.test(folder) ? `"${folder.replace(/["\\]/g, '\\$&')}"` : folder

function rootAbove(folder: string): string | undefined {
  let at: string
  try {
    at = realpathSync(folder)
  } catch {
    return undefined
  }
  for (;;) {
    const found = lstatSync(join(at, '.git'), { throwIfNoEntry: false })
    if (found?.isDirectory() || found?.isFile()) return at
    const parent = dirname(at)
    if (parent === at) return undefined
    at = parent
  }
}

/** When git created this linked worktree. A later worktree of the same name is a different one. */
function birthOf(gitDir: string): string {
  const found = statSync(join(gitDir, 'commondir'), { throwIfNoEntry: false })
  return found ? `\0${found.mtimeMs}` : ''
}

const digest = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16)
