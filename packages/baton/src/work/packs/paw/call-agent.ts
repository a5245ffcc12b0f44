import { BatonError } from '@batonpass/contract/errors'
import type { SessionId } from '@batonpass/contract/ids'
import { StageAgent, type ToolAnswer } from '@batonpass/contract/work'
import type { StagePorts } from '../../stages/ports.ts'
import { afterAddressing, checkInstruction } from '../../stages/resolve-command.ts'
import type { DueStage } from '../../stages/stage-memory.ts'
import type { Stages } from '../../stages/stages.ts'
import { missingFor, openPhase, type Step } from '../../stages/work-facts.ts'
import { checkWorkId } from '../../stages/work-id.ts'
import type { WorkItem } from '../../stages/work-items.ts'
import { openingPrompt, phaseIn, pullIn } from './opening-prompt.ts'
import { rowOfAgent } from './stage-table.ts'
import { type ToolContext, textOf } from './tool-arguments.ts'

/** `paw_call_agent`: records the next stage, or starts it at once if no turn has to end first. */
export async function callAgent(
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
  const caller: SessionId | undefined = stages.callers.of(folder, 'paw_call_agent', id)
  const instruction = await instructionFor(ports, caller, row.stage, textOf(args, 'inline_instruction'))
  const item = await ports.items.get(folder, id)
  const step = stepFor(row.stage, instruction, item)
  const missing = missingFor(step, item.facts)
  if (missing.length > 0)
    throw new BatonError(
      'usage',
      `${row.agent} cannot start: ${missing.map(({ what }) => what).join('; ')}`,
      {
        remedy: missing.map(({ fix }) => fix).join(' '),
      },
    )
  const order = { workId: id, ...step, instruction }
  if (opensChats) return { text: '', open: { agent: row.agent, prompt: openingPrompt(order) } }
  const session = caller && (await ports.session(caller))
  // Use the project path that the session's hooks report.
  const project = session?.project ?? folder
  if (ports.paused?.({ project, session: session?.id }))
    throw new BatonError('not_allowed', `Baton is paused here, so ${row.agent} was not started`, {
      remedy: 'Tell the user to run `baton unpause`, then call paw_call_agent again.',
    })
  const now = ports.now()
  const pass: DueStage = {
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
      text: `Baton cannot start ${row.agent} from here: it has neither tmux nor a session that it can type into. Tell the user to run:\n${ports.commandFor(session?.agent ?? 'claude-code', project, openingPrompt(order))}`,
    }
  const obstacle = stages.passing.obstacle(session)
  if (obstacle !== undefined) throw cannotStart(row.agent, obstacle)
  await ports.memory.keep(pass)
  // Bind the session, so that the end of its turn starts the next stage even if it had no work item before.
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
  // With a session, the stage starts when its turn ends; without one it starts now, and a failure must not look like success.
  const failed = session ? undefined : await stages.passing.begin(pass)
  if (failed !== undefined) throw cannotStart(row.agent, failed)
  return { text: '' }
}

const cannotStart = (agent: string, why: string): BatonError =>
  new BatonError('missing_tool', `${agent} did not start: ${why}`, {
    remedy: 'Fix that and call paw_call_agent again, or tell the user.',
  })

/** Reads the phase from the instruction; without one it is the first open phase. */
function stepFor(stage: Step['stage'], instruction: string | undefined, { facts }: WorkItem): Step {
  if (stage !== 'implement' && stage !== 'review') return { stage }
  const said = phaseIn(instruction)
  if (said !== undefined) return { stage, phase: said }
  // Feedback on finished phases returns to the Implementer without naming a phase.
  const phase =
    stage === 'implement'
      ? (openPhase(facts)?.number ?? (instruction ? facts.phases.at(-1)?.number : undefined))
      : facts.phases.findLast(({ state, reviewed }) => state !== 'open' && !reviewed)?.number
  return phase === undefined ? { stage } : { stage, phase }
}

/** Adds the pull request to the instruction for the stage that checks addressed comments, if the agent left it out. */
async function instructionFor(
  { memory }: StagePorts,
  caller: SessionId | undefined,
  stage: Step['stage'],
  said: string | undefined,
): Promise<string | undefined> {
  const binding = caller && (await memory.binding(caller))
  if (!binding?.pull || !binding.stage || afterAddressing(binding.stage) !== stage || pullIn(said))
    return said
  const phase = binding.phase ? `Phase ${binding.phase}` : ''
  return [phase, checkInstruction(binding.pull), said].filter(Boolean).join(': ')
}
