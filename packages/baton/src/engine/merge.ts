import type { Decision, Reaction } from '@batonpass/contract/reaction'
import {
  CONTINUE_RANKS,
  type ContinueRequest,
  type Contribution,
  REACTORS,
  type ReactorName,
} from '../ports/contribution.ts'

/** All contributions to one event, in an order that does not depend on which reactor answered first. */
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
  for (const each of [...a.contributions, ...b.contributions]) byKey.set(keyOf(each), each)
  return {
    contributions: [...byKey].sort(([x], [y]) => (x < y ? -1 : x > y ? 1 : 0)).map(([, each]) => each),
  }
}

/** Combines all contributions into one reaction. */
export function toReaction({ contributions }: Merged): Reaction {
  const permission = strictest(contributions)
  const answer = contributions.find(each => each.answer)?.answer
  const rewrite = contributions.find(each => each.rewrite)?.rewrite
  const resolved = resolveContinuation(contributions.flatMap(each => each.continuation ?? []))
  const refusals = unique(contributions.flatMap(each => each.refuse?.reason ?? []))
  const contexts = unique(contributions.flatMap(each => each.context ?? []))
  const notices = unique([
    ...contributions.flatMap(each => each.notice ?? []),
    ...(resolved.stopped ? [resolved.stopped] : []),
  ])
  return {
    ...(permission ? { permission } : {}),
    ...(answer ? { answer } : {}),
    ...(rewrite && permission?.decision !== 'deny' ? { rewrite } : {}),
    ...(resolved.prompt ? { goOn: { prompt: resolved.prompt } } : {}),
    ...(refusals.length > 0 ? { refuse: { reason: refusals.join('\n') } } : {}),
    ...(contexts.length > 0 ? { context: contexts.join('\n\n') } : {}),
    ...(notices.length > 0 ? { notice: notices.join('\n') } : {}),
  }
}

/** Which reactors contributed, for the journal. */
export const contributors = ({ contributions }: Merged): ReactorName[] =>
  unique(contributions.map(each => each.by))

const STRICTNESS: readonly Decision[] = ['deny', 'ask', 'allow']

function strictest(contributions: readonly AttributedContribution[]): Reaction['permission'] {
  for (const decision of STRICTNESS) {
    const reasons = contributions.flatMap(({ permission }) =>
      permission?.decision === decision ? permission.reason : [],
    )
    if (reasons.length > 0) return { decision, reason: unique(reasons).join('; ') }
  }
  return undefined
}

/** The request with the strongest rank wins. Each weaker prompt adds at most one line below it. */
function resolveContinuation(requests: readonly ContinueRequest[]): { prompt?: string; stopped?: string } {
  const ordered = [...requests].sort(
    (a, b) => CONTINUE_RANKS.indexOf(a.rank) - CONTINUE_RANKS.indexOf(b.rank) || stopFirst(a, b),
  )
  const [winner, ...rest] = ordered
  if (!winner) return {}
  if ('stop' in winner) return { stopped: winner.stop }
  const notes = unique(
    rest.flatMap(request => ('prompt' in request && request.note ? oneLine(request.note) : [])),
  )
  return { prompt: [winner.prompt, ...notes.map(note => `- ${note}`)].join('\n') }
}

const oneLine = (text: string): string =>
  text
    .split(/\s*[\r\n]+\s*/)
    .join(' ')
    .trim()

/** At the same rank a stop beats a prompt; requests of the same kind are ordered by their text. */
function stopFirst(a: ContinueRequest, b: ContinueRequest): number {
  const x = JSON.stringify(a)
  const y = JSON.stringify(b)
  return Number('stop' in b) - Number('stop' in a) || (x < y ? -1 : x > y ? 1 : 0)
}

/** A sort key: first the reactors' fixed order, then the content, so that the order of arrival does not matter. */
function keyOf(contribution: AttributedContribution): string {
  const { by, permission, answer, rewrite, continuation, refuse, context, notice } = contribution
  return `${String(REACTORS.indexOf(by)).padStart(2, '0')} ${JSON.stringify([by, permission, answer, rewrite, continuation, refuse, context, notice])}`
}

const unique = <T>(items: readonly T[]): T[] => [...new Set(items)]
