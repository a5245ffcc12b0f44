import type { ScreenDialog } from '../../ports/driver.ts'
import type { DialogStyle } from '../../ports/terminal.ts'

/**
 * The dialog at the bottom of an agent's screen: a numbered list of which one option is marked, as Claude Code, Codex, Gemini
 * CLI and Copilot CLI draw it. Undefined if the screen shows another kind of dialog, or only a part of the list. Pure.
 */
export function readDialog(
  screen: readonly string[],
  style?: DialogStyle,
): (ScreenDialog & { marked: number }) | undefined {
  const lines = screen.map(unframed)
  const last = lines.findLastIndex(line => OPTION.test(line.text))
  const first = firstOption(lines, last)
  if (first === undefined) return undefined
  const list = optionsOf(lines, first)
  const below = lines.slice(list.end).filter(({ text }) => text.trim() !== '')
  // An arrow means that the list scrolls. Much text below means that the list is not at the bottom: a model wrote it.
  if (below.length > MOST_BELOW || SCROLLS.test(below[0]?.text ?? '')) return undefined
  const text = textAbove(lines, first)
  const question = questionIn(text, lines[first]?.isFramed === true)
  const marked = list.options.flatMap(({ isMarked }, i) => (isMarked ? [i] : []))
  const [only] = marked
  if (list.options.length < 2 || marked.length !== 1 || only === undefined || question === undefined)
    return undefined
  const options = list.options.map(({ text }) => text)
  const comment = style?.comment?.option
  const commentOption = comment ? options.findIndex(option => comment.test(option)) : -1
  return { question, text, options, marked: only, ...(commentOption < 0 ? {} : { commentOption }) }
}

export const isSameDialog = (a: ScreenDialog, b: ScreenDialog): boolean =>
  a.text === b.text && JSON.stringify(a.options) === JSON.stringify(b.options)

/** `› 1. Yes` with a mark, `  2. No` without one. */
const OPTION = /^(\s*)([›❯●→]?)(\s*)(\d{1,2})\. +(\S.*)$/
const SCROLLS = /^\s*[↓▼⋮]\s*$/
/** A line across the dialog. */
const RULE = /^\s*[─━▀▄┈╌]{4,}\s*$/
const MOST_BELOW = 4
const MOST_OPTIONS = 20
/** How much of a dialog without a frame counts as its text. */
const MOST_ABOVE = 30

export interface Line {
  text: string
  isFramed: boolean
  /** The upper or lower border of a frame. */
  isBorder: boolean
}

/** Removes the sides of a frame. Inner frames, such as the one around a command, are removed too. */
export function unframed(line: string): Line {
  if (/^\s*[╭╰┌└][─━┈╌]+[╮╯┐┘]?/.test(line)) return { text: '', isFramed: true, isBorder: true }
  const inner = /^(\s*)[│┃](.*?)(?:[│┃]\s*)?$/.exec(line)?.[2]
  if (inner === undefined) return { text: line.replace(/\s*┃\s*$/, ''), isFramed: false, isBorder: false }
  return { text: unframed(inner).text, isFramed: true, isBorder: false }
}

/** Where the list that contains the last option begins: at its option number 1. */
function firstOption(lines: readonly Line[], last: number): number | undefined {
  let wanted = Number(OPTION.exec(lines[last]?.text ?? '')?.[4])
  if (!(wanted <= MOST_OPTIONS)) return undefined
  for (let i = last; i >= 0 && wanted > 0; i--) {
    const number = OPTION.exec(lines[i]?.text ?? '')?.[4]
    if (number === undefined) continue
    if (Number(number) !== wanted) return undefined
    if (wanted === 1) return i
    wanted--
  }
  return undefined
}

function optionsOf(
  lines: readonly Line[],
  first: number,
): { options: { text: string; isMarked: boolean }[]; end: number } {
  const options: { text: string; isMarked: boolean }[] = []
  let column = 0
  let end = first
  for (const [i, { text, isBorder }] of lines.entries()) {
    if (i < first) continue
    const [, before = '', mark = '', gap = '', number = '', words = ''] = OPTION.exec(text) ?? []
    const indent = text.length - text.trimStart().length
    if (words && Number(number) === options.length + 1) {
      column = before.length + mark.length + gap.length + number.length + 2
      options.push({ text: words.trim(), isMarked: mark !== '' })
    } else if (!isBorder && text.trim() !== '' && indent >= column) {
      // The rest of a long option, or its description.
      const option = options.at(-1)
      if (option) option.text += ` ${text.trim()}`
    } else if (text.trim() === '' && hasNext(lines, i, options.length + 1)) {
      continue
    } else break
    end = i + 1
  }
  return { options, end }
}

/** Whether the next line with text is the option with this number. */
function hasNext(lines: readonly Line[], from: number, number: number): boolean {
  const next = lines.slice(from).find(({ text }) => text.trim() !== '')
  return Number(OPTION.exec(next?.text ?? '')?.[4]) === number
}

/** What the dialog says before its options: all of its frame, or the last lines above. */
function textAbove(lines: readonly Line[], first: number): string {
  const top = lines.slice(0, first).findLastIndex(({ isBorder }) => isBorder)
  const start = lines[first]?.isFramed && top >= 0 ? top + 1 : Math.max(0, first - MOST_ABOVE)
  return lines
    .slice(start, first)
    .map(({ text }) => (RULE.test(text) ? '' : text.trimEnd()))
    .join('\n')
    .replace(/^(?:[^\S\n]*\n)+/, '')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trimEnd()
}

/** The line that says what is asked: the last one that is a question, the head of a framed dialog, or the line above the options. */
function questionIn(text: string, isFramed: boolean): string | undefined {
  const lines = text
    .split('\n')
    .map(line => line.trim())
    .filter(line => line !== '')
  return lines.findLast(line => line.endsWith('?')) ?? (isFramed ? lines[0] : lines.at(-1))
}
