import { type Dirent, lstatSync, readdirSync } from 'node:fs'
import { setImmediate as turn } from 'node:timers/promises'
import type { FoundPath } from '../../ports/sandbox.ts'

interface Folder {
  /** When anything in the folder was last added, removed or renamed. Unlike mtime, a command cannot set it. */
  changed: bigint
  /** Two changes in quick succession may carry the same time, so a folder counts as read after its second reading. */
  settled: boolean
  /** Names of folders to descend into. */
  below: readonly string[]
  found: readonly FoundPath[]
}

/** Folders that are looked at before others get a turn: about a millisecond. */
const AT_ONCE = 128

/**
 * Finds protected files and repositories at any depth. It keeps what it saw of each folder and reads only folders
 * that changed. Follows no link.
 */
export class WorktreeScanner {
  #folders = new Map<string, Folder>()
  #running: Promise<FoundPath[]> | undefined
  readonly #root: string

  constructor(root: string) {
    this.#root = root
  }

  /** One scan at a time; a scan that is asked for meanwhile starts after it. */
  async scan(isNamed: (path: string) => boolean): Promise<FoundPath[]> {
    const before = this.#running
    const mine = (async () => {
      await before?.catch(() => undefined)
      return this.#scan(isNamed)
    })()
    this.#running = mine
    return mine
  }

  async #scan(isNamed: (path: string) => boolean): Promise<FoundPath[]> {
    const next = new Map<string, Folder>()
    const found: FoundPath[] = []
    let level = ['']
    let looked = 0
    while (level.length > 0) {
      const below: string[] = []
      for (const path of level) {
        if (++looked % AT_ONCE === 0) await turn()
        const folder = this.#folder(path, isNamed)
        if (!folder) continue
        next.set(path, folder)
        found.push(...folder.found)
        for (const name of folder.below) below.push(join(path, name))
      }
      level = below
    }
    this.#folders = next
    return found
  }

  #folder(path: string, isNamed: (path: string) => boolean): Folder | undefined {
    const full = path === '' ? this.#root : `${this.#root}/${path}`
    const own = infoOf(full)
    if (!own?.isDirectory()) return undefined
    const kept = this.#folders.get(path)
    const isSame = kept?.changed === own.ctimeNs
    if (isSame && kept.settled) return kept
    const entries = entriesOf(full)
    const names = new Map(entries.map(entry => [entry.name, kindOf(entry)]))
    const found: FoundPath[] = []
    const below: string[] = []
    if (path !== '' && looksLikeGit(names))
      found.push({ path, kind: 'folder', role: 'repository', inode: inodeOf(own) })
    for (const [name, kind] of names) {
      const child = join(path, name)
      const isGit = name.toLowerCase() === '.git'
      if (isGit || isNamed(child)) {
        const info = infoOf(`${this.#root}/${child}`)
        if (!info) continue
        const role = !isGit ? 'named' : kind === 'folder' ? 'repository' : 'git-file'
        found.push({ path: child, kind, role, inode: inodeOf(info) })
      }
      // Git's own folders are looked at by name; their objects are many.
      if (kind === 'folder' && !isGit) below.push(name)
    }
    return { changed: own.ctimeNs, settled: isSame, below, found }
  }
}

function infoOf(path: string) {
  try {
    return lstatSync(path, { bigint: true, throwIfNoEntry: false })
  } catch {
    return undefined
  }
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}

/** A folder that git takes for a repository although it is not named `.git`. */
function looksLikeGit(names: ReadonlyMap<string, FoundPath['kind']>): boolean {
  if (!names.has('HEAD')) return false
  return (names.has('objects') && names.has('refs')) || names.has('commondir')
}

const inodeOf = ({ dev, ino }: { dev: bigint; ino: bigint }): string => `${dev}:${ino}`
const join = (path: string, name: string): string => (path === '' ? name : `${path}/${name}`)

export function kindOf(entry: Pick<Dirent, 'isFile' | 'isDirectory' | 'isSymbolicLink'>): FoundPath['kind'] {
  if (entry.isFile()) return 'file'
  if (entry.isDirectory()) return 'folder'
  return entry.isSymbolicLink() ? 'link' : 'other'
}
