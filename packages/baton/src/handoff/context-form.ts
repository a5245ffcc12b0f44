import type { HandoffDocument } from '@batonpass/contract/handoff'
import { renderHandoff } from './document/render.ts'

/** Claude Code moves longer hook output into a file that the model may never open. */
export const MAX_CONTEXT_LENGTH = 9000

/** Renders the document for the next session. If it is too long, parts are left out; `path` names the whole file. */
export function handoffContext(
  document: HandoffDocument,
  path?: string,
  longest = MAX_CONTEXT_LENGTH,
): string {
  for (const shorten of SHORTER) {
    const text = wrapped(shorten(document), path)
    if (text.length <= longest) return text
  }
  const text = wrapped(shortest(document), path)
  return text.length <= longest
    ? text
    : wrapText(`${renderHandoff(shortest(document), 'context').slice(0, longest - 600)}\n…`, path)
}

const wrapped = (document: HandoffDocument, path: string | undefined): string =>
  wrapText(renderHandoff(document, 'context').trimEnd(), path)

/** Also matches the tag with spaces or invisible characters inside: a model still reads it as the tag. */
const TAG = new RegExp(`<((?:[\\s\\p{Cf}/])*)(${[...'handoff-context'].join('\\p{Cf}*')})`, 'giu')

function wrapText(text: string, path: string | undefined): string {
  // The document must not close its own wrapper, or look as if it did.
  const safe = text.replaceAll(TAG, '‹$1$2')
  const whole = path === undefined ? '' : ` The whole document is ${path}.`
  return `<handoff-context>\n${safe}\n</handoff-context>\n\nThe above is a handoff document from a previous session. Use this context to continue the work seamlessly.${whole}`
}

const SHORTER: readonly ((document: HandoffDocument) => HandoffDocument)[] = [
  document => document,
  document => ({ ...document, facts: { ...document.facts, commands: undefined, findings: undefined } }),
  document => cut(document, 20, 600),
  document => cut(document, 10, 300),
]

const shortest = (document: HandoffDocument): HandoffDocument => ({
  ...cut(document, 6, 160),
  notes: [],
  others: [],
})

function cut(document: HandoffDocument, items: number, length: number): HandoffDocument {
  const texts = (list: readonly string[]) => list.slice(0, items).map(text => short(text, length))
  const { facts } = document
  return {
    ...document,
    facts: {
      ...facts,
      commands: undefined,
      findings: undefined,
      // The goal and the constraints repeat them.
      instructions: undefined,
      touched: facts.touched && texts(facts.touched),
      dirty: facts.dirty && texts(facts.dirty),
      todos: facts.todos && texts(facts.todos),
    },
    completed: document.completed
      .slice(-items)
      .map(({ text, done }) => ({ text: short(text, length), done })),
    nextSteps: texts(document.nextSteps),
    criticalState: texts(document.criticalState),
    blockers: texts(document.blockers),
    notes: texts(document.notes),
    constraints: texts(document.constraints),
    decisions: texts(document.decisions),
    goal: short(document.goal, length * 2),
    others: document.others.slice(0, 3).map(({ title, text }) => ({ title, text: short(text, length) })),
  }
}

const short = (text: string, length: number): string =>
  text.length <= length ? text : `${text.slice(0, length)} …`
