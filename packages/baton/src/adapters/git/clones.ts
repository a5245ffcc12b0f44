import { lstat, mkdir, realpath, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { BatonError } from '@batonpass/contract/errors'
import type { Clones } from '../../ports/clones.ts'
import type { GitLogin } from '../../ports/git-work.ts'
import { systemGit } from './git.ts'
import { isStranger, networkGit } from './network.ts'
import { gitWork, noRemote, remoteOf } from './work.ts'

/** A first fetch of a large repository. */
const FETCH_MS = 30 * 60_000
const CHECKOUT_MS = 10 * 60_000
const ALL_BRANCHES = '+refs/heads/*:refs/heads/*'
/** Settings of the project that commits in the clone need, too. */
const COPIED = ['user.name', 'user.email', 'commit.gpgsign', 'gpg.format', 'user.signingkey']

/**
 * Clones next to the project, in `NAME-fleet`. They borrow the objects of `shared.git` there, a bare repository that only
 * Baton writes. It never deletes objects, because git does not know who borrows them.
 */
export const gitClones: Clones = {
  async folders(project, issue) {
    const root = `${await realpath(project)}-fleet`
    return { clone: join(root, `issue-${issue}`), objects: join(root, 'shared.git', 'objects') }
  },

  async make(project, { clone, objects }, login) {
    if (await exists(clone)) return
    const remote = await remoteOf(project)
    if (!remote) throw noRemote()
    // Git reads one path in each line of the file, and gives some characters a meaning.
    if (/[\n"#]/.test(objects))
      throw new BatonError('git_failed', `Git cannot borrow objects from this folder: ${objects}`, {
        remedy: 'Move the project to a folder without quotes, # and line breaks in its path.',
      })
    const shared = dirname(objects)
    await fetchShared(project, remote, shared, login)
    const fresh = `${clone}.new`
    await rm(fresh, { recursive: true, force: true })
    await mkdir(fresh, { recursive: true, mode: 0o700 })
    await networkGit(['init', '--quiet', '--template='], { cwd: fresh })
    await writeFile(join(fresh, '.git/objects/info/alternates'), `${objects}\n`)
    await mkdir(join(fresh, '.git/info'), { recursive: true })
    for (const name of await lines(project, ['remote']))
      for (const url of await lines(project, ['remote', 'get-url', '--', name]))
        await networkGit(['remote', 'add', '--', name, url], { cwd: fresh })
    for (const key of COPIED)
      for (const value of await lines(project, ['config', '--local', '--get', key]))
        await networkGit(['config', '--local', key, value], { cwd: fresh })
    await networkGit(['config', '--local', 'gc.auto', '0'], { cwd: fresh })
    const base = await gitWork.base(fresh, login)
    await networkGit(['checkout', '--quiet', '--detach', base], { cwd: fresh, timeoutMs: CHECKOUT_MS })
    await rename(fresh, clone)
  },

  unsaved: async ({ clone }) => ((await exists(clone)) ? whatWouldBeLost(clone) : undefined),

  async setAside(folders) {
    if ((await gitClones.remove(folders)) === 'removed') return
    for (let count = 1; ; count++) {
      const aside = `${folders.clone}-left-${count}`
      if (!(await exists(aside))) return rename(folders.clone, aside)
    }
  },

  async remove(folders) {
    const { clone } = folders
    if (!(await exists(clone))) return 'removed'
    const kept = await whatWouldBeLost(clone)
    if (kept) return { kept }
    await rm(clone, { recursive: true, force: true, maxRetries: 3 })
    return 'removed'
  },
}

/** Brings the bare repository up to date. The first time it copies what the project has, so that little is downloaded. */
async function fetchShared(
  project: string,
  remote: string,
  shared: string,
  login: () => Promise<GitLogin | undefined>,
): Promise<void> {
  const [url] = await lines(project, ['remote', 'get-url', '--', remote])
  if (!url) throw noRemote()
  if (!(await exists(join(shared, 'HEAD')))) {
    await mkdir(shared, { recursive: true, mode: 0o700 })
    await networkGit(['init', '--quiet', '--bare', '--template='], { cwd: shared })
    for (const [key, value] of [
      ['gc.auto', '0'],
      ['maintenance.auto', 'false'],
      ['gc.pruneExpire', 'never'],
    ] as const)
      await networkGit(['config', key, value], { cwd: shared })
    const own = `+refs/remotes/${remote}/*:refs/heads/*`
    await networkGit(['-c', 'protocol.file.allow=always', 'fetch', '--quiet', '--no-tags', project, own], {
      cwd: shared,
      timeoutMs: FETCH_MS,
      lenient: true,
    })
  }
  const fetch = (given?: GitLogin) =>
    networkGit(['fetch', '--quiet', '--no-tags', '--no-auto-gc', '--', url, ALL_BRANCHES], {
      cwd: shared,
      timeoutMs: FETCH_MS,
      login: given,
    })
  await fetch().catch(async error => {
    const own = isStranger(error) ? await login() : undefined
    if (!own) throw error
    await fetch(own)
  })
}

/** What only this clone has; undefined if the remote has everything. */
async function whatWouldBeLost(clone: string): Promise<string | undefined> {
  const position = await systemGit.readPosition(clone)
  if (!position) return 'git cannot read it'
  if (position.dirty.length > 0)
    return `it has uncommitted changes (${position.dirty.slice(0, 3).join(', ')})`
  if ((await lines(clone, ['stash', 'list'])).length > 0) return 'it has stashed changes'
  for (const branch of await lines(clone, ['for-each-ref', '--format=%(refname)', 'refs/heads'])) {
    const own = await lines(clone, ['rev-list', '--max-count=1', branch, '--not', '--remotes'])
    if (own.length > 0) return `${branch.replace('refs/heads/', '')} has commits that were not pushed`
  }
  return undefined
}

const lines = async (cwd: string, args: readonly string[]): Promise<string[]> =>
  (await networkGit(args, { cwd, lenient: true })).out.split('\n').filter(Boolean)

const exists = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  )
