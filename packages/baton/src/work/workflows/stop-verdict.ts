import type { EndKind } from '@batonpass/contract/workflow'
import type { Judged } from './progress.ts'
import type { StateFound } from './state-files.ts'

/** Everything that decides how Baton answers a stop. */
export interface StopFacts {
  enabled: boolean
  max: number
  state: StateFound
  /** How this run has already ended, if it has. */
  ended: EndKind | undefined
  outcome: 'completed' | 'aborted' | 'error'
  /** The turn ended with an error of the model service that no prompt can fix. */
  refused: string | undefined
  overBudget: string | undefined
  /** Why the work counts as delivered, from the forge or from the agent's actions. */
  delivered: string | undefined
  judged: Judged
}

export type Verdict =
  /** Hands-off mode does not answer: the agent stops, or another capability decides. */
  | { kind: 'aside' }
  | { kind: 'end'; end: EndKind; reason: string }
  | { kind: 'continue'; count: number; stuck: string | undefined }

/** Consecutive stops without progress: from the second on the prompt names the problem, at the third the run ends. */
const STUCK_PROMPT_AT = 2
const STALLED_AT = 3

/** States of the file in which a run may continue; `capped` ends when a person lowers the count. */
const OPEN_STATES = new Set(['initial', 'capped'])

/** Decides how to answer a stop of the session's own turn. Pure and total: no input makes it loop. */
export function decideStop(facts: StopFacts): Verdict {
  const { state, max, judged } = facts
  if (!facts.enabled || facts.outcome === 'aborted') return { kind: 'aside' }
  if (state.kind === 'absent') return once(facts, 'blocked', 'a person removed the state file')
  if (state.kind === 'unreadable')
    return once(facts, 'blocked', `Baton cannot use the state file: ${state.why}`)
  const { state: word, continuation_count: count } = state.state
  if (word === 'done') return once(facts, 'complete', facts.delivered ?? 'the agent marked it as done')
  if (!OPEN_STATES.has(word)) return once(facts, ...endFromState(word))
  if (facts.outcome === 'error' || facts.refused !== undefined)
    return end('failed', facts.refused ?? 'the agent reported an error')
  if (facts.delivered !== undefined) return end('complete', facts.delivered)
  if (count >= max) return once(facts, 'capped', `${count} of ${max} continuations used`)
  if (facts.overBudget !== undefined) return end('over-budget', facts.overBudget)
  if (judged.course.stuck >= STALLED_AT)
    return end('stalled', `${STALLED_AT} turns in a row without progress: ${judged.why}`)
  return {
    kind: 'continue',
    count: count + 1,
    stuck: judged.course.stuck >= STUCK_PROMPT_AT ? judged.why : undefined,
  }
}

const end = (kind: EndKind, reason: string): Verdict => ({ kind: 'end', end: kind, reason })

/** Ends the run unless it has already ended, so that an end is announced only once. */
const once = (facts: StopFacts, kind: EndKind, reason: string): Verdict =>
  facts.ended === undefined ? end(kind, reason) : { kind: 'aside' }

/** Reads an end that `baton stop`, `baton done --blocked` or a person wrote into the state file. */
function endFromState(word: string): [EndKind, string] {
  const [name = '', reason] = word.split(/:\s*/, 2)
  if (name === 'blocked' && reason) return ['blocked', reason]
  if (name === 'stopped') return ['blocked', 'a person stopped it']
  return [
    ENDS.find(kind => kind === name) ?? 'blocked',
    `the state file says ${JSON.stringify(word.slice(0, 40))}`,
  ]
}
const ENDS: readonly EndKind[] = [
  'stalled',
  'blocked',
  'over-budget',
  'limit-parked',
  'question-parked',
  'handed-off',
  'failed',
]
