import { BatonError } from '@batonpass/contract/errors'
import type { PermissionJudgement } from '@batonpass/contract/permission'
import type { LinkPorts, Snapshotted } from './links.ts'

/** What of a worktree a snapshot contains. */
interface Coverage {
  readonly leftOut: readonly { readonly path: string }[]
  readonly complete: boolean
  covers(paths: readonly string[]): Promise<boolean>
  contains(paths: readonly string[]): Promise<boolean>
}

/** Whether a snapshot takes back what a judged call may write, or why not. */
export async function snapshotted(
  { effects: { writes } }: PermissionJudgement,
  take: () => Promise<(Coverage & { undo: string }) | undefined>,
): Promise<Snapshotted> {
  try {
    const taken = await take()
    if (!taken) return { noUndo: 'the project is not in a git worktree' }
    const { undo, complete, leftOut, covers, contains } = taken
    if (writes.length === 0)
      return complete ? { undo } : { noUndo: `the snapshot does not contain ${leftOut[0]?.path}` }
    if (await covers(writes)) return { undo }
    const isKept = await contains(writes)
    for (const path of writes)
      if (!(await covers([path]))) return { noUndo: `the snapshot does not contain ${path}`, isKept }
    return { noUndo: 'the snapshot does not contain everything that the command may write', isKept }
  } catch (cause) {
    // Too many files or an unfinished write is not Baton's fault: the person learns it from `baton why`.
    if (cause instanceof BatonError && cause.code === 'undo_unavailable')
      return { noUndo: [cause.message, cause.remedy].filter(Boolean).join('. ') }
    throw cause
  }
}

/** Says what `snapshotBefore` would, without taking a snapshot. Looks at each worktree once. If that fails, there is no undo, as in the daemon. */
export function foretellSnapshot(
  preview: (project: string) => Promise<Coverage | undefined>,
): LinkPorts['snapshot'] {
  const seen = new Map<string, Promise<Coverage | undefined>>()
  return (_event, project, judgement) =>
    snapshotted(judgement, async () => {
      const looking = seen.get(project) ?? preview(project)
      seen.set(project, looking)
      const found = await looking
      return found && { ...found, undo: 'N' }
    }).catch(cause => ({
      noUndo: `a snapshot fails here: ${cause instanceof Error ? cause.message : String(cause)}`,
    }))
}
