import type { PullRequestState, StageAgent, StageName } from '@batonpass/contract/work'
import { rowOf } from '../packs/paw/stage-table.ts'
import { next } from './next-stage.ts'
import type { WorkCommand } from './parse-command.ts'
import { missingFor, openPhase, position, type Step, type WorkFacts } from './work-facts.ts'

/** What a command means in the current situation. */
export type Meaning =
  | { kind: 'hand-off'; step: Step; agent: StageAgent; instruction?: string | undefined }
  | { kind: 'unmet'; step: Step; missing: { what: string; fix: string }[] }
  | { kind: 'blocked'; reason: string }
  | { kind: 'nothing'; why: string }

type Moving = Extract<WorkCommand, { kind: 'stage' | 'continue' | 'comments' | 'feedback' }>

/** Resolves a command to a stage, by the stage table and the work's facts. Pure. */
export function resolveCommand(
  command: Moving,
  facts: WorkFacts,
  from: Step | undefined,
  pullRequests: readonly PullRequestState[] = [],
): Meaning {
  const { instruction } = command
  if (command.kind === 'continue' && facts.blocked !== undefined && command.phase === undefined)
    return { kind: 'blocked', reason: facts.blocked }
  if (command.kind === 'comments') return resolveComments(facts, pullRequests, instruction)
  const step =
    command.kind === 'feedback' ? { stage: reworkOf(from ?? position(facts)) } : stepOf(command, facts, from)
  if (!step) return { kind: 'nothing', why: 'Every stage of this work is done.' }
  return checkStep(step, facts, instruction)
}

function stepOf(
  command: Extract<Moving, { kind: 'stage' | 'continue' }>,
  facts: WorkFacts,
  from: Step | undefined,
): Step | undefined {
  const { phase } = command
  if (command.kind === 'continue')
    return phase === undefined ? next(from, facts)?.step : { stage: 'implement', phase }
  const wanted = phase ?? (command.stage === 'implement' ? openPhase(facts)?.number : undefined)
  return wanted === undefined ? { stage: command.stage } : { stage: command.stage, phase: wanted }
}

function checkStep(step: Step, facts: WorkFacts, instruction: string | undefined): Meaning {
  const missing = missingFor(step, facts)
  if (missing.length > 0) return { kind: 'unmet', step, missing }
  return { kind: 'hand-off', step, agent: rowOf(step.stage).agent, ...(instruction ? { instruction } : {}) }
}

/** The stage that reworks what a person gave feedback on. */
function reworkOf(at: Step | undefined): StageName {
  if (!at || at.stage === 'spec-research') return 'spec'
  return ['review', 'pr', 'status'].includes(at.stage) ? 'implement' : at.stage
}

/** Which stages handle a pull request's comments: the first addresses them, the second checks the result. */
export const COMMENT_ROUTES: Record<PullRequestState['kind'], readonly StageName[]> = {
  planning: ['plan'],
  phase: ['implement', 'review'],
  docs: ['docs'],
  final: ['implement', 'review'],
}

/** The instruction for the first stage of a route. `pullIn` finds the pull request in it again. */
const addressInstruction = (number: number): string =>
  `Address the review comments on pull request #${number}`

/** The instruction for the second stage of a route. */
export const checkInstruction = (number: number): string =>
  `Check how the review comments on pull request #${number} were addressed, push, and answer them`

/** The stage that checks how another stage addressed review comments; undefined after the last one. */
export const afterAddressing = (stage: StageName): StageName | undefined =>
  Object.values(COMMENT_ROUTES)
    .filter(route => route.includes(stage))
    .flatMap(route => route.slice(route.indexOf(stage) + 1))[0]

export const waitsForAnswer = ({ state, comments }: PullRequestState): boolean =>
  state === 'open' &&
  comments !== undefined &&
  (comments.unresolved > 0 || comments.changesRequested.length > 0)

function resolveComments(
  facts: WorkFacts,
  pullRequests: readonly PullRequestState[],
  instruction: string | undefined,
): Meaning {
  const pull = pullRequests.findLast(waitsForAnswer)
  if (!pull) {
    const open = pullRequests.some(({ state }) => state === 'open')
    return {
      kind: 'nothing',
      why: open
        ? 'No review comment needs an answer.'
        : 'No open pull request of this work was found; check the remote, the target branch and the token.',
    }
  }
  const [stage = 'implement'] = COMMENT_ROUTES[pull.kind]
  const number = pull.phase
  const step: Step = stage === 'implement' && number !== undefined ? { stage, phase: number } : { stage }
  const task = `${addressInstruction(pull.number ?? 0)} (${pull.branch})`
  // Finished phases do not matter here: the comments are about them.
  const plan = facts.artifacts.has('ImplementationPlan')
  if (stage === 'implement' && !plan) return checkStep(step, facts, instruction)
  return {
    kind: 'hand-off',
    step,
    agent: rowOf(stage).agent,
    instruction: instruction ? `${task}: ${instruction}` : task,
  }
}
