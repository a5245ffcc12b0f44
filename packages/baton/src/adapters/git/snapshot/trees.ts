import { BatonError } from '@batonpass/contract/errors'
import type { ObjectType } from './objects.ts'

/** A file, link or finished tree in a folder. */
export interface TreeEntry {
  /** As git writes it, such as `100644`. */
  readonly mode: string
  readonly id: string
}

/** Receives a tree and returns its id. */
export type WriteTree = (type: ObjectType, body: Buffer) => string

/**
 * A folder of a snapshot, for git's trees. It remembers the ids of what did not change, so that a change of one file costs
 * only the folders above it.
 */
export class Folder {
  readonly #entries = new Map<string, TreeEntry | Folder>()
  #id: string | undefined

  /** Adds or replaces a file. Paths are bytes, as in `BytePath`. */
  set(path: string, entry: TreeEntry): void {
    this.#id = undefined
    const slash = path.indexOf('/')
    const name = slash < 0 ? path : path.slice(0, slash)
    if (!isEntryName(name)) throw new BatonError('undo_unavailable', `A snapshot cannot contain ${path}`)
    if (slash < 0) {
      this.#entries.set(name, entry)
      return
    }
    const found = this.#entries.get(name)
    const folder = found instanceof Folder ? found : new Folder()
    if (folder !== found) this.#entries.set(name, folder)
    folder.set(path.slice(slash + 1), entry)
  }

  /** Removes a file. A folder that has replaced it stays. */
  delete(path: string): void {
    const slash = path.indexOf('/')
    const name = slash < 0 ? path : path.slice(0, slash)
    const found = this.#entries.get(name)
    if (found === undefined) return
    if (slash < 0) {
      if (found instanceof Folder) return
      this.#entries.delete(name)
    } else {
      if (!(found instanceof Folder)) return
      found.delete(path.slice(slash + 1))
      if (found.isEmpty) this.#entries.delete(name)
    }
    this.#id = undefined
  }

  get isEmpty(): boolean {
    return this.#entries.size === 0
  }

  /** Writes the trees that changed, and returns the id of this one. */
  write(tree: WriteTree): string {
    if (this.#id !== undefined) return this.#id
    const rows: { key: string; mode: string; name: string; id: string }[] = []
    for (const [name, entry] of this.#entries) {
      if (entry instanceof Folder) rows.push({ key: `${name}/`, mode: '40000', name, id: entry.write(tree) })
      else {
        const isTree = entry.mode === '40000'
        rows.push({ key: isTree ? `${name}/` : name, mode: entry.mode, name, id: entry.id })
      }
    }
    // Git sorts a folder as if its name ended with a slash.
    rows.sort((a, b) => (a.key < b.key ? -1 : 1))
    const parts = rows.flatMap(({ mode, name, id }) => [
      Buffer.from(`${mode} ${name}\0`, 'latin1'),
      Buffer.from(id, 'hex'),
    ])
    this.#id = tree('tree', Buffer.concat(parts))
    return this.#id
  }

  /** The id of a file or a written folder in it. The folder itself is ''. */
  idAt(path: string): string | undefined {
    if (path === '') return this.#id
    const slash = path.indexOf('/')
    const entry = this.#entries.get(slash < 0 ? path : path.slice(0, slash))
    if (entry instanceof Folder) return entry.idAt(slash < 0 ? '' : path.slice(slash + 1))
    return slash < 0 ? entry?.id : undefined
  }

  /** The ids of all folders in it that are written. */
  *treeIds(): Iterable<string> {
    if (this.#id !== undefined) yield this.#id
    for (const entry of this.#entries.values()) if (entry instanceof Folder) yield* entry.treeIds()
  }
}

/** The entries of a tree object, with their names in bytes. Undefined if git cannot read it. */
export function readTree(body: Buffer, idLength: number): (TreeEntry & { name: string })[] | undefined {
  const entries: (TreeEntry & { name: string })[] = []
  for (let at = 0; at < body.length; ) {
    const space = body.indexOf(32, at)
    const end = body.indexOf(0, at)
    const mode = body.toString('latin1', at, Math.min(space, at + MOST_MODE))
    at = end + 1 + idLength
    if (!/^[1-7][0-7]{4,5}$/.test(mode) || end < space + 2 || at > body.length) return undefined
    const name = body.toString('latin1', space + 1, end)
    entries.push({ mode, id: body.toString('hex', end + 1, at), name })
  }
  return entries
}

/** Longer than any mode. */
const MOST_MODE = 8

const isEntryName = (name: string): boolean => name !== '' && name !== '.' && name !== '..'
