import { BatonError } from '@batonpass/contract/errors'
import type { SessionId } from '@batonpass/contract/ids'
import { StageAgent, TemplateKey, type ToolAnswer } from '@batonpass/contract/work'
import { z } from 'zod'
import { missingFor, openPhase, type Step } from './facts.ts'
import { handoffInstructions } from './instructions/handoff-instructions.ts'
import type { WorkItem } from './items.ts'
import type { Pass } from './memory.ts'
import { openingPrompt, phaseIn } from './opening.ts'
import type { StagePorts } from './ports.ts'
import { checkFilename, checkTemplateKey, promptFileName, TEMPLATES, writePrompt } from './prompts.ts'
import type { Stages } from './stages.ts'
import { workReport } from './status.ts'
import { rowOfAgent } from './table.ts'
import { checkWorkId } from './work-id.ts'

/** One tool as agents see it. Its arguments are checked by hand, so that errors say what to do. */
export interface StageTool {
  name: string
  title: string
  description: string
  input: z.ZodObject
  /** What an editor shows before it runs. */
  confirm?(args: Record<string, unknown>): string
}

const workId = z
  .string()
  .describe('Normalized Work ID (feature slug): lowercase letters, numbers and hyphens')

/** The tools: declared once, for the MCP server and for editors. */
export const TOOLS: readonly StageTool[] = [
  {
    name: 'paw_call_agent',
    title: 'Hand over to a stage',
    description:
      'Begins a stage of staged work in a fresh session with the Work ID as its context. Fire and forget: make it your last action and end your turn. Empty text means success.',
    input: z.object({
      target_agent: StageAgent.describe('Exact agent name, e.g. PAW-03A Implementer'),
      work_id: workId,
      inline_instruction: z.string().optional().describe('Optional instruction to pass to the agent'),
    }),
    confirm: args => `Hand over to ${args.target_agent} for ${args.work_id}?`,
  },
  {
    name: 'paw_generate_prompt',
    title: 'Generate a prompt file',
    description:
      "Writes a prompt file that the user can edit, into the work item's prompts folder, and returns its path. Never over an existing file.",
    input: z.object({
      work_id: workId,
      template_key: TemplateKey.describe('Template identifier, e.g. 03A-implement'),
      filename: z.string().describe('Exact filename; must end with .prompt.md'),
      additional_content: z.string().optional().describe('Content to append to the prompt body'),
    }),
    confirm: args => `Write ${args.filename} for ${args.work_id}?`,
  },
  {
    name: 'paw_create_prompt_templates',
    title: 'Generate all prompt files',
    description: 'Writes every prompt file that fits the work item. Files that are there stay as they are.',
    input: z.object({ work_id: workId }),
    confirm: args => `Write all prompt files for ${args.work_id}?`,
  },
  {
    name: 'paw_get_context',
    title: "Get a work item's context",
    description:
      "Returns the project's and the user's instructions, WorkflowContext.md, and how to hand over in the work item's mode. Call it first in each stage.",
    input: z.object({
      work_id: workId,
      agent_name: z.string().optional().describe('Your agent name, e.g. PAW-03A Implementer'),
    }),
  },
  {
    name: 'baton_status',
    title: 'Where does the work stand?',
    description:
      'Says where a work item stands (artifacts, phases, git, pull requests, what waits for a person) and what to type next. Without a Work ID it finds the item by the branch, or lists all.',
    input: z.object({ work_id: workId.optional() }),
  },
  {
    name: 'baton_handoff',
    title: 'Write a handoff document',
    description:
      'Writes the handoff document of this session from git and its transcript, for the next session in this project, and returns its path.',
    input: z.object({
      work_id: workId.optional(),
      focus: z.string().optional().describe('What the next session is to look at first'),
    }),
    confirm: () => 'Write the handoff document of this session?',
  },
]

export interface ToolContext {
  project: string
  /** The caller opens conversations itself. */
  opensChats?: boolean
}

