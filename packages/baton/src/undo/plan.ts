import type {
  BytePath,
  FileChange,
  LeftOut,
  Position,
  PositionPlan,
  SnapshotFiles,
} from '../ports/snapshots.ts'

/** The files to write so that the worktree matches the step. Sorted, so that a file is handled before paths below it. */
export function planWrites(now: SnapshotFiles, then: SnapshotFiles): FileChange[] {
  const changes: FileChange[] = []
  for (const [path, to] of then) {
    const from = now.get(path)
    const same = from !== undefined && from.content === to.content && from.kind === to.kind
    if (same && from.mode === to.mode) continue
    changes.push({ path, to, modeOnly: same && to.kind === 'file' })
  }
  return changes.sort((a, b) => (a.path < b.path ? -1 : 1))
}

/**
 * The files to remove: present now, not in the step, and not left out of it. Computed after the step's .gitignore is
 * restored, so that files in build folders that were ignored then do not count as new.
 */
export function planRemovals(
  present: readonly BytePath[],
  then: SnapshotFiles,
  leftOut: readonly LeftOut[] = [],
): FileChange[] {
  const existed = new Set<string>(leftOut.map(({ path }) => path))
  const wasLeftOut = (path: string): boolean => {
    for (let at = path; ; at = at.slice(0, at.lastIndexOf('/'))) {
      if (existed.has(at)) return true
      if (!at.includes('/')) return false
    }
  }
  return [...new Set(present)]
    .filter(path => !then.has(path) && !(existed.size > 0 && wasLeftOut(path)))
    .map(path => ({ path, to: undefined, modeOnly: false }))
}

/** The commit the recorded branch is at now, and whether another worktree has it checked out. */
export interface BranchNow {
  readonly at: string | undefined
  readonly elsewhere: boolean
}

/** Plans how HEAD and its branch return to the step. Commits that would become unreachable are kept as tips first. */
export function planPosition(then: Position, now: Position, branch: BranchNow | undefined): PositionPlan {
  if (then.branch === undefined) return planDetached(then, now)
  const short = then.branch.replace(/^refs\/heads\//, '')
  const at = branch?.at
  const switchBack = now.branch === then.branch ? undefined : { branch: then.branch }
  if (at === then.head) return { tips: leaving(now), moves: [], head: switchBack, notes: [] }
  if (branch?.elsewhere) {
    const note = `The branch ${short} is checked out in another worktree and was not moved.`
    if (then.head === undefined) return { tips: [], moves: [], head: undefined, notes: [note] }
    return {
      tips: leaving(now),
      moves: [],
      head: { detached: then.head },
      notes: [`${note} HEAD is detached at ${then.head.slice(0, 10)}.`],
    }
  }
  const tips = [...new Set([...leaving(now), ...(at === undefined ? [] : [at])])]
  const notes =
    at === undefined ? [] : [`The branch ${short} was at ${at.slice(0, 10)}; that commit is kept.`]
  return { tips, moves: [{ ref: then.branch, from: at, to: then.head }], head: switchBack, notes }
}

function planDetached(then: Position, now: Position): PositionPlan {
  if (then.head === undefined || (now.branch === undefined && now.head === then.head))
    return { tips: [], moves: [], head: undefined, notes: [] }
  return { tips: leaving(now), moves: [], head: { detached: then.head }, notes: [] }
}

/** The commit that only a detached HEAD refers to, if there is one. */
const leaving = (now: Position): string[] =>
  now.branch === undefined && now.head !== undefined ? [now.head] : []
