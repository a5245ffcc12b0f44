import type { Forge } from '../../ports/forge.ts'
import type { WorktreeState } from './progress.ts'
import type { Run } from './run.ts'
import type { Workflow } from './workflow.ts'

export interface Delivery {
  /** Why the job counts as delivered; undefined: it does not, or nobody can say. */
  delivered: string | undefined
  pullRequest?: { number: number; url: string }
}

const NOTHING: Delivery = { delivered: undefined }
const MAIN = /^(?:main|master|trunk|develop)$/

/** Looks for what the workflow was to deliver: on the forge where one is reachable, else in what the agent was seen to do. */
export async function checkDelivery(
  workflow: Workflow,
  run: Run,
  worktree: WorktreeState | undefined,
  forge: Forge | undefined,
): Promise<Delivery> {
  if (workflow.completion === 'said') return NOTHING
  if (!forge) return believed(workflow, run)
  try {
    return await CHECKS[workflow.completion](run, worktree, forge)
  } catch {
    // Not reachable after all.
    return believed(workflow, run)
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
    // Commits that are not pushed yet, or a draft, say that the agent is not through.
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

function believed(workflow: Workflow, run: Run): Delivery {
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
        ? { delivered: 'the board and its labels were made' }
        : NOTHING
    default:
      return NOTHING
  }
}