/** Runs a tool. Every failure is a BatonError that says what to do. */
export async function callTool(
  stages: Stages,
  ports: StagePorts,
  name: string,
  args: Readonly<Record<string, unknown>>,
  context: ToolContext,
): Promise<ToolAnswer> {
  switch (name) {
    case 'paw_call_agent':
      return callAgent(stages, ports, args, context)
    case 'paw_generate_prompt': {
      const id = checkWorkId(args.work_id)
      const key = checkTemplateKey(args.template_key)
      const filename = checkFilename(args.filename)
      const item = await ports.items.get(context.project, id)
      const additional = textOf(args, 'additional_content')
      const { path } = await writePrompt(ports.files, context.project, item, { key, filename, additional })
      return { text: path }
    }
    case 'paw_create_prompt_templates':
      return { text: await allPrompts(ports, await ports.items.get(context.project, args.work_id), context) }
    case 'paw_get_context':
      return { text: await contextText(ports, args, context) }
    case 'baton_status':
      return { text: (await workReport(ports, context.project, args.work_id)).text }
    case 'baton_handoff':
      return { text: await handOff(stages, ports, args, context) }
    default:
      throw new BatonError('not_found', `There is no tool ${name.slice(0, 60)}`, {
        remedy: `There is ${TOOLS.map(tool => tool.name).join(', ')}.`,
      })
  }
}

async function callAgent(
  stages: Stages,
  ports: StagePorts,
  args: Readonly<Record<string, unknown>>,
  { project: folder, opensChats }: ToolContext,
): Promise<ToolAnswer> {
  const id = checkWorkId(args.work_id)
  const row = typeof args.target_agent === 'string' ? rowOfAgent(args.target_agent) : undefined
  if (!row)
    throw new BatonError('usage', 'Unknown target_agent', {
      remedy: `Use one of ${StageAgent.options.join(', ')}.`,
    })
  const instruction = textOf(args, 'inline_instruction')
  const item = await ports.items.get(folder, id)
  const step = stepFor(row.stage, instruction, item)
  const missing = missingFor(step, item.facts)
  if (missing.length > 0)
    throw new BatonError(
      'usage',
      `${row.agent} cannot begin: ${missing.map(({ what }) => what).join('; ')}`,
      {
        remedy: missing.map(({ fix }) => fix).join(' '),
      },
    )
  const order = { workId: id, ...step, instruction }
  if (opensChats) return { text: '', open: { agent: row.agent, prompt: openingPrompt(order) } }
  const from: SessionId | undefined = stages.callerOf(folder, 'paw_call_agent', id)
  const session = from && (await ports.session(from))
  // As the session's own hooks name it.
  const project = session?.project ?? folder
  const now = ports.now()
  const pass: Pass = {
    project,
    workId: id,
    target: row.agent,
    stage: step.stage,
    at: now,
    state: session ? 'called' : 'due',
    tries: 0,
    ...(step.phase ? { phase: step.phase } : {}),
    ...(instruction ? { instruction } : {}),
    ...(session ? { from: session.id } : {}),
  }
  if (!(await stages.passing.canBegin(session)))
    return {
      text: `${row.agent} cannot be started from here: there is neither tmux nor a session that Baton reaches. Tell the user to run:\n${ports.commandFor(session?.agent ?? 'claude-code', project, openingPrompt(order))}`,
    }
  await ports.memory.keep(pass)
  // Its turn's end begins the next stage, also for a session that was not about a work item before.
  if (session && !(await ports.memory.binding(session.id)))
    await ports.memory.bind({
      session: session.id,
      nativeSession: session.nativeSession,
      agent: session.agent,
      project,
      workId: id,
      since: now,
      reminders: 0,
    })
  await ports.journal(
    { project, session },
    {
      kind: 'stage',
      what: 'called',
      workId: id,
      stage: step.stage,
      agent: row.agent,
      mode: item.context.mode,
      ...(step.phase ? { phase: step.phase } : {}),
      ...(instruction ? { detail: instruction.slice(0, 300) } : {}),
    },
  )
  if (!session) stages.passing.begin(pass)
  return { text: '' }
}

