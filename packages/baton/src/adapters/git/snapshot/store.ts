import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { copyLooseObjects, type WantedObject } from './copy-loose.ts'
import { objectId } from './details.ts'
import type { HeldObjects } from './held.ts'
import type { ObjectWriter } from './objects.ts'
import { gitAt, type Place, type Repo } from './place.ts'

/**
 * Baton's own repository for the snapshots of one worktree. It is in the state folder and complete in itself: it holds
 * the files, and the commits and staged contents that a step refers to, so that nothing done to the project's repository
 * can remove a step.
 */
export interface Store extends Repo {
  readonly refs: string
}

export const storeOf = (place: Place, folder: string): Store => ({
  root: place.root,
  gitDir: join(folder, NAME),
  format: place.format,
  refs: place.refs,
})

/** Git on the project that writes new objects into the store. */
export const writingTo = (place: Place, store: Store): Repo => ({
  ...place,
  objects: { write: join(store.gitDir, 'objects'), read: place.objectDir },
})

/** Creates the store, and moves the steps into it that an earlier Baton stored in the project. Call it under the lock. */
export async function ensureStore(place: Place, store: Store): Promise<void> {
  if (existsSync(store.gitDir)) return
  const draft = { ...store, gitDir: `${store.gitDir}.new` }
  rmSync(draft.gitDir, { recursive: true, force: true })
  for (const name of ['objects/pack', 'refs/heads'])
    mkdirSync(join(draft.gitDir, name), { recursive: true, mode: 0o700 })
  const extensions = place.format === 'sha256' ? '[extensions]\n\tobjectFormat = sha256\n' : ''
  const version = place.format === 'sha256' ? 1 : 0
  writeFileSync(
    join(draft.gitDir, 'config'),
    `[core]\n\trepositoryFormatVersion = ${version}\n\tbare = true\n\tcompression = 1\n\tfsync = none\n${extensions}`,
  )
  writeFileSync(join(draft.gitDir, 'HEAD'), 'ref: refs/heads/none\n')
  const old = await oldSteps(place)
  const isHeld =
    old.length > 0 &&
    (await holdObjects(
      place,
      draft,
      old.map(([, commit]) => commit),
      [],
      undefined,
    ))
  if (isHeld) {
    const input = old.map(([name, commit]) => `create ${name}\0${commit}\0`).join('')
    await gitAt(draft, ['update-ref', '-z', '--stdin'], { input })
  }
  renameSync(draft.gitDir, store.gitDir)
  if (!isHeld) return
  const names = [...old.map(([name]) => name), `${place.refs}now`]
  const input = names.map(name => `delete ${name}\0\0`).join('')
  await gitAt(place, ['update-ref', '-z', '--stdin'], { input })
}

/** The steps that an earlier Baton stored in the project. */
export async function oldSteps(place: Place): Promise<[name: string, commit: string][]> {
  const { stdout } = await gitAt(place, ['for-each-ref', '--format=%(refname) %(objectname)', place.refs])
  return stdout
    .toString('utf8')
    .split('\n')
    .flatMap((line): [string, string][] => {
      const [name = '', commit = ''] = line.split(' ')
      return /^\d+$/.test(name.slice(place.refs.length)) && objectId(commit) ? [[name, commit]] : []
    })
}

/**
 * Copies commits and staged contents with everything they need into the store. Older history is cut off where a remote
 * has it, as in a shallow clone. False if the project's repository lacks some of it (a partial clone).
 */
export async function holdObjects(
  place: Place,
  store: Store,
  commits: readonly string[],
  contents: readonly WantedObject[],
  held: HeldObjects | undefined,
  /** Copies few objects faster than git does. */
  writer?: ObjectWriter,
): Promise<boolean> {
  try {
    if (
      writer &&
      held?.isCertain &&
      copyLooseObjects(place, writer, [...commits.map(id => ({ id })), ...contents], held)
    )
      return true
    const here = await present(store, [...commits, ...(held?.commits ?? [])])
    const missing = commits.filter(id => !here.has(id))
    // The store may have a staged tree without what is in it: git has just written the tree.
    if (missing.length + contents.length === 0) return true
    const wanted = { missing, contents: contents.map(({ id }) => id) }
    // The project may have lost a commit that the store has: then copy without regard to it.
    return (
      (await copyObjects(place, store, wanted, [...here])) || (await copyObjects(place, store, wanted, []))
    )
  } catch {
    return false
  }
}

