import { createHash } from 'node:crypto'
import { type FactOrigin, HandoffLedger } from '@batonpass/contract/handoff'
import { normalizeText } from './same.ts'
import { withoutMark } from './statements/lines.ts'

/** One fact of a ledger. Its id is the same in every ledger that holds the fact. */
export interface LedgerFact {
  id: string
  /** The section, as `--section` names it. */
  section: string
  text: string
  origin?: FactOrigin | undefined
}

type FactKey = Exclude<keyof HandoffLedger, 'removed' | 'origins'>

const SECTION_OF: Readonly<Record<FactKey, string>> = {
  goal: 'goal',
  instructions: 'instructions',
  todos: 'todos',
  decisions: 'decisions',
  dead_ends: 'dead-ends',
  environment: 'environment',
  results: 'results',
  failing: 'tests',
  last_command: 'tests',
  next: 'todos',
  done: 'done',
  replaced: 'replaced',
  pasted: 'pasted',
  said: 'said',
}
const KEYS = Object.keys(SECTION_OF) as FactKey[]

/** A short name for a fact, by its words. */
export const factId = (text: string): string =>
  createHash('sha256')
    .update(normalizeText(withoutMark(text)))
    .digest('hex')
    .slice(0, 8)

/** Every fact of a ledger, each once. */
export function listFacts(ledger: HandoffLedger): LedgerFact[] {
  const facts = new Map<string, LedgerFact>()
  for (const key of KEYS)
    for (const text of [ledger[key]].flat().filter(Boolean)) {
      const id = factId(text)
      if (!facts.has(id)) facts.set(id, { id, section: SECTION_OF[key], text, origin: ledger.origins[id] })
    }
  return [...facts.values()]
}

/**
 * The ledger without a fact, or with another text in its place. Baton remembers the old text, so that a later reading of the same
 * transcript does not bring it back. Undefined if the ledger does not hold the fact.
 */
export function changeFact(
  ledger: HandoffLedger,
  id: string,
  replacement: string | undefined,
): HandoffLedger | undefined {
  const fact = listFacts(ledger).find(each => each.id === id)
  if (!fact) return undefined
  const change = (text: string) => (factId(text) === id ? (replacement ?? '') : text)
  const entries = KEYS.map(key => {
    const value = ledger[key]
    return [key, typeof value === 'string' ? change(value) : value.map(change)]
  })
  return HandoffLedger.parse({
    ...Object.fromEntries(entries),
    origins: ledger.origins,
    removed: [...ledger.removed.filter(text => factId(text) !== id), withoutMark(fact.text)],
  })
}
