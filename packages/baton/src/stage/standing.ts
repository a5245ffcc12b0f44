import type { GitStanding } from '../ports/git.ts'
import { position } from './facts.ts'
import type { WorkItems } from './items.ts'
import { detect } from './status.ts'

/** How far the work item of a folder's branch is, for a handoff: the stage that was finished last. */
export async function standingStage(
  items: Pick<WorkItems, 'list'>,
  git: Pick<GitStanding, 'standing'>,
  root: string,
): Promise<string | undefined> {
  const all = await items.list(root)
  if (all.length === 0) return undefined
  const item = detect(all, await git.standing(root))
  const at = item && position(item.facts)
  if (!item || !at) return undefined
  return `${item.workId}: ${at.stage}${at.phase === undefined ? '' : ` ${at.phase}`} done`
}
