import type { Decision, Reaction } from '@batonpass/contract/reaction'
import {
  CONTINUE_RANKS,
  type ContinueRequest,
  type Contribution,
  REACTORS,
  type ReactorName,
} from '../ports/contribution.ts'

/** Everything that was said to one event, in a form whose order never depends on who spoke first. */
export interface Merged {
  readonly contributions: readonly AttributedContribution[]
}
type AttributedContribution = { by: ReactorName } & Contribution

export const NOTHING: Merged = { contributions: [] }

export function contribute(by: ReactorName, contribution: Contribution): Merged {
  return { contributions: [{ by, ...contribution }] }
}

/** Associative, commutative and idempotent: a set union in a total order. */
export function merge(a: Merged, b: Merged): Merged {
  const byKey = new Map<string, AttributedContribution>()
  for (const said of [...a.contributions, ...b.contributions]) byKey.set(keyOf(said), said)
  return {
    contributions: [...byKey].sort(([x], [y]) => (x < y ? -1 : x > y ? 1 : 0)).map(([, said]) => said),
  }
}

/** The one reaction that follows from everything said. */
export function toReaction({ contributions: said }: Merged): Reaction {
  const permission = strictest(said)
  const going = resolveContinuation(said.flatMap(s => s.continuation ?? []))
  const refusals = unique(said.flatMap(s => s.refuse?.reason ?? []))
  const contexts = unique(said.flatMap(s => s.context ?? []))
  const notices = unique([...said.flatMap(s => s.notice ?? []), ...(going.stopped ? [going.stopped] : [])])
  return {
    ...(permission ? { permission } : {}),
    ...(going.prompt ? { goOn: { prompt: going.prompt } } : {}),
    ...(refusals.length > 0 ? { refuse: { reason: refusals.join('\n') } } : {}),
    ...(contexts.length > 0 ? { context: contexts.join('\n\n') } : {}),
    ...(notices.length > 0 ? { notice: notices.join('\n') } : {}),
  }
}

/** Which reactors spoke, for the journal. */
export const contributors = ({ contributions: said }: Merged): ReactorName[] => unique(said.map(s => s.by))

const STRICTNESS: readonly Decision[] = ['deny', 'ask', 'allow']

function strictest(said: readonly AttributedContribution[]): Reaction['permission'] {
  for (const decision of STRICTNESS) {
    const reasons = said.flatMap(s => (s.permission?.decision === decision ? s.permission.reason : []))
    if (reasons.length > 0) return { decision, reason: unique(reasons).join('; ') }
  }
  return undefined
}

/** The strongest wish wins whole; weaker prompts leave at most a line under it. */
function resolveContinuation(wishes: readonly ContinueRequest[]): { prompt?: string; stopped?: string } {
  const ordered = [...wishes].sort(
    (a, b) => CONTINUE_RANKS.indexOf(a.rank) - CONTINUE_RANKS.indexOf(b.rank) || stopFirst(a, b),
  )
  const [winner, ...rest] = ordered
  if (!winner) return {}
  if ('stop' in winner) return { stopped: winner.stop }
  const notes = unique(rest.flatMap(wish => ('prompt' in wish && wish.note ? oneLine(wish.note) : [])))
  return { prompt: [winner.prompt, ...notes.map(note => `- ${note}`)].join('\n') }
}

const oneLine = (text: string): string =>
  text
    .split(/\s*[\r\n]+\s*/)
    .join(' ')
    .trim()

/** At the same rank a stop is stronger than a prompt, and equal kinds keep the total order of their text. */
function stopFirst(a: ContinueRequest, b: ContinueRequest): number {
  const x = JSON.stringify(a)
  const y = JSON.stringify(b)
  return Number('stop' in b) - Number('stop' in a) || (x < y ? -1 : x > y ? 1 : 0)
}

/** Sorts by the reactors' fixed order, then by content, so that the order of arrival cannot matter. */
function keyOf(said: AttributedContribution): string {
  const { by, permission, continuation, refuse, context, notice } = said
  return `${String(REACTORS.indexOf(by)).padStart(2, '0')} ${JSON.stringify([by, permission, continuation, refuse, context, notice])}`
}

const unique = <T>(items: readonly T[]): T[] => [...new Set(items)]