/** The phase stands in the instruction; without one it is the first that is open. */
function stepFor(stage: Step['stage'], instruction: string | undefined, { facts }: WorkItem): Step {
  if (stage !== 'implement' && stage !== 'review') return { stage }
  const said = phaseIn(instruction)
  if (said !== undefined) return { stage, phase: said }
  // Remarks about finished phases come back to the Implementer without a phase of their own.
  const phase =
    stage === 'implement'
      ? (openPhase(facts)?.number ?? (instruction ? facts.phases.at(-1)?.number : undefined))
      : facts.phases.findLast(({ state, reviewed }) => state !== 'open' && !reviewed)?.number
  return phase === undefined ? { stage } : { stage, phase }
}

async function allPrompts(ports: StagePorts, item: WorkItem, { project }: ToolContext): Promise<string> {
  const keys = TemplateKey.options.filter(key => item.context.strategy === 'prs' || !TEMPLATES[key].prs)
  const made: string[] = []
  const kept: string[] = []
  for (const key of keys) {
    try {
      const order = { key, filename: promptFileName(key) }
      const { path, made: fresh } = await writePrompt(ports.files, project, item, order)
      ;(fresh ? made : kept).push(path)
    } catch (cause) {
      if (!(cause instanceof BatonError) || !cause.message.includes('is there already')) throw cause
      kept.push(`.paw/work/${item.workId}/prompts/${promptFileName(key)}`)
    }
  }
  return [
    `Written: ${made.length === 0 ? 'none' : ''}`,
    ...made.map(path => `- ${path}`),
    ...(kept.length > 0 ? ['Already there, left as they are:', ...kept.map(path => `- ${path}`)] : []),
  ].join('\n')
}

const LONGEST_INSTRUCTIONS = 50_000

/** Instructions of project and person, WorkflowContext.md, and last how to hand over: what is read last is kept best. */
async function contextText(
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
      LONGEST_INSTRUCTIONS,
    )
    return found.kind === 'text' ? found.text.trim() : ''
  }
  const [workspace, user] = await Promise.all([read(project), read(ports.home)])
  const context = item.contextText?.trim() ?? ''
  const part = (name: string, text: string) => (text === '' ? [] : [`<${name}>\n${text}\n</${name}>`])
  const { mode } = item.context
  return [
    ...part('workspace_instructions', workspace),
    ...part('user_instructions', user),
    ...part('workflow_context', context),
    ...(workspace === '' && user === '' && context === ''
      ? [
          `<context status="empty">There is no WorkflowContext.md and there are no instructions for ${item.workId}.</context>`,
        ]
      : []),
    ...(item.warnings.length > 0 ? part('warnings', item.warnings.join('\n')) : []),
    `<handoff_instructions mode="${mode}">\n${handoffInstructions({ mode, flow: item.facts.flow, ...(row ? { stage: row.stage } : {}) })}\n</handoff_instructions>`,
  ].join('\n\n')
}

async function handOff(
  stages: Stages,
  ports: StagePorts,
  args: Readonly<Record<string, unknown>>,
  { project }: ToolContext,
): Promise<string> {
  const given = args.work_id === undefined ? '' : checkWorkId(args.work_id)
  const from = stages.callerOf(project, 'baton_handoff', given)
  const session = from && (await ports.session(from))
  if (!session || !ports.handOff)
    throw new BatonError('nothing_to_hand_off', 'Baton does not know the session that asks', {
      remedy: 'Install the hooks (`baton init`) and run `baton handoff` in the project instead.',
    })
  const binding = await ports.memory.binding(session.id)
  return ports.handOff(session, {
    focus: textOf(args, 'focus'),
    stage: binding?.stage,
  })
}

const LONGEST_TEXT = 20_000

function textOf(args: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const given = args[name]
  if (given === undefined || given === null || given === '') return undefined
  if (typeof given !== 'string') throw new BatonError('usage', `${name} must be a text`)
  if (given.length > LONGEST_TEXT)
    throw new BatonError('usage', `${name} is longer than ${LONGEST_TEXT} characters`, {
      remedy: 'Write it into a file of the work item and name the file.',
    })
  return given.trim() || undefined
}
