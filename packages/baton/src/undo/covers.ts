import { type BytePath, type Contained, isRebuildable, type SnapshotWorktree } from '../ports/snapshots.ts'

type Looks = Pick<SnapshotWorktree, 'locate' | 'ignored'>

/** How many symbolic links in a row are followed. */
const MAX_LINKS = 8

/**
 * Whether an undo can reverse every change to these paths. It cannot if something at, above or below a path was left out
 * of the snapshot, or if a path is in another repository, in `.git`, in an ignored build folder or outside the worktree.
 */
export async function coversAll(look: Looks, held: Contained, paths: readonly string[]): Promise<boolean> {
  const ask: BytePath[] = []
  for (const path of paths) if (!(await coversOne(look, held, path, ask, MAX_LINKS))) return false
  return (await look.ignored(ask)).size === 0
}

/** Whether the snapshot contains all that is at these paths now. What is made there later may stay after an undo. */
export async function containsAll(look: Looks, held: Contained, paths: readonly string[]): Promise<boolean> {
  const there: string[] = []
  for (const path of paths) if ((await look.locate(path))?.kind !== 'absent') there.push(path)
  return coversAll(look, held, there)
}

async function coversOne(
  look: Looks,
  held: Contained,
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
      // A command may remove the link itself or write to its target, so both must be covered.
      if (!held.files.has(at) || found.target === undefined || links === 0) return false
      return coversOne(look, held, found.target, ask, links - 1)
    case 'absent':
      // It may become a file or a folder: check the ignore rules for both.
      if (isRebuildable(at)) ask.push(at, `${at}/` as BytePath)
      return true
    case 'folder':
      if (isRebuildable(at)) ask.push(`${at}/` as BytePath)
      return true
    case 'other':
      return false
  }
}

const isIn = (path: string, folder: string): boolean =>
  folder === '' || path === folder || path.startsWith(`${folder}/`)
