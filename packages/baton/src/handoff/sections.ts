import type { HandoffDocument, HandoffLedger } from '@batonpass/contract/handoff'
import { renderHandoff } from './document/render.ts'
import { removedFrom } from './ledger.ts'
import { contestedNotes } from './supersession.ts'

/** The sections that a session can look up when its context was too short for them. */
export const SECTIONS = [
  'goal',
  'instructions',
  'replaced',
  'pasted',
  'todos',
  'done',
  'decisions',
  'dead-ends',
  'environment',
  'results',
  'tests',
  'files',
  'commands',
  'notes',
  'said',
  'document',
] as const
export type SectionName = (typeof SECTIONS)[number]

/** One section in full; undefined if there is no section of this name. */
export function sectionText(
  document: HandoffDocument,
  ledger: HandoffLedger,
  wanted: string,
): string | undefined {
  const name = SECTIONS.find(each => each === wanted)
  if (name === undefined) return undefined
  if (name === 'document') return renderHandoff(document, 'file')
  const isRemoved = removedFrom(ledger)
  const points = pointsOf(document, ledger, name).filter(point => !isRemoved(point))
  return points.length === 0
    ? 'None\n'
    : `${points.map(point => `- ${point.replaceAll('\n', '\n  ')}`).join('\n')}\n`
}

function notedInstructions({ instructions }: HandoffLedger): string[] {
  const noteOf = contestedNotes(instructions)
  return instructions.map(text => text + noteOf(text))
}

export function pointsOf(
  document: HandoffDocument,
  ledger: HandoffLedger,
  name: Exclude<SectionName, 'document'>,
): string[] {
  const { facts } = document
  switch (name) {
    case 'goal':
      return [...new Set([ledger.goal, document.goal])].filter(Boolean)
    case 'instructions':
      return notedInstructions(ledger)
    case 'todos':
      return [...new Set([...ledger.todos, ...document.nextSteps, ledger.next])].filter(Boolean)
    case 'done':
      return [
        ...new Set([
          ...ledger.done,
          ...document.completed.map(({ text, done }) => (done ? text : `not done: ${text}`)),
        ]),
      ]
    case 'decisions':
      return [...new Set([...ledger.decisions, ...document.decisions])]
    case 'dead-ends':
      return ledger.dead_ends
    case 'tests':
      return [...(ledger.last_command ? [`Last command: ${ledger.last_command}`] : []), ...ledger.failing]
    case 'files':
      return [
        ...(facts.dirty ?? []).map(path => `not committed: ${path}`),
        ...(facts.touched ?? []).map(path => `changed: ${path}`),
      ]
    case 'commands':
      return facts.commands ?? []
    case 'notes':
      return [
        ...document.criticalState,
        ...document.blockers,
        ...document.notes,
        ...document.others.map(({ title, text }) => `${title}: ${text}`),
      ]
    default:
      return ledger[name]
  }
}
