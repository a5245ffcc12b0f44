import { lstatSync, readdirSync } from 'node:fs'
import { setImmediate as turn } from 'node:timers/promises'
import type { BytePath, LeftOut } from '../../../ports/snapshots.ts'
import { isRebuildable } from '../../../ports/snapshots.ts'
import { isPlain, onDisk } from './paths.ts'
import type { Place } from './place.ts'

/** How much of what git ignores goes into a snapshot. */
const MAX_BYTES = 20_000_000
const MAX_FILES = 5000

export interface IgnoredFiles {
  readonly files: BytePath[]
  readonly leftOut: LeftOut[]
}

/**
 * Of what git ignores, the files to keep: small ones first, up to 20 MB in all. Folders that a build or an install creates again are
 * left out.
 */
export async function keepIgnored(place: Place, names: readonly BytePath[]): Promise<IgnoredFiles> {
  const sizes: [path: BytePath, size: number][] = []
  const leftOut: LeftOut[] = []
  const folders: BytePath[] = []
  // Git lists some folders and their files.
  const seen = new Set<BytePath>()
  const sort = (name: BytePath, isFolder: boolean) => {
    if (!isPlain(name) || seen.has(name)) return
    seen.add(name)
    if (isRebuildable(name)) leftOut.push({ path: name, why: 'rebuildable' })
    else if (isFolder) folders.push(name)
    else {
      const found = lstatSync(onDisk(place.root, name), { throwIfNoEntry: false })
      if (found?.isFile() || found?.isSymbolicLink()) sizes.push([name, found.size])
    }
  }
  for (const name of names)
    sort((name.endsWith('/') ? name.slice(0, -1) : name) as BytePath, name.endsWith('/'))
  for (let at = folders.pop(); at !== undefined; at = folders.pop()) {
    await turn()
    const entries = readEntries(place, at)
    if (!entries) leftOut.push({ path: at, why: 'unreadable' })
    else if (entries.some(([name]) => name === '.git')) leftOut.push({ path: at, why: 'nested' })
    else if (sizes.length + entries.length > MAX_FILES) leftOut.push({ path: at, why: 'ignored' })
    else for (const [name, isFolder] of entries) sort(`${at}/${name}` as BytePath, isFolder)
  }
  sizes.sort((a, b) => a[1] - b[1] || (a[0] < b[0] ? -1 : 1))
  const files: BytePath[] = []
  let total = 0
  for (const [path, size] of sizes) {
    total += size
    if (total <= MAX_BYTES && files.length < MAX_FILES) files.push(path)
    else leftOut.push({ path, why: 'ignored' })
  }
  return { files, leftOut }
}

function readEntries(place: Place, folder: BytePath): [name: string, isFolder: boolean][] | undefined {
  try {
    return readdirSync(onDisk(place.root, folder), { withFileTypes: true, encoding: 'buffer' }).map(entry => [
      entry.name.toString('latin1'),
      entry.isDirectory(),
    ])
  } catch {
    return undefined
  }
}
