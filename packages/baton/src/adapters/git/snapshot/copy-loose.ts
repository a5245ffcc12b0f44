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
  wanted: readonly string[],
  /** The store surely has these, with everything they need. */
  held: { has(id: string): boolean },
): boolean {
  const copies: [id: string, compressed: Buffer][] = []
  const seen = new Set(wanted)
  const types = new Map<string, ObjectType>()
  const needs: [id: string, type: ObjectType][] = []
  const need = (id: string, type: ObjectType) => {
    seen.add(id)
    needs.push([id, type])
  }
  let bytes = 0
  for (const id of seen) {
    if (held.has(id)) continue
    const found = readLoose(place.objectDir, place, id, MOST_BYTES)
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
      need(commit.tree, 'tree')
      for (const parent of commit.parents) need(parent, 'commit')
    } else if (type === 'tree') {
      const entries = readTree(body, id.length / 2)
      if (!entries) return false
      // A submodule's commit is in another repository.
      for (const { mode, id } of entries) if (mode !== '160000') need(id, mode === '40000' ? 'tree' : 'blob')
    }
  }
  if (needs.some(([id, type]) => (types.get(id) ?? type) !== type)) return false
  for (const [id, compressed] of copies) writer.copyLoose(id, compressed)
  return true
}

/** The tree and the parents of a commit object. */
export function readCommit(body: Buffer): { tree: string; parents: string[] } | undefined {
  const [head = ''] = body.toString('latin1').split('\n\n')
  const [, tree] = /^tree ([0-9a-f]+)\n/.exec(head) ?? []
  if (tree === undefined) return undefined
  return { tree, parents: [...head.matchAll(/^parent ([0-9a-f]+)$/gm)].flatMap(([, parent]) => parent ?? []) }
}

const MOST_OBJECTS = 500
const MOST_BYTES = 10_000_000
