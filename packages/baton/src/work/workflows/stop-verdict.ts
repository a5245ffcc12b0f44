import type { EndKind } from '@batonpass/contract/workflow'
import type { Judged } from './progress.ts'
import type { StateFound } from './state-files.ts'

/** Everything that decides what a stop becomes. */
export interface StopFacts {
  enabled: boolean
  max: number
  state: StateFound
  /** How this run ended already, if it did. */
  ended: EndKind | undefined
  outcome: 'completed' | 'aborted' | 'error'
  /** The turn's last words are an error of the model service that no prompt can mend. */
  refused: string | undefined
  overBudget: string | undefined
  /** What was found on the forge or in the agent's own doings. */
  delivered: string | undefined
  judged: Judged
}

export type Verdict =
  /** Nothing of ours: the agent stops, or others decide. */
  | { kind: 'aside' }
  | { kind: 'end'; end: EndKind; reason: string }
  | { kind: 'continue'; count: number; stuck: string | undefined }

/** Stops without progress, in a row: at the second the prompt changes, at the third the run ends. */
const NAME_IT = 2
const GIVE_UP = 3

/** States in the file with which a run goes on; `capped` lasts only as long as the count does. */
const GOING = new Set(['initial', 'capped'])

/** What a stop of the session's own turn becomes. Pure, and total: there is no input for which it loops. */
export function decideStop(facts: StopFacts): Verdict {
  const { state, max, judged } = facts
  if (!facts.enabled || facts.outcome === 'aborted') return { kind: 'aside' }
  if (state.kind === 'absent') return once(facts, 'blocked', 'a person took the state file away')
  if (state.kind === 'unreadable')
    return once(facts, 'blocked', `the state file cannot be used: ${state.why}`)
  const { state: word, continuation_count: count } = state.state
  if (word === 'done') return once(facts, 'complete', facts.delivered ?? 'it was marked as done')
  if (!GOING.has(word)) return once(facts, ...endNamed(word))
  if (facts.outcome === 'error' || facts.refused !== undefined)
    return end('failed', facts.refused ?? 'the agent reported an error')
  if (facts.delivered !== undefined) return end('complete', facts.delivered)
  if (count >= max) return once(facts, 'capped', `${count} of ${max} continuations are used`)
  if (facts.overBudget !== undefined) return end('over-budget', facts.overBudget)
  if (judged.course.stuck >= GIVE_UP) return end('stalled', judged.why)
  return {
    kind: 'continue',
    count: count + 1,
    stuck: judged.course.stuck >= NAME_IT ? judged.why : undefined,
  }
}

const end = (kind: EndKind, reason: string): Verdict => ({ kind: 'end', end: kind, reason })

/** An end that is known already is not announced again. */
const once = (facts: StopFacts, kind: EndKind, reason: string): Verdict =>
  facts.ended === undefined ? end(kind, reason) : { kind: 'aside' }

/** `baton stop` and `baton done --blocked` leave their word in the file, as a person may. */
function endNamed(word: string): [EndKind, string] {
  const [name = '', reason] = word.split(/:\s*/, 2)
  if (name === 'blocked' && reason) return ['blocked', reason]
  if (name === 'stopped') return ['blocked', 'a person stopped it']
  return [
    ENDS.find(kind => kind === name) ?? 'blocked',
    `the state file says ${JSON.stringify(word.slice(0, 40))}`,
  ]
}
const ENDS: readonly EndKind[] = ['stalled', 'blocked', 'over-budget', 'limit-parked', 'handed-off', 'failed']
