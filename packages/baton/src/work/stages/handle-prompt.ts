import type { EventOf } from '@batonpass/contract/event'
import type { StageName } from '@batonpass/contract/work'
import type { ReactionContext } from '../../ports/reactor.ts'
import { stageInstructions, stagesTable } from '../packs/paw/instructions/agent-file.ts'
import { agentIn, phaseIn, pullIn, workIdIn } from '../packs/paw/opening-prompt.ts'
import { promptFileName, templateFor } from '../packs/paw/prompt-templates.ts'
import { rowOf, rowOfAgent } from '../packs/paw/stage-table.ts'
import { commandFor } from './next-stage.ts'
import { parseCommand, type WorkCommand } from './parse-command.ts'
import type { StagePorts } from './ports.ts'
import { type Meaning, resolveCommand } from './resolve-command.ts'
import type { Binding } from './stage-memory.ts'
import { openPhase, position, type Step } from './work-facts.ts'
import type { WorkGrants } from './work-grants.ts'
import type { WorkItem } from './work-items.ts'
import type { WorkProofs } from './work-proofs.ts'
import { detectWorkItem, workReport } from './work-status.ts'

/** What Baton records when a person begins the work. */
interface Records {
  grants: WorkGrants
  proofs: WorkProofs
}

/** Handles a prompt: the opening of a stage, a command of staged work, or anything else (undefined). */
export async function handlePrompt(
  ports: StagePorts,
  records: Records,
  event: EventOf<'PromptSubmitted'>,
  context: ReactionContext,
): Promise<string | undefined> {
  const named = workIdIn(event.prompt)
  const item = named && (await ports.items.find(context.project, named))
  if (item) return openStage(ports, records, event, context, item)
  const known = await ports.memory.binding(event.session)
  const { typed, explicit } = commandIn(event.prompt)
  if (!parseCommand(typed, known?.stage)) return undefined
  // Outside staged work, everyday words are not commands.
  if (!known && !explicit && !UNMISTAKABLE.test(typed.trim())) return undefined
  const about = known
    ? await ports.items.find(known.project, known.workId)
    : detectWorkItem(await ports.items.list(context.project), await ports.git.readPosition(context.project))
  if (!about && (await ports.items.list(context.project)).length === 0) return undefined
  // The meaning of `research` depends on the work's position, even in a session without a stage.
  const from: Step | undefined = known?.stage
    ? { stage: known.stage, phase: known.phase }
    : about && position(about.facts)
  const command = parseCommand(typed, from?.stage)
  if (!command) return undefined
  if (known) await ports.memory.bind({ ...known, reminders: 0 })
  if (['status', 'help', 'list', 'prompt'].includes(command.kind))
    return explainOther(about?.workId, command as Parameters<typeof explainOther>[1])
  if (!about)
    return 'This is a command of staged work, but this project has several work items: call baton_status, show the list, and ask the user which one to use.'
  const pulls =
    command.kind === 'comments'
      ? ((await workReport(ports, context.project, about.workId)).status?.pullRequests ?? [])
      : []
  const meaning = resolveCommand(command as Parameters<typeof resolveCommand>[0], about.facts, from, pulls)
  if (meaning.kind === 'hand-off') await handOver(ports, records, event, context, about)
  return explainCommand(about.workId, typed, meaning)
}

/** A person hands over: the session may now call the tool that does it. */
async function handOver(
  ports: StagePorts,
  records: Records,
  { session, nativeSession, agent }: EventOf<'PromptSubmitted'>,
  { project, now }: ReactionContext,
  item: WorkItem,
): Promise<void> {
  const { memory } = ports
  const known = await memory.binding(session)
  const work = { project: known?.project ?? project, workId: item.workId }
  if (!known) await memory.bind({ ...work, session, nativeSession, agent, since: now, reminders: 0 })
  await beginWork(ports, records, work, session, item)
}

async function beginWork(
  { memory }: StagePorts,
  { grants, proofs }: Records,
  work: { project: string; workId: string },
  session: Binding['session'],
  item: WorkItem,
): Promise<void> {
  await grants.begin(work, session, item)
  await proofs.begin(work, (await memory.grant(work.project, work.workId))?.grant.issue)
}

async function openStage(
  ports: StagePorts,
  records: Records,
  event: EventOf<'PromptSubmitted'>,
  { project, now, session }: ReactionContext,
  item: WorkItem,
): Promise<string | undefined> {
  const { memory, journal } = ports
  const pass = await memory.pass(project, item.workId)
  const expected = pass && pass.state !== 'called' ? pass : undefined
  const before = await memory.binding(event.session)
  const stage: StageName | undefined =
    rowOfAgent(agentIn(event.prompt) ?? '')?.stage ??
    expected?.stage ??
    (before?.workId === item.workId ? before.stage : undefined)
  const said = stage === expected?.stage ? expected?.phase : phaseIn(event.prompt)
  const phase = said ?? phaseFor(stage, item)
  const pull = pullIn(event.prompt)
  const binding: Binding = {
    session: event.session,
    nativeSession: event.nativeSession,
    agent: event.agent,
    project,
    workId: item.workId,
    since: now,
    reminders: 0,
    ...(stage ? { stage } : {}),
    ...(phase ? { phase } : {}),
    ...(pull ? { pull } : {}),
  }
  await memory.bind(binding)
  if (expected) await memory.drop(expected)
  // A person's own words begin the work; what an agent called for, or a text that only quotes a Work ID, does not.
  const work = { project, workId: item.workId }
  if (!expected && /^\s*Work ID:/i.test(event.prompt))
    await beginWork(ports, records, work, event.session, item)
  else await records.grants.moveTo(work, event.session)
  if (!stage) return undefined
  const { agent } = rowOf(stage)
  const { mode } = item.context
  await journal(
    { project, session },
    { kind: 'stage', what: 'begun', workId: item.workId, stage, agent, mode, ...(phase ? { phase } : {}) },
  )
  return `<stage-instructions>\n${stageInstructions(stage, { workId: item.workId, mode })}\n</stage-instructions>`
}

