import { BatonError } from '@batonpass/contract/errors'
import { StageAgent } from '@batonpass/contract/work'
import type { StagePorts } from '../../stages/ports.ts'
import { reviewComments, reviewedPull, waitingPull } from '../../stages/review-comments.ts'
import type { Stages } from '../../stages/stages.ts'
import type { WorkItem } from '../../stages/work-items.ts'
import { handoffInstructions } from './instructions/handoff-instructions.ts'
import { rowOfAgent, type StageRow } from './stage-table.ts'
import { type ToolContext, textOf } from './tool-arguments.ts'

const MAX_INSTRUCTIONS_LENGTH = 50_000

/** The project's and the user's instructions, WorkflowContext.md, and last how to hand over, because models remember the end best. */
export async function contextText(
  stages: Stages,
  ports: StagePorts,
  args: Readonly<Record<string, unknown>>,
  { project }: ToolContext,
): Promise<string> {
  const item = await ports.items.get(project, args.work_id)
  const agent = textOf(args, 'agent_name')
  const row = agent === undefined ? undefined : rowOfAgent(agent)
  if (agent !== undefined && !row)
    throw new BatonError('usage', 'Unknown agent_name', {
      remedy: `Use one of ${StageAgent.options.join(', ')}.`,
    })
  const read = async (root: string) => {
    if (!row) return ''
    const found = await ports.files.read(
      root,
      `.paw/instructions/${row.agent}-instructions.md`,
      MAX_INSTRUCTIONS_LENGTH,
    )
    return found.kind === 'text' ? found.text.trim() : ''
  }
  const [workspace, user, comments] = await Promise.all([
    read(project),
    read(ports.home),
    commentsFor(stages, ports, project, item, row),
  ])
  const context = item.contextText?.trim() ?? ''
  const part = (name: string, text: string) => (text === '' ? [] : [`<${name}>\n${text}\n</${name}>`])
  const { mode } = item.context
  return [
    ...part('workspace_instructions', workspace),
    ...part('user_instructions', user),
    ...part('workflow_context', context),
    ...(workspace === '' && user === '' && context === ''
      ? [
          `<context status="empty">${item.workId} has neither a WorkflowContext.md nor instructions.</context>`,
        ]
      : []),
    ...part(item.facts.flow === 'pr-review' ? 'pull_request' : 'review_comments', comments),
    ...(item.warnings.length > 0 ? part('warnings', item.warnings.join('\n')) : []),
    `<handoff_instructions mode="${mode}">\n${handoffInstructions({ mode, flow: item.facts.flow, ...(row ? { stage: row.stage } : {}) })}\n</handoff_instructions>`,
  ].join('\n\n')
}

const FORGE_MS = 8000

/** The review comments that the caller has to address. If the forge is unreachable, tells the agent where to look. */
async function commentsFor(
  stages: Stages,
  ports: StagePorts,
  project: string,
  item: WorkItem,
  row: StageRow | undefined,
): Promise<string> {
  const caller = stages.callers.of(project, 'paw_get_context', item.workId)
  const binding = caller && (await ports.memory.binding(caller))
  const found = async () => {
    if (item.facts.flow === 'pr-review') return reviewedPull(ports, project, item)
    const forge = binding || !row ? undefined : await ports.forgeFor(project)
    // For a session without hooks, Baton does not know which pull request it has to address.
    const number = binding?.pull ?? (forge && row && (await waitingPull(forge, item, row.stage)))
    return number ? await reviewComments(ports, project, number) : ''
  }
  const late = new Promise<string>((_, reject) => {
    AbortSignal.timeout(FORGE_MS).addEventListener('abort', () => reject(new Error('too slow')), {
      once: true,
    })
  })
  return Promise.race([found(), late]).catch(() =>
    binding?.pull
      ? `The review comments on pull request #${binding.pull} could not be read from here: read them on the forge.`
      : '',
  )
}
