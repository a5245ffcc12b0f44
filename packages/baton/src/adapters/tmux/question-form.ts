import type { AskedQuestion } from '@batonpass/contract/question'
import type { DialogStyle } from '../../ports/terminal.ts'
import { unframed } from './screen-dialog.ts'

/** An agent's own dialog for one question, as the screen shows it. */
export type ShownQuestion =
  | {
      kind: 'options'
      /** The marked option, from 0. */
      marked: number
      /** The option that takes own words. */
      ownWords: number | undefined
      hasEmptyField: boolean
    }
  | { kind: 'field'; isEmpty: boolean }

/**
 * Finds the dialog for a question that is known from the hook: its text, and right below it all of its options or a text
 * field. Undefined if the screen shows anything else, another order, or only a part of the options. Pure.
 */
export function findQuestion(
  screen: readonly string[],
  question: AskedQuestion,
  style: DialogStyle,
): ShownQuestion | undefined {
  const lines = screen.map(line => unframed(line).text)
  const end = endOfText(lines, textOnScreen(question))
  if (end < 0) return undefined
  const below = lines.slice(end + 1)
  const hasEmptyField = below.some(line => style.emptyField.test(line))
  if (!question.choices?.length) {
    const field = below.find(line => line.trim() !== '' && !/^\s*─+\s*$/.test(line))
    return field && /^\s*[>❯›](?: |$)/.test(field) ? { kind: 'field', isEmpty: hasEmptyField } : undefined
  }
  const rows = rowsOf(below, question, style)
  const marked = rows?.flatMap(({ isMarked }, index) => (isMarked ? [index] : [])) ?? []
  const [only] = marked
  if (!rows || only === undefined || marked.length > 1) return undefined
  const ownWords = rows.length > question.choices.length ? question.choices.length : undefined
  return { kind: 'options', marked: only, ownWords, hasEmptyField }
}

/** What is between the frame of the dialog and its options: a form's first question has its message before it. */
const textOnScreen = ({ text }: AskedQuestion): string => plain(text.split('\n').at(-1) ?? text)

/** Agents break lines, and some of them draw Markdown: only letters and digits are compared. */
const plain = (text: string): string => text.replaceAll(/[^\p{L}\p{N}]+/gu, '')
const MOST_LINES = 20

/** The last line that ends the text, or -1. */
function endOfText(lines: readonly string[], text: string): number {
  if (text === '') return -1
  return lines.findLastIndex(
    (line, i) =>
      plain(line) !== '' && plain(lines.slice(Math.max(0, i - MOST_LINES), i + 1).join('')).endsWith(text),
  )
}

interface Row {
  isMarked: boolean
}

/** The offered options in their order, then the one for own words if the dialog has it. */
function rowsOf(
  below: readonly string[],
  { choices = [] }: AskedQuestion,
  style: DialogStyle,
): Row[] | undefined {
  const rows: Row[] = []
  let at = 0
  for (const { label } of choices) {
    const wanted = unspaced(label)
    const found = below.findIndex((line, i) => {
      const row = i < at ? undefined : rowIn(line, rows.length + 1, style)
      // A numbered option may have its description on the same line.
      return row && (style.numbered ? unspaced(row.text).startsWith(wanted) : unspaced(row.text) === wanted)
    })
    const row = rowIn(below[found] ?? '', rows.length + 1, style)
    if (!row) return undefined
    // Without numbers, only the next line with text can be the next option.
    if (!style.numbered && below.slice(at, found).some(line => line.trim() !== '')) return undefined
    rows.push(row)
    at = found + 1
  }
  const own = below
    .slice(at)
    .map(line => rowIn(line, rows.length + 1, style))
    .find(row => row !== undefined)
  // Typed words replace the name of a numbered option.
  if (own && (style.numbered || style.ownWords?.test(own.text))) rows.push(own)
  return rows
}

const unspaced = (text: string): string => text.replaceAll(/\s+/g, '')

function rowIn(
  line: string,
  number: number,
  { numbered }: DialogStyle,
): (Row & { text: string }) | undefined {
  const [, mark = '', digits, text] = (numbered ? NUMBERED : UNNUMBERED).exec(line) ?? []
  if (text === undefined || (numbered && Number(digits) !== number)) return undefined
  return { isMarked: mark !== '', text: text.trim() }
}

const NUMBERED = /^\s*([›❯●→]?)\s*(\d{1,2})\. +(\S.*)$/
const UNNUMBERED = /^\s*(❯?)()\s*(\S.*)$/

/** Whether a dialog of this size shows these questions whole and unmistakably, so that keystrokes can answer them. */
export function fitsScreen(
  questions: readonly AskedQuestion[],
  { width, height }: { width: number; height: number },
  style: DialogStyle,
): boolean {
  const texts = questions.map(textOnScreen)
  const isDistinct = texts.every((text, i) => texts.every((other, k) => i === k || !other.endsWith(text)))
  return (
    isDistinct &&
    questions.every(({ kind, choices = [], optional, text }, i) => {
      const fitting = choices.every(({ label }) => label.length + 12 < width && !/[\n\r]/.test(label))
      const lines = [text, ...choices.flatMap(({ label, description = '' }) => [label, description])]
        .flatMap(part => part.split('\n'))
        .reduce((sum, part) => sum + Math.ceil((part.length + 12) / width), 0)
      const hasField = choices.length > 0 || !style.openWords
      return (
        texts[i] !== '' &&
        kind !== 'multi-choice' &&
        !optional &&
        fitting &&
        hasField &&
        lines + FRAME < height
      )
    })
  )
}

/** Lines that a dialog needs for its frame, its keys and what stays above it. */
const FRAME = 14
