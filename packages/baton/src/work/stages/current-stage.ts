import type { GitPosition } from '../../ports/git.ts'
import { position } from './work-facts.ts'
import type { WorkItems } from './work-items.ts'
import { detect } from './work-status.ts'

/** How far the work item of a folder's branch is, for a handoff: the stage that was finished last. */
export async function currentStageText(
  items: Pick<WorkItems, 'list'>,
  git: Pick<GitPosition, 'standing'>,
  root: string,
): Promise<string | undefined> {
  const all = await items.list(root)
  if (all.length === 0) return undefined
  const item = detect(all, await git.standing(root))
  const at = item && position(item.facts)
  if (!item || !at) return undefined
  return `${item.workId}: ${at.stage}${at.phase === undefined ? '' : ` ${at.phase}`} done`
}
