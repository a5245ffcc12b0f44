import type { BytePath, Capture, SnapshotWorktree } from '../ports/snapshots.ts'

type Looks = Pick<SnapshotWorktree, 'locate' | 'ignored' | 'holdsIgnored'>

/** Links that lead to links, at most. */
const LINKS = 8

/**
 * Whether an undo could take back what happens to these paths. Not where git ignores them, where a folder holds
 * something ignored, where a file was too large, in another repository, in `.git` or outside.
 */
export async function coversAll(look: Looks, held: Capture, paths: readonly string[]): Promise<boolean> {
  const ask: BytePath[] = []
  for (const path of paths) if (!(await coversOne(look, held, path, ask, LINKS))) return false
  return (await look.ignored(ask)).size === 0
}

async function coversOne(
  look: Looks,
  held: Capture,
  path: string,
  ask: BytePath[],
  links: number,
): Promise<boolean> {
  const found = await look.locate(path)
  if (!found) return false
  const at = found.path
  if (held.leftOut.some(({ path: left }) => isIn(at, left) || isIn(left, at))) return false
  switch (found.kind) {
    case 'file':
      return held.files.has(at)
    case 'link':
      // The link itself may go, or what it leads to may be written.
      if (!held.files.has(at) || found.target === undefined || links === 0) return false
      return coversOne(look, held, found.target, ask, links - 1)
    case 'absent':
      // Whether it becomes a file or a folder is not known.
      ask.push(at, `${at}/` as BytePath)
      return true
    case 'folder':
      if (at !== '') ask.push(`${at}/` as BytePath)
      return !(await look.holdsIgnored(at))
    case 'other':
      return false
  }
}

const isIn = (path: string, folder: string): boolean =>
  folder === '' || path === folder || path.startsWith(`${folder}/`)
