import type { Essentials } from '@batonpass/contract/cycle'
import type { HandoffDocument } from '@batonpass/contract/handoff'
import { withoutMark } from '../statements/lines.ts'

const MAX_LENGTH = 200

/** The essentials of a document: what the next session has to repeat. */
export function essentialsOf({ goal, work, facts, nextSteps }: HandoffDocument): Essentials {
  const parts = {
    goal: headline(goal) || headline(work.epic) || headline(work.task),
    branch: facts.branch,
    next: headline(nextSteps[0] ?? ''),
  }
  const unproven = facts.written_by === 'baton' && facts.evidence !== undefined ? { unproven: true } : {}
  return { ...Object.fromEntries(Object.entries(parts).filter(([, part]) => part)), ...unproven }
}

/**
 * Compares a session's answer with the essentials and returns what is wrong, part by part. Only the requested block counts,
 * not the text around it. Words are compared, not characters: a comma may differ, a goal may not.
 */
export function findWrongEssentials(answer: string, wanted: Essentials): string[] {
  const said = blockIn(answer)
  if (!said) return ['the answer does not contain the requested block']
  return PARTS.flatMap(part => {
    const is = wanted[part]
    if (is === undefined) return []
    const given = said[part]
    if (given === undefined) return [`it does not name the ${WORDS[part]}`]
    const agrees = part === 'branch' ? given === is : isAlike(given, is)
    return agrees ? [] : [`it says the ${WORDS[part]} is ${JSON.stringify(given.slice(0, 120))}`]
  })
}

const PARTS = ['goal', 'branch', 'next'] as const
const WORDS = { goal: 'goal', branch: 'branch', next: 'next step' } as const
export const CHECK = 'handoff-check'

/** Reads the last such block: an agent may quote the instruction before it answers. */
function blockIn(answer: string): Essentials | undefined {
  const from = answer.lastIndexOf(`<${CHECK}>`)
  const to = from < 0 ? -1 : answer.indexOf(`</${CHECK}>`, from)
  if (to < 0) return undefined
  const said: Essentials = {}
  for (const line of answer.slice(from + CHECK.length + 2, to).split('\n')) {
    const [, name, text = ''] = /^\s*(?:[-*]\s*)?\**(goal|branch|next)\**:\**\s*(.*)$/i.exec(line) ?? []
    const part = PARTS.find(each => each === name?.toLowerCase())
    // A part that is given twice does not count: a list of guesses is not an answer.
    if (part) said[part] = said[part] === undefined ? plainText(text) : ''
  }
  return said
}

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
