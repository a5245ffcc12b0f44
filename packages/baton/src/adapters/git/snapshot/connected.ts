import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { inflateSync } from 'node:zlib'
import type { Place } from './place.ts'

/**
 * Whether the ancestry of new commits leads only to commits that are held. Reads git's files itself: a commit that was just
 * made is a file of its own. False if that cannot be told quickly.
 */
export function leadsTo(
  place: Pick<Place, 'objectDir' | 'format'>,
  commits: readonly string[],
  held: ReadonlySet<string>,
): boolean {
  const seen = new Set(commits)
  for (const commit of seen) {
    if (seen.size > MOST_COMMITS) return false
    const parents = readParents(place, commit)
    // A commit without parents would end a history that the store may have cut off elsewhere.
    if (!parents || parents.length === 0) return false
    for (const parent of parents) if (!held.has(parent)) seen.add(parent)
  }
  return true
}

function readParents(
  { objectDir, format }: Pick<Place, 'objectDir' | 'format'>,
  commit: string,
): string[] | undefined {
  try {
    const packed = readFileSync(join(objectDir, commit.slice(0, 2), commit.slice(2)))
    const bytes = inflateSync(packed, { maxOutputLength: MOST_BYTES })
    // An agent can write any file there.
    if (createHash(format).update(bytes).digest('hex') !== commit) return undefined
    const [head = ''] = bytes.toString('latin1').split('\n\n')
    if (!/^commit \d+\0tree /.test(head)) return undefined
    return [...head.matchAll(/^parent ([0-9a-f]+)$/gm)].flatMap(([, parent]) => parent ?? [])
  } catch {
    return undefined
  }
}

const MOST_COMMITS = 20
const MOST_BYTES = 100_000
