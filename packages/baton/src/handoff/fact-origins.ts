import type { HandoffLedger } from '@batonpass/contract/handoff'
import { factId, listFacts } from './facts.ts'
import { findReplaced } from './supersession.ts'

/** The session that a handoff comes from. */
export interface Origin {
  session: string | undefined
  at: number
}

/** Says of each new fact which session it comes from, and of each replaced instruction which one replaced it. */
export function addOrigins(
  ledger: HandoffLedger,
  before: HandoffLedger | undefined,
  { session, at }: Origin,
): HandoffLedger {
  const { replacedBy } = findReplaced([...ledger.replaced, ...ledger.instructions])
  const successors = new Map(Array.from(replacedBy, ([old, by]) => [factId(old), factId(by)]))
  const fresh = { ...(session === undefined ? {} : { session }), at: new Date(at).toISOString() }
  const origins = listFacts(ledger)
    // The agents' passages are many, and no one asks for the origin of one.
    .filter(({ section }) => section !== 'said')
    .map(({ id }) => {
      const by = successors.get(id)
      return [id, { ...(before?.origins[id] ?? fresh), ...(by === undefined ? {} : { replaced_by: by }) }]
    })
  return { ...ledger, origins: Object.fromEntries(origins) }
}
