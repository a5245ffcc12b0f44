import type { Forge } from '../../ports/forge.ts'
import type { WorktreeState } from './progress.ts'
import type { Run } from './run.ts'
import type { Workflow } from './workflow.ts'

export interface Delivery {
  /** Why the work counts as delivered; undefined if it does not, or if Baton cannot tell. */
  delivered: string | undefined
  /** Whether the forge was asked. Otherwise only the agent's own commands show it. */
  byForge?: boolean
  pullRequest?: { number: number; url: string }
}

const NOTHING: Delivery = { delivered: undefined }
const MAIN = /^(?:main|master|trunk|develop)$/

/** Checks whether the workflow's result exists: on the forge if one is reachable, else by the agent's own commands. */
export async function checkDelivery(
  workflow: Workflow,
  run: Run,
  worktree: WorktreeState | undefined,
  forge: Forge | undefined,
): Promise<Delivery> {
  if (workflow.completion === 'said') return NOTHING
  if (!forge) return deliveryFromMarks(workflow, run)
  try {
    return { ...(await CHECKS[workflow.completion](run, worktree, forge)), byForge: true }
  } catch {
    // The forge is not reachable after all.
    return deliveryFromMarks(workflow, run)
  }
}

const CHECKS: Record<
  Exclude<Workflow['completion'], 'said'>,
  (run: Run, worktree: WorktreeState | undefined, forge: Forge) => Promise<Delivery>
> = {
  async 'pull-request'(_, worktree, forge) {
    if (!worktree?.branch || MAIN.test(worktree.branch)) return NOTHING
    const found = await forge.pullRequestFor(worktree.branch)
    if (!found || found.state === 'closed') return NOTHING
    const pullRequest = { number: found.number, url: found.url }
    // Unpushed commits or a draft show that the agent is not finished.
    const whole = found.state === 'merged' || (!found.draft && found.headSha === worktree.head)
    return { delivered: whole ? `pull request #${found.number} is ${found.state}` : undefined, pullRequest }
  },
  async 'plan-issue'(run, _, forge) {
    const mark = run.marks.findLast(each => /^(?:plan|issue) /.test(each))
    const number = Number(/\/issues\/(\d{1,9})$/.exec(mark ?? '')?.[1])
    if (number) {
      const issue = await forge.issue(number)
      const isPlan = /^\s*\[plan\]/i.test(issue.title) || issue.labels.some(label => /\bplan\b/i.test(label))
      if (isPlan && issue.body.length >= 200) return { delivered: `plan issue #${number} is posted` }
      return NOTHING
    }
    const author = await forge.me()
    const found = await forge.findIssue({
      titleStart: '[plan]',
      state: 'any',
      author,
      createdSince: run.startedAt,
    })
    return found ? { delivered: `plan issue #${found.number} is posted` } : NOTHING
  },
  async board(run, _, forge) {
    const touched = run.marks.some(mark => /^(?:board|label)\b/.test(mark))
    const board = touched ? await forge.board() : undefined
    return board && board.statuses.length > 1 ? { delivered: `the board ${board.url} is set up` } : NOTHING
  },
}

function deliveryFromMarks(workflow: Workflow, run: Run): Delivery {
  const url = (kind: string) =>
    run.marks.findLast(mark => mark.startsWith(`${kind} `))?.slice(kind.length + 1)
  switch (workflow.completion) {
    case 'pull-request': {
      const link = url('pull-request')
      const number = Number(/\/pull\/(\d{1,9})$/.exec(link ?? '')?.[1])
      if (!link || !number) return NOTHING
      return { delivered: `pull request #${number} was opened`, pullRequest: { number, url: link } }
    }
    case 'plan-issue': {
      const link = url('plan')
      return link ? { delivered: `the plan was posted: ${link}` } : NOTHING
    }
    case 'board':
      return run.marks.includes('board') && url('label')
        ? { delivered: 'the board and its labels were created' }
        : NOTHING
    default:
      return NOTHING
  }
}
