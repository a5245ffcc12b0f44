import type { EssentialFact, Essentials } from '@batonpass/contract/cycle'
import type { HandoffDocument } from '@batonpass/contract/handoff'
import { isSmallTalk } from '../../session/transcript/user-words.ts'
import { essentialFacts } from '../essential-facts.ts'
import { ledgerOfDocument } from '../ledger.ts'
import { withoutMark } from '../statements/lines.ts'

const MAX_LENGTH = 200

/** The essentials of a document and its ledger: what the next session has to repeat. */
export function essentialsOf(document: HandoffDocument, ledger = ledgerOfDocument(document)): Essentials {
  const { goal, work, facts, nextSteps } = document
  const parts = {
    goal: headline(goal) || headline(ledger.goal) || headline(work.epic) || headline(work.task),
    branch: facts.branch,
    next: headline(nextSteps[0] ?? ledger.next),
  }
  const known = essentialFacts(document, ledger)
  return {
    ...Object.fromEntries(Object.entries(parts).filter(([, part]) => part)),
    ...(known.length > 0 ? { facts: known } : {}),
    ...(facts.written_by === 'baton' && facts.evidence !== undefined ? { unproven: true } : {}),
  }
}

/**
 * Compares a session's answer with the essentials and returns what is wrong, part by part. Only the requested block counts,
 * not the text around it. A fact is known if the answer names its id or nearly all of its words; other words with its id are a
 * paraphrase.
 */
export function findWrongEssentials(answer: string, wanted: Essentials): string[] {
  const said = blockIn(answer)
  if (!said) return ['the answer does not contain the requested block']
  const facts = wanted.facts ?? []
  const lines = PARTS.flatMap(part => {
    if (wanted[part] === undefined) return []
    const given = said.lines[part]
    if (given === undefined) return [`it does not name the ${WORDS[part]}`]
    return agrees(part, given, wanted)
      ? []
      : [`it says the ${WORDS[part]} is ${JSON.stringify(given.slice(0, 120))}${correction(part, wanted)}`]
  })
  const missing = facts
    .filter(({ part }) => part === 'instruction' || part === 'todo')
    .filter(fact => !names(said.lists[`${fact.part as 'instruction' | 'todo'}s`], fact))
    .map(
      ({ id, part, text }) =>
        `it leaves out the ${LIST_WORDS[part]} [${id}] ${JSON.stringify(headline(text))}`,
    )
  return [...lines, ...missing]
}

function agrees(part: 'goal' | 'branch' | 'next', given: string, wanted: Essentials): boolean {
  const is = wanted[part] ?? ''
  if (part === 'branch') return given === is
  const fact = wanted.facts?.find(each => each.part === part)
  const ids = idsIn(given)
  // A list of ids is a list of guesses.
  if (fact && ids.length === 1 && ids[0] === fact.id) return true
  const words = given.replaceAll(ID, '').trim()
  if (fact && isAlike(words, headline(fact.text))) return true
  // A document that says no more than "continue" does not set the goal.
  return !(fact && isVague(is)) && isAlike(words, is)
}

const isVague = (text: string): boolean => isSmallTalk(text) || wordsOf(text).size < 2

/** A goal that only the user's words hold cannot be found in the document. */
function correction(part: 'goal' | 'branch' | 'next', { facts, ...wanted }: Essentials): string {
  const fact = facts?.find(each => each.part === part)
  if (!fact || !isVague(wanted[part] ?? '')) return ''
  return `; the user wants ${JSON.stringify(headline(fact.text))}`
}

/** Whether a list names a fact, by its id or by nearly all of its words. */
function names(list: string, { id, text }: EssentialFact): boolean {
  if (idsIn(list).includes(id)) return true
  const words = wordsOf(headline(text))
  const said = wordsOf(list)
  let shared = 0
  for (const word of words) if (said.has(word)) shared++
  return words.size > 0 ? shared / words.size >= NEARLY_ALL : list.includes(text.trim())
}

const NEARLY_ALL = 0.9
const ID = /\[?\b[0-9a-f]{8}\b\]?/g
const idsIn = (text: string): string[] => (text.match(ID) ?? []).map(id => id.replaceAll(/[[\]]/g, ''))

const PARTS = ['goal', 'branch', 'next'] as const
const WORDS = { goal: 'goal', branch: 'branch', next: 'next step' } as const
const LIST_WORDS = { goal: 'goal', next: 'next step', instruction: 'instruction', todo: 'open todo' } as const
export const CHECK = 'handoff-check'

interface Block {
  lines: { goal?: string; branch?: string; next?: string }
  lists: { instructions: string; todos: string }
}

/** Reads the last such block: an agent may quote the instruction before it answers. */
function blockIn(answer: string): Block | undefined {
  const from = answer.lastIndexOf(`<${CHECK}>`)
  const to = from < 0 ? -1 : answer.indexOf(`</${CHECK}>`, from)
  if (to < 0) return undefined
  const block: Block = { lines: {}, lists: { instructions: '', todos: '' } }
  let list: keyof Block['lists'] | undefined
  for (const line of answer.slice(from + CHECK.length + 2, to).split('\n')) {
    const [, name = '', text = line] = LINE.exec(line) ?? []
    const part = PARTS.find(each => each === name.toLowerCase())
    // A part that is given twice does not count: a list of guesses is not an answer.
    if (part) block.lines[part] = block.lines[part] === undefined ? plainText(text) : ''
    if (name !== '') list = part ? undefined : name.toLowerCase().startsWith('i') ? 'instructions' : 'todos'
    if (list) block.lists[list] += `${text}\n`
  }
  return block
}

const LINE = /^\s*(?:[-*]\s*)?\**(goal|branch|next|instructions?|todos?)\**:\**\s*(.*)$/i

const plainText = (text: string): string =>
  text
    .replaceAll('`', '')
    .replace(/^["“](.*)["”]$/, '$1')
    .trim()

/** Whether each line contains nearly all words of the other. */
function isAlike(said: string, is: string): boolean {
  const [a, b] = [wordsOf(said), wordsOf(is)]
  if (a.size === 0 || b.size === 0) return said.trim() === is.trim()
  let shared = 0
  for (const word of a) if (b.has(word)) shared++
  return shared / a.size >= MOSTLY && shared / b.size >= MOSTLY
}

const MOSTLY = 0.7

const wordsOf = (text: string): Set<string> =>
  new Set(
    text
      .toLowerCase()
      .replaceAll('`', '')
      .match(/[\p{L}\p{N}]+/gu) ?? [],
  )

/** The first non-empty line, shortened. */
function headline(text: string): string {
  const line = withoutMark(text.split('\n').find(each => each.trim() !== '') ?? '')
  return line.replaceAll(/\s+/g, ' ').replaceAll('`', '').trim().slice(0, MAX_LENGTH)
}
