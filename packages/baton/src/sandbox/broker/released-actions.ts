import type { ExpectedWord, ReleasedAction } from '@batonpass/contract/permission'

/** A command that a program in the sandbox hands to the broker. */
export interface OutgoingAction {
  words: readonly string[]
  cwd: string
  /** The current branch there, without `refs/heads/`. */
  branch: string | undefined
}

/** Options whose value is text for people, whatever it says. */
const TEXT_OPTION = /^(-t|--title|--subject|-b|--body|-c|--comment)$/
const TEXT_GIVEN = /^--(title|subject|body|comment)=/

/**
 * Whether a yes to a command's text can be tied to this part of it. What is only known when it runs may be a text for
 * people, or the name of the branch that a push sends.
 */
export const canBind = ({ words, folders }: ReleasedAction): boolean =>
  folders.length > 0 &&
  words.every(
    (word, index) => typeof word === 'string' || isText(words, index) || isBranch(words, index, word.start),
  )

/** Whether this is exactly what a person said yes to, and in that folder. */
export function isSameAction(expected: ReleasedAction, { words, cwd, branch }: OutgoingAction): boolean {
  if (!expected.folders.includes(cwd) || words.length !== expected.words.length) return false
  return expected.words.every((word, index) => {
    const actual = words[index] ?? ''
    if (typeof word === 'string') return word === actual
    if (isText(expected.words, index)) return actual.startsWith(word.start)
    return isBranch(expected.words, index, word.start) && branch !== undefined && actual === branch
  })
}

function isText(words: readonly ExpectedWord[], index: number): boolean {
  const word = words[index]
  const before = words[index - 1]
  if (words[0] !== 'gh' || typeof word !== 'object') return false
  if (TEXT_GIVEN.test(word.start)) return true
  return word.start === '' && typeof before === 'string' && TEXT_OPTION.test(before)
}

const isBranch = (words: readonly ExpectedWord[], index: number, start: string): boolean =>
  start === '' && index > 1 && words[0] === 'git' && words[1] === 'push'
