import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { WantedObject } from './copy-loose.ts'
import { objectId } from './details.ts'
import type { IndexFile, IndexPart } from './index-file.ts'
import type { ObjectWriter } from './objects.ts'
import { splitNames } from './paths.ts'
import { gitAt, type Place } from './place.ts'
import { contentId } from './scan.ts'
import { type Store, writingTo } from './store.ts'
import { Folder } from './trees.ts'

/** The contents of the index. */
export interface Staged {
  /** Identifies them. */
  readonly id: string | undefined
  /** The tree that saves them. */
  readonly tree: string | undefined
  /** What the store needs for it from the project, and where it is in the tree. */
  readonly contents: readonly WantedObject[]
}

interface Where {
  readonly place: Place
  readonly store: Store
  readonly folder: string
  readonly writer: ObjectWriter
}

/** Reads what is staged: the tree that git has written, one made from the entries, or each side of a conflict. */
export async function readStaged(
  { place, store, folder, writer }: Where,
  index: Buffer | undefined,
  parsed: IndexFile | undefined,
): Promise<Staged> {
  if (!index) return { id: undefined, tree: undefined, contents: [] }
  if (parsed?.tree) return stagedTree(place, parsed.tree, parsed.flagged)
  const parts = parsed?.parts()
  if (parsed && parts) {
    const whole = new Folder()
    if (parts.every(part => trySet(whole, part))) {
      const tree = whole.write((type, body) => writer.write(type, body))
      const needed = parts.filter(({ mode }) => mode !== SUBMODULE)
      return { ...stagedTree(place, tree, parsed.flagged), contents: needed }
    }
  }
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const copy = join(folder, 'index')
  writeFileSync(copy, index, { mode: 0o600 })
  const env = { GIT_INDEX_FILE: copy }
  const hasConflict = parsed?.flagged.some(row => /^m/i.test(row)) === true
  const [written, listed] = await Promise.all([
    gitAt(writingTo(place, store), ['write-tree', '--missing-ok'], { env, ok: [0, 128] }),
    parsed && !hasConflict ? undefined : gitAt(place, ['ls-files', '-z', '--stage', '-v'], { env }),
  ])
  const tree = objectId(written.stdout.toString('utf8').trimEnd())
  if (tree && parsed) return stagedTree(place, tree, parsed.flagged)
  // Git fails for other reasons than a conflict, too, such as a name that is not allowed in a tree.
  const rows = (listed ?? (await gitAt(place, ['ls-files', '-z', '--stage', '-v'], { env }))).stdout
  if (tree) return stagedTree(place, tree, splitNames(rows))
  const sides = new Folder()
  const contents: WantedObject[] = []
  for (const side of splitNames(rows)) {
    const [, mode = '', content = '', stage, path = ''] =
      /^\S (\d+) ([0-9a-f]+) (\d)\t(.*)$/s.exec(side) ?? []
    if (path === '') continue
    sides.set(`${stage}/${path}`, { mode, id: content })
    // A submodule's commit is in another repository.
    if (mode !== SUBMODULE) contents.push({ id: content, path })
  }
  const id = `conflict ${contentId(place, rows)}`
  return {
    id,
    tree: sides.isEmpty ? undefined : sides.write((type, body) => writer.write(type, body)),
    contents,
  }
}

/** False for a name that no tree can contain. */
function trySet(folder: Folder, { path, mode, id }: IndexPart): boolean {
  try {
    folder.set(path, { mode, id })
    return true
  } catch {
    return false
  }
}

const SUBMODULE = '160000'

/** The tree says everything but the flags of entries. */
const stagedTree = (place: Place, tree: string, flagged: readonly string[]): Staged => ({
  id: `${tree} ${contentId(place, Buffer.from(flagged.join('\0'), 'latin1'))}`,
  tree,
  contents: [{ id: tree, path: '' }],
})
