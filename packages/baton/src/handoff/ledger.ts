import { type HandoffDocument, HandoffLedger } from '@batonpass/contract/handoff'
import type { SessionFacts } from '../session/transcript/session-facts.ts'
import { isSmallTalk } from '../session/transcript/user-words.ts'
import type { Evidence } from './evidence.ts'
import { isAnswer } from './journal-answers.ts'
import { normalizeText } from './same.ts'
import { withoutMark } from './statements/lines.ts'
import { findReplaced } from './supersession.ts'

/**
 * The ledger after a session: what the ledger before it held, what the session's transcript shows, and what the agent's document
 * adds. The user's instructions come from the transcript alone.
 */
export function updateLedger(
  before: HandoffLedger | undefined,
  { transcript, prompts }: Evidence,
  document: HandoffDocument | undefined,
): HandoffLedger {
  const old = before ?? HandoffLedger.parse({})
  const facts = transcript?.facts ?? factsOfPrompts(transcript?.instructions ?? prompts ?? [])
  const isRemoved = removedFrom(old)
  const asked = [...old.instructions, ...facts.summarized, ...facts.instructions].filter(
    text => !isRemoved(text),
  )
  const goal = old.goal || asked.find(text => !isAnswer(text)) || ''
  const later = union(asked).filter(text => text !== goal)
  // The goal takes part: a later instruction may say the same with another value, and then both count.
  const { inForce, replaced } = findReplaced(later)
  const todos = updateTodos(old, transcript?.todos ?? [], document)
  return boundLedger(
    withoutRemoved({
      goal,
      instructions: inForce,
      replaced: union([...old.replaced, ...replaced]).filter(text => !inForce.includes(text)),
      pasted: union([...old.pasted, ...facts.pasted]),
      ...todos,
      decisions: union([...old.decisions, ...facts.decisions, ...(document?.decisions ?? [])]),
      dead_ends: union([...old.dead_ends, ...facts.deadEnds]),
      environment: union([...old.environment, ...facts.environment]),
      results: union([...old.results, ...facts.results]),
      failing: facts.failing ?? old.failing,
      last_command: facts.lastCommand ?? old.last_command,
      next: nextStep(document?.nextSteps[0] ?? '', facts) || old.next,
      said: union([...old.said, ...facts.said, ...notesOf(document)]),
      removed: old.removed,
    }),
  )
}

/** The document's next step and what the agent announced. If both say nothing, as "continue" does, its last words count. */
function nextStep(stated: string, { next, lastWords }: SessionFacts): string {
  const words = next ?? (isSmallTalk(stated) ? lastWords : undefined)
  return union([stated, words ?? '']).join('\n')
}

/** A ledger without the origins of its facts. */
const LedgerTexts = HandoffLedger.omit({ origins: true })
type LedgerTexts = Omit<HandoffLedger, 'origins'>

/** What the user removed does not come back, even if a transcript still holds it. */
function withoutRemoved(ledger: LedgerTexts): LedgerTexts {
  if (ledger.removed.length === 0) return ledger
  const isRemoved = removedFrom(ledger)
  const entries = Object.entries(ledger).map(([key, value]) => {
    if (key === 'removed') return [key, value]
    return [
      key,
      Array.isArray(value) ? value.filter(text => !isRemoved(text)) : isRemoved(value) ? '' : value,
    ]
  })
  return LedgerTexts.parse(Object.fromEntries(entries))
}

/** Whether the user removed a text. */
export function removedFrom({ removed }: Pick<HandoffLedger, 'removed'>): (text: string) => boolean {
  const texts = new Set(removed.map(normalizeText))
  return text => texts.size > 0 && texts.has(normalizeText(withoutMark(text)))
}

/** What a document without a ledger still says: one that an older Baton, or a person, wrote. */
export function ledgerOfDocument(document: HandoffDocument): HandoffLedger {
  const { goal, constraints, decisions, facts, nextSteps } = document
  return HandoffLedger.parse({
    goal,
    instructions:
      constraints.length > 0 ? constraints : (facts.instructions ?? []).filter(text => text !== goal),
    decisions,
    todos: facts.todos,
    done: document.completed.filter(({ done }) => done).map(({ text }) => text),
    next: nextSteps[0],
    said: notesOf(document),
  })
}

/** The agent's own notes: they are worth keeping, but the user did not say them. */
const notesOf = (document: HandoffDocument | undefined): string[] =>
  document
    ? [...document.notes, ...document.criticalState, ...document.blockers, ...document.constraints]
    : []

function updateTodos(
  old: HandoffLedger,
  list: readonly { text: string; done: boolean }[],
  document: HandoffDocument | undefined,
): Pick<HandoffLedger, 'todos' | 'done'> {
  const known = new Map(list.map(todo => [normalizeText(todo.text), todo]))
  const ticked = new Set(document?.completed.flatMap(({ text, done }) => (done ? normalizeText(text) : [])))
  const left = old.todos.filter(text => !known.has(normalizeText(text)) && !ticked.has(normalizeText(text)))
  const finished = old.todos.filter(
    text => !known.has(normalizeText(text)) && ticked.has(normalizeText(text)),
  )
  const open = list.flatMap(({ text, done }) => (done ? [] : text))
  const done = union([...old.done, ...finished, ...list.flatMap(todo => (todo.done ? todo.text : []))])
  return {
    todos: union([...left, ...open]),
    done: done.filter(text => known.get(normalizeText(text))?.done !== false),
  }
}

/** How many characters of each list are kept; the oldest points leave first. */
const BUDGETS: Readonly<Partial<Record<keyof LedgerTexts, number>>> = {
  instructions: 60_000,
  replaced: 10_000,
  pasted: 20_000,
  todos: 20_000,
  done: 10_000,
  decisions: 40_000,
  dead_ends: 40_000,
  environment: 10_000,
  results: 30_000,
  failing: 10_000,
  said: 40_000,
  removed: 20_000,
}
const MAX_POINT = 8000

function boundLedger(ledger: LedgerTexts): HandoffLedger {
  const entries = Object.entries(ledger).map(([key, value]) => {
    if (!Array.isArray(value)) return [key, value.slice(0, MAX_POINT)]
    let left = BUDGETS[key as keyof LedgerTexts] ?? 10_000
    const kept: string[] = []
    for (const text of value.map(each => each.slice(0, MAX_POINT)).toReversed()) {
      left -= text.length
      if (left >= 0) kept.push(text)
    }
    return [key, kept.reverse()]
  })
  return HandoffLedger.parse(Object.fromEntries(entries))
}

/** Each text once, at its last position. */
function union(texts: readonly string[]): string[] {
  return [...new Set(texts.map(text => text.trim()).toReversed())].reverse().filter(Boolean)
}

/** For evidence that holds only prompts. */
const factsOfPrompts = (prompts: readonly string[]): SessionFacts => ({
  instructions: prompts.filter(text => !isSmallTalk(text)),
  summarized: [],
  pasted: [],
  decisions: [],
  deadEnds: [],
  said: [],
  next: undefined,
  lastWords: undefined,
  environment: [],
  results: [],
  failing: undefined,
  lastCommand: undefined,
  secrets: [],
})