async function copyObjects(
  place: Place,
  store: Store,
  { missing, contents }: { missing: readonly string[]; contents: readonly string[] },
  known: readonly string[],
): Promise<boolean> {
  try {
    const cut = missing.length === 0 ? [] : await cutOff(place, store, missing, known)
    if (cut.length > 0) addShallow(store, cut)
    const shallow = cut.map(id => `--shallow ${id}`)
    const input = [...shallow, ...missing, ...contents, ...known.map(id => `^${id}`), ''].join('\n')
    const pack = join(store.gitDir, 'objects/pack/pack')
    await gitAt(writingTo(place, store), [...PACK, pack], { input, timeoutMs: PACK_MS })
    return true
  } catch {
    return false
  }
}

/** The commits whose parents stay outside the store. */
async function cutOff(
  place: Place,
  store: Store,
  missing: readonly string[],
  known: readonly string[],
): Promise<string[]> {
  const args = ['rev-list', '--parents', `--max-count=${MAX_COMMITS}`, '--stdin', '--not', '--remotes']
  const input = [...missing, ...known.map(id => `^${id}`), ''].join('\n')
  const { stdout } = await gitAt(writingTo(place, store), args, { input })
  const rows = stdout
    .toString('utf8')
    .split('\n')
    .filter(Boolean)
    .map(line => line.split(' '))
  const copied = new Set(rows.map(([commit = '']) => commit))
  const inStore = new Set(known)
  const outside = rows.flatMap(([, ...parents]) =>
    parents.filter(parent => !copied.has(parent) && !inStore.has(parent)),
  )
  const held = await present(store, [...new Set(outside)])
  for (const id of inStore) held.add(id)
  const cut = rows.filter(([, ...parents]) =>
    parents.some(parent => !copied.has(parent) && !held.has(parent)),
  )
  return [...cut.map(([commit = '']) => commit), ...missing.filter(id => !copied.has(id))]
}

/** Those of these ids that are commits of the project. */
export async function commitsAmong(place: Place, ids: readonly string[]): Promise<string[]> {
  const { stdout } = await gitAt(place, ['cat-file', '--batch-check=%(objecttype) %(objectname)'], {
    input: `${ids.join('\n')}\n`,
  })
  return stdout
    .toString('utf8')
    .split('\n')
    .flatMap(line => (line.startsWith('commit ') ? [line.slice(7)] : []))
}

/** Which of these objects a repository has. */
async function present(repo: Repo, ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set()
  const { stdout } = await gitAt(repo, ['cat-file', '--batch-check=%(objectname)'], {
    input: `${ids.join('\n')}\n`,
  })
  return new Set(stdout.toString('utf8').split('\n').filter(objectId))
}

function addShallow(store: Store, commits: readonly string[]): void {
  const path = join(store.gitDir, 'shallow')
  const before = existsSync(path) ? readFileSync(path, 'utf8').split('\n').filter(Boolean) : []
  writeFileSync(`${path}.new`, `${[...new Set([...before, ...commits])].join('\n')}\n`, { mode: 0o600 })
  renameSync(`${path}.new`, path)
}

/**
 * Makes sure that the project's repository has these commits and contents, and copies the store's objects into it if it
 * lost any. False if some are gone from both.
 */
export async function giveBack(
  place: Place,
  store: Store,
  commits: readonly string[],
  contents: readonly string[],
): Promise<boolean> {
  if (await hasAll(place, commits, contents)) return true
  const from = join(store.gitDir, 'objects')
  for (const folder of readdirSync(from).filter(name => /^([0-9a-f]{2}|pack)$/.test(name))) {
    mkdirSync(join(place.objectDir, folder), { recursive: true })
    // An index must not appear before its pack.
    const names = readdirSync(join(from, folder)).filter(name => /^(pack-)?[0-9a-f]+(\.\w+)?$/.test(name))
    for (const name of names.sort((a, b) => Number(a.endsWith('.idx')) - Number(b.endsWith('.idx')))) {
      const target = join(place.objectDir, folder, name)
      if (existsSync(target)) continue
      copyFileSync(join(from, folder, name), `${target}.baton`)
      renameSync(`${target}.baton`, target)
    }
  }
  return hasAll(place, commits, contents)
}

async function hasAll(place: Place, commits: readonly string[], contents: readonly string[]) {
  const found = await present(place, [...commits, ...contents])
  if ([...commits, ...contents].some(id => !found.has(id))) return false
  if (commits.length === 0) return true
  const walked = await gitAt(place, ['rev-list', '--objects', '--quiet', ...commits, '--not', '--all'], {
    ok: [0, 128],
  })
  return walked.code === 0
}

/** Without the search for similar contents: time matters more than space here. */
export const PACK_LISTED = ['-c', 'core.fsync=none', 'pack-objects', '-q', '--window=0', '--threads=1']
const PACK = [...PACK_LISTED, '--revs']
const NAME = 'store.git'
const MAX_COMMITS = 2000
export const PACK_MS = 120_000
