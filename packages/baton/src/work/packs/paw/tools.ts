import { BatonError } from '@batonpass/contract/errors'
import { StageAgent, TemplateKey, type ToolAnswer } from '@batonpass/contract/work'
import { z } from 'zod'
import { handoffName } from '../../../handoff/document-name.ts'
import { HandoffFiles } from '../../../handoff/handoff-files.ts'
import { recallSection } from '../../../handoff/recall.ts'
import { SECTIONS } from '../../../handoff/sections.ts'
import { writeDocumentPrompt } from '../../../handoff/write/prompts.ts'
import { makeRedactor } from '../../../journal/redact.ts'
import type { StagePorts } from '../../stages/ports.ts'
import type { Stages } from '../../stages/stages.ts'
import { checkWorkId } from '../../stages/work-id.ts'
import type { WorkItem } from '../../stages/work-items.ts'
import { workReport } from '../../stages/work-status.ts'
import { callAgent } from './call-agent.ts'
import {
  checkFilename,
  checkTemplateKey,
  promptFileName,
  TEMPLATES,
  writePrompt,
} from './prompt-templates.ts'
import { contextText } from './stage-context.ts'
import { type ToolContext, textOf } from './tool-arguments.ts'

/** A tool as agents see it. Its arguments are checked by hand, so that errors say what to do. */
export interface StageTool {
  name: string
  title: string
  description: string
  input: z.ZodObject
}

const workId = z
  .string()
  .describe('Normalized Work ID (feature slug): lowercase letters, numbers and hyphens')

/** All tools, declared once for the MCP server and for editors. */
export const TOOLS: readonly StageTool[] = [
  {
    name: 'paw_call_agent',
    title: 'Hand over to a stage',
    description:
      'Starts a stage of staged work in a new session with the Work ID as its context. Fire and forget: make it your last action and end your turn. Empty text means success.',
    input: z.object({
      target_agent: StageAgent.describe('Exact agent name, e.g. PAW-03A Implementer'),
      work_id: workId,
      inline_instruction: z.string().optional().describe('Optional instruction to pass to the agent'),
    }),
  },
  {
    name: 'paw_generate_prompt',
    title: 'Generate a prompt file',
    description:
      "Writes a prompt file that the user can edit, into the work item's prompts folder, and returns its path. Never overwrites an existing file.",
    input: z.object({
      work_id: workId,
      template_key: TemplateKey.describe('Template identifier, e.g. 03A-implement'),
      filename: z.string().describe('Exact filename; must end with .prompt.md'),
      additional_content: z.string().optional().describe('Content to append to the prompt body'),
    }),
  },
  {
    name: 'paw_create_prompt_templates',
    title: 'Generate all prompt files',
    description: 'Writes all prompt files that apply to the work item. Existing files are left unchanged.',
    input: z.object({ work_id: workId }),
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
    title: 'Show the state of the work',
    description:
      'Reports the state of a work item (artifacts, phases, git, pull requests, what needs a person) and what to type next. Without a Work ID it finds the item by the branch, or lists all.',
    input: z.object({ work_id: workId.optional() }),
  },
  {
    name: 'baton_handoff',
    title: 'Write a handoff document',
    description:
      'Writes the handoff document of this session from git and its transcript, for the next session in this project, and returns its path.',
    input: z.object({
      work_id: workId.optional(),
      focus: z.string().optional().describe('What the next session should look at first'),
    }),
  },
  {
    name: 'baton_recall',
    title: 'Recall what earlier sessions knew',
    description:
      'Returns one section of the handoff in full: what your context had no room for, such as every instruction of the user, decision, dead end or result of a subagent.',
    input: z.object({
      section: z.enum(SECTIONS).describe('The section'),
      document: z.string().optional().describe("The document's file name. Default: the newest"),
    }),
  },
]

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
      return { text: await contextText(stages, ports, args, context) }
    case 'baton_status':
      return { text: (await workReport(ports, context.project, args.work_id)).text }
    case 'baton_handoff':
      return { text: await handOff(stages, ports, args, context) }
    case 'baton_recall': {
      const files = new HandoffFiles(ports.files, { exclude: async () => {} }, makeRedactor())
      const section = textOf(args, 'section') ?? ''
      return {
        text: await recallSection(files, context.project, { section, name: textOf(args, 'document') }),
      }
    }
    default:
      throw new BatonError('not_found', `Unknown tool ${name.slice(0, 60)}`, {
        remedy: `Use one of ${TOOLS.map(tool => tool.name).join(', ')}.`,
      })
  }
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
      if (!(cause instanceof BatonError) || !cause.message.includes('already exists')) throw cause
      kept.push(`.paw/work/${item.workId}/prompts/${promptFileName(key)}`)
    }
  }
  return [
    `Written: ${made.length === 0 ? 'none' : ''}`,
    ...made.map(path => `- ${path}`),
    ...(kept.length > 0 ? ['Already there, unchanged:', ...kept.map(path => `- ${path}`)] : []),
  ].join('\n')
}

/** An editor's chat has no hooks and no transcript that Baton can read, so the chat's agent has to write the document. */
const chatHandoff = (now: number, focus: string | undefined): string =>
  [
    'Baton cannot read this chat, so write the document yourself, from what you know about it.',
    writeDocumentPrompt(handoffName(now), focus, true),
    'If a file of that name exists, use the same name with `-2.md` at the end. Then tell the user that `baton handoff --verify FILE` checks it against git, and that `baton handoffs show --context` prints it for the next session.',
  ].join('\n\n')

async function handOff(
  stages: Stages,
  ports: StagePorts,
  args: Readonly<Record<string, unknown>>,
  { project, opensChats }: ToolContext,
): Promise<string> {
  const given = args.work_id === undefined ? '' : checkWorkId(args.work_id)
  const from = stages.callers.of(project, 'baton_handoff', given)
  const session = from && (await ports.session(from))
  if (!session && opensChats) return chatHandoff(ports.now(), textOf(args, 'focus'))
  if (!session || !ports.handOff)
    throw new BatonError('nothing_to_hand_off', 'Baton does not know the calling session', {
      remedy: 'Install the hooks (`baton init`) and run `baton handoff` in the project instead.',
    })
  const binding = await ports.memory.binding(session.id)
  return ports.handOff(session, {
    focus: textOf(args, 'focus'),
    stage: binding?.stage,
  })
}
