import { type ObjectType, type ObjectWriter, readLoose } from './objects.ts'
import type { Place } from './place.ts'
import { readTree } from './trees.ts'

/**
 * Copies commits and trees with everything they need into the store, if each object is held already or is a file of its
 * own: so git stores what was just committed or staged. False, and nothing is copied, if git has to search its packs, or if
 * an agent wrote an object that git could not pack: it would fail on it whenever it tidies the store.
 */
export function copyLooseObjects(
  place: Pick<Place, 'objectDir' | 'format'>,
  writer: ObjectWriter,
  wanted: readonly WantedObject[],
  /** What the store surely has, with everything that it needs. `hasAt` may say no, and answers fast. */
  held: { has(id: string): boolean; hasAt(wanted: WantedObject): boolean },
): boolean {
  const copies: [id: string, compressed: Buffer][] = []
  const seen = new Map(wanted.map(({ id, path }) => [id, path]))
  const types = new Map<string, ObjectType>()
  const needs: [id: string, type: ObjectType][] = []
  const need = (id: string, type: ObjectType, path?: string) => {
    if (!seen.has(id)) seen.set(id, path)
    needs.push([id, type])
  }
  let bytes = 0
  for (const [id, path] of seen) {
    if (held.hasAt({ id, path })) continue
    const readObject = () => readLoose(place.objectDir, place, id, MOST_BYTES)
    // To copy a few objects again takes less time than to find out whether the store has them.
    let found = copies.length < FEW_OBJECTS ? readObject() : undefined
    if ((!found || endsHistory(found)) && held.has(id)) continue
    found ??= readObject()
    if (!found) return false
    const { type, body, compressed } = found
    copies.push([id, compressed])
    types.set(id, type)
    bytes += body.length
    if (copies.length > MOST_OBJECTS || bytes > MOST_BYTES) return false
    if (type === 'commit') {
      const commit = readCommit(body)
      // A commit without parents would end a history that the store may have cut off elsewhere.
      if (!commit || commit.parents.length === 0) return false
      need(commit.tree, 'tree', '')
      for (const parent of commit.parents) need(parent, 'commit')
    } else if (type === 'tree') {
      const entries = readTree(body, id.length / 2)
      if (!entries) return false
      // A submodule's commit is in another repository.
      for (const { mode, id, name } of entries) {
        if (mode === '160000') continue
        need(
          id,
          mode === '40000' ? 'tree' : 'blob',
          path === undefined ? undefined : path === '' ? name : `${path}/${name}`,
        )
      }
    }
  }
  if (needs.some(([id, type]) => (types.get(id) ?? type) !== type)) return false
  for (const [id, compressed] of copies) writer.copyLoose(id, compressed)
  return true
}

const endsHistory = ({ type, body }: { type: ObjectType; body: Buffer }): boolean =>
  type === 'commit' && readCommit(body)?.parents.length === 0

/** An object, and where it is in the worktree if that is known. Paths are bytes; the root is ''. */
export interface WantedObject {
  readonly id: string
  readonly path?: string | undefined
}

/** The tree and the parents of a commit object. */
export function readCommit(body: Buffer): { tree: string; parents: string[] } | undefined {
  const [head = ''] = body.toString('latin1').split('\n\n')
  const [, tree] = /^tree ([0-9a-f]+)\n/.exec(head) ?? []
  if (tree === undefined) return undefined
  return { tree, parents: [...head.matchAll(/^parent ([0-9a-f]+)$/gm)].flatMap(([, parent]) => parent ?? []) }
}

const FEW_OBJECTS = 50
const MOST_OBJECTS = 500
const MOST_BYTES = 10_000_000