/** Whether understanding the prompt needs the forge. */
export const isSlow = (prompt: string): boolean =>
  parseCommand(commandIn(prompt).typed, undefined)?.kind === 'comments'

/** The phase of a stage if the prompt does not name one. */
function phaseFor(stage: StageName | undefined, { facts }: WorkItem): number | undefined {
  if (stage === 'implement') return openPhase(facts)?.number
  if (stage !== 'review') return undefined
  return facts.phases.findLast(({ state, reviewed }) => state === 'done' && !reviewed)?.number
}

/** Extracts the command from `/baton:stage implement Phase 2`; other prompts are returned unchanged. */
function commandIn(prompt: string): { typed: string; explicit: boolean } {
  const slash = /^\s*\/(?:[A-Za-z0-9][\w.-]{0,63}:){0,3}stage\s+([\s\S]+)$/.exec(prompt.slice(0, 5000))
  return slash ? { typed: slash[1] ?? '', explicit: true } : { typed: prompt, explicit: false }
}

/** Commands that are unlikely to be typed by accident, so they count in any session. */
const UNMISTAKABLE =
  /^(?:implement phase \d|final pr\b|address comments|check pr\b|generate prompt for|where am i\b|(?:what|which|list)\b.{0,30}\bwork items?\b)/i

/** Context for a prompt that is a command: what the command means now, and that it is not a task for the agent. */
function explainCommand(workId: string, typed: string, meaning: Meaning): string {
  const command = `\`${typed.trim().split('\n', 1)[0]?.slice(0, 80)}\``
  switch (meaning.kind) {
    case 'hand-off': {
      const { step, agent, instruction } = meaning
      const said = [step.phase === undefined ? '' : `Phase ${step.phase}`, instruction ?? '']
        .filter(Boolean)
        .join(': ')
      const call = { target_agent: agent, work_id: workId, ...(said ? { inline_instruction: said } : {}) }
      return `${command} is a command of staged work, not a task for you. It hands over to ${agent} (${rowOf(step.stage).title}${step.phase ? `, Phase ${step.phase}` : ''}). Do none of that work here: make sure that your own work is saved and committed, call paw_call_agent with exactly ${JSON.stringify(call)} as your last action, and end your turn.`
    }
    case 'unmet':
      return `${command} is a command of staged work: ${commandFor(meaning.step)}. It cannot start yet: ${meaning.missing.map(({ what, fix }) => `${what}. ${fix}`).join(' ')} Tell the user so, and do none of that work here.`
    case 'blocked':
      return `${command} is a command of staged work, but the work is blocked: ${meaning.reason}. Tell the user; offer no next steps. The work continues when the line \`Blocked:\` is removed from WorkflowContext.md.`
    case 'nothing':
      return `${command} is a command of staged work. ${meaning.why} Tell the user so; offer \`status\`.`
  }
}

/** Context for commands that do not hand over. */
function explainOther(
  workId: string | undefined,
  command: Extract<WorkCommand, { kind: 'status' | 'help' | 'list' | 'prompt' }>,
): string {
  switch (command.kind) {
    case 'status':
    case 'list':
      return `This is a command of staged work, not a task: call baton_status${workId && command.kind === 'status' ? ` with ${JSON.stringify({ work_id: workId })}` : ' without a work_id'} and repeat what it says. Change nothing.`
    case 'help':
      return `This is a question about staged work, not a task. Answer it from the following, briefly and in your own words; change nothing.\n\n${stagesTable()}\n\nModes: manual waits for a command after each stage; semi-auto continues by itself through research, planning and review and waits before decisions; auto continues to the final pull request and needs the review strategy local. \`baton work mode ID MODE\` changes the mode; \`baton work new "TITLE"\` creates a work item; baton_status shows the state of one.`
    case 'prompt': {
      const key = templateFor(command.stage)
      if (!key || !workId)
        return `This requests a prompt file, but ${key ? 'no work item is known in this session: ask for its Work ID' : `there is no template for ${rowOf(command.stage).agent}`}. Tell the user so.`
      const call = {
        work_id: workId,
        template_key: key,
        filename: promptFileName(key, command.phase),
        ...(command.phase || command.instruction
          ? {
              additional_content: [command.phase && `Phase: ${command.phase}`, command.instruction]
                .filter(Boolean)
                .join('\n\n'),
            }
          : {}),
      }
      return `This requests a prompt file to edit, not work: call paw_generate_prompt with exactly ${JSON.stringify(call)}, and tell the user the path it returns.`
    }
  }
}
