import type { PullRequestState, StageAgent, StageName } from '@batonpass/contract/work'
import { rowOf } from '../packs/paw/stage-table.ts'
import { next } from './next-stage.ts'
import type { WorkCommand } from './parse-command.ts'
import { missingFor, openPhase, position, type Step, type WorkFacts } from './work-facts.ts'

/** What a command means at this moment. */
export type Meaning =
  | { kind: 'hand-off'; step: Step; agent: StageAgent; instruction?: string | undefined }
  | { kind: 'unmet'; step: Step; missing: { what: string; fix: string }[] }
  | { kind: 'blocked'; reason: string }
  | { kind: 'nothing'; why: string }

type Moving = Extract<WorkCommand, { kind: 'stage' | 'continue' | 'comments' | 'feedback' }>

/** Where a command leads. Pure: what it says is what the table says for these facts. */
export function resolveCommand(
  command: Moving,
  facts: WorkFacts,
  from: Step | undefined,
  pullRequests: readonly PullRequestState[] = [],
): Meaning {
  const { instruction } = command
  if (command.kind === 'continue' && facts.blocked !== undefined && command.phase === undefined)
    return { kind: 'blocked', reason: facts.blocked }
  if (command.kind === 'comments') return addressing(facts, pullRequests, instruction)
  const step =
    command.kind === 'feedback' ? { stage: reworkOf(from ?? position(facts)) } : stepOf(command, facts, from)
  if (!step) return { kind: 'nothing', why: 'Every stage of this work is done.' }
  return checked(step, facts, instruction)
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

function checked(step: Step, facts: WorkFacts, instruction: string | undefined): Meaning {
  const missing = missingFor(step, facts)
  if (missing.length > 0) return { kind: 'unmet', step, missing }
  return { kind: 'hand-off', step, agent: rowOf(step.stage).agent, ...(instruction ? { instruction } : {}) }
}

/** Who does over what a person has remarks about. */
function reworkOf(at: Step | undefined): StageName {
  if (!at || at.stage === 'spec-research') return 'spec'
  return ['review', 'pr', 'status'].includes(at.stage) ? 'implement' : at.stage
}

/** Whose work a pull request's comments are: the first does it, the second looks at it. */
export const COMMENT_ROUTES: Record<PullRequestState['kind'], readonly StageName[]> = {
  planning: ['plan'],
  phase: ['implement', 'review'],
  docs: ['docs'],
  final: ['implement', 'review'],
}

/** What the first agent of a route is told; the words lead back to the pull request (see `pullIn`). */
const addressWords = (number: number): string => `Address the review comments on pull request #${number}`

/** What the second is told. */
export const checkWords = (number: number): string =>
  `Check how the review comments on pull request #${number} were addressed, push, and answer them`

/** Who looks at what a stage did about review comments; undefined where it was the last to do so. */
export const afterAddressing = (stage: StageName): StageName | undefined =>
  Object.values(COMMENT_ROUTES)
    .filter(route => route.includes(stage))
    .flatMap(route => route.slice(route.indexOf(stage) + 1))[0]

export const waitsForAnswer = ({ state, comments }: PullRequestState): boolean =>
  state === 'open' &&
  comments !== undefined &&
  (comments.unresolved > 0 || comments.changesRequested.length > 0)

function addressing(
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
        ? 'No review comment waits for an answer.'
        : 'No open pull request of this work was found; check the remote, the target branch and the token.',
    }
  }
  const [stage = 'implement'] = COMMENT_ROUTES[pull.kind]
  const number = pull.phase
  const step: Step = stage === 'implement' && number !== undefined ? { stage, phase: number } : { stage }
  const task = `${addressWords(pull.number ?? 0)} (${pull.branch})`
  // Finished phases are no obstacle here: the comments are about them.
  const plan = facts.artifacts.has('ImplementationPlan')
  if (stage === 'implement' && !plan) return checked(step, facts, instruction)
  return {
    kind: 'hand-off',
    step,
    agent: rowOf(stage).agent,
    instruction: instruction ? `${task}: ${instruction}` : task,
  }
}
