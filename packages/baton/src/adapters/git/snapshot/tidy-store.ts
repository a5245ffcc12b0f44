import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { objectId } from './details.ts'
import { readLoose } from './objects.ts'
import { gitAt } from './place.ts'
import { PACK_LISTED, PACK_MS, type Store } from './store.ts'

/**
 * Packs the store's objects and drops those of expired steps, once there are many. Call it under the lock. Throws if neither
 * way works: the store still takes snapshots, but grows.
 */
export async function tidyStore(store: Store): Promise<void> {
  const count = (folder: string) => {
    const path = join(store.gitDir, 'objects', folder)
    return existsSync(path) ? readdirSync(path).length : 0
  }
  // Loose objects are spread evenly over 256 folders.
  if (count('17') < 8 && count('pack') < 90) return
  try {
    await gitAt(store, ['repack', '-a', '-d', '-q'], { timeoutMs: PACK_MS })
    await gitAt(store, ['prune', '--expire=now'], { timeoutMs: PACK_MS })
  } catch {
    await packWithoutWalk(store).catch(cause => {
      throw new Error(
        `Baton cannot pack its snapshots of ${store.root}, so they take more space. Check ${store.gitDir} with git fsck`,
        { cause },
      )
    })
  }
}

/**
 * Packs every object that git can read, of expired steps, too. An index that an agent wrote can name a folder as a file: then git
 * cannot walk through that step, and cannot tell which objects are still needed until the step expires.
 */
async function packWithoutWalk(store: Store): Promise<void> {
  const folder = join(store.gitDir, 'objects/pack')
  const old = readdirSync(folder).flatMap(name => /^(pack-[0-9a-f]+)\.(?:pack|idx)$/.exec(name)?.[1] ?? [])
  // From here on, an object is either in a pack or in a file of its own.
  await gitAt(store, ['prune-packed', '-q'], { timeoutMs: PACK_MS })
  const all = ['cat-file', '--batch-all-objects', '--unordered', '--batch-check=%(objectname)']
  const { stdout } = await gitAt(store, all, { timeoutMs: PACK_MS })
  const refused = await refusedObjects(store)
  const ids = stdout.toString('latin1').split('\n')
  const input = `${ids.filter(id => objectId(id) && !refused.has(id)).join('\n')}\n`
  const packed = await gitAt(store, [...PACK_LISTED, join(folder, 'pack')], { input, timeoutMs: PACK_MS })
  const made = `pack-${packed.stdout.toString('latin1').trim()}`
  // Without its index, git does not look into a pack.
  for (const end of ['idx', 'rev', 'pack'])
    for (const name of new Set(old))
      if (name !== made) rmSync(join(folder, `${name}.${end}`), { force: true })
  await gitAt(store, ['prune-packed', '-q'], { timeoutMs: PACK_MS })
}

/** Objects in files of their own that git would fail on. They stay where they are. */
async function refusedObjects(store: Store): Promise<Set<string>> {
  const objects = join(store.gitDir, 'objects')
  const refused = new Set<string>()
  for (const folder of readdirSync(objects).filter(name => /^[0-9a-f]{2}$/.test(name))) {
    for (const name of readdirSync(join(objects, folder)))
      if (!readLoose(objects, store, folder + name, MOST_LOOSE_BYTES)) refused.add(folder + name)
    await turn()
  }
  return refused
}

/** Larger ones are not packed when git cannot walk: they would fill the memory. */
const MOST_LOOSE_BYTES = 64_000_000
