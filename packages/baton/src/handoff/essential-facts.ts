import type { EssentialFact } from '@batonpass/contract/cycle'
import type { HandoffDocument, HandoffLedger } from '@batonpass/contract/handoff'
import { factId } from './facts.ts'
import { removedFrom } from './ledger.ts'
import { withoutMark } from './statements/lines.ts'

/** More would make the check after a switch longer than the work. */
const MAX_OF_A_KIND = 8

/** What the next session has to know above all. The context shows the id of each, and the session repeats it. */
export function essentialFacts(document: HandoffDocument, ledger: HandoffLedger): EssentialFact[] {
  const isRemoved = removedFrom(ledger)
  const facts = (part: EssentialFact['part'], texts: readonly string[]): EssentialFact[] =>
    texts
      .filter(text => text.trim() !== '' && !isRemoved(text))
      .map(text => ({ id: factId(text), part, text: withoutMark(text).slice(0, MAX_LENGTH) }))
  return [
    ...facts('goal', [ledger.goal || document.goal]),
    ...facts('next', [document.nextSteps[0] ?? ledger.next]),
    ...facts('instruction', ledger.instructions.slice(-MAX_OF_A_KIND)),
    ...facts('todo', ledger.todos.slice(0, MAX_OF_A_KIND)),
  ]
}

const MAX_LENGTH = 400
