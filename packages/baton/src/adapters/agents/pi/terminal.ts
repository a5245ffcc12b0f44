import type { AgentTerminal } from '../../../ports/terminal.ts'
import { readScreen, type ScreenLine } from '../screen.ts'

/**
 * pi's screen: the prompt line between two rules over the whole width, folder and model below. It tells what it does inside
 * the upper rule. Dialogs and lists stand between such rules as well: only the prompt line has a cursor and no list of keys.
 */
export const piTerminal: AgentTerminal = {
  clear: '/new',
  interrupt: 'Escape',
  erase: 'C-u',
  read(screen) {
    const lines = readScreen(screen)
    const box = promptBox(lines)
    if (!box)
      return { state: lines.every(({ text }) => text.trim() === '') ? 'unknown' : 'dialog', typed: '' }
    const typed = box.inside
      .map(({ text }) => text)
      .join('\n')
      .trim()
    return { state: isWorking(box) ? 'working' : 'waiting', typed }
  },
}

interface PromptBox {
  above: readonly ScreenLine[]
  top: string
  inside: readonly ScreenLine[]
}

function promptBox(lines: readonly ScreenLine[]): PromptBox | undefined {
  const bottom = lines.findLastIndex(({ text }) => /^─{3}/.test(text))
  const width = [...(lines[bottom]?.text ?? '')].length
  // A shorter rule is something that was typed.
  const isRule = ({ text }: ScreenLine) => /^──/.test(text) && [...text].length === width
  const first = lines.slice(0, Math.max(bottom, 0)).findLastIndex(isRule)
  const inside = lines.slice(first + 1, bottom)
  const below = lines.slice(bottom + 1).filter(({ text }) => text.trim() !== '')
  if (first < 0 || width < LEAST_WIDTH || below.length > MOST_BELOW) return undefined
  const hasCursor = inside.some(({ spans }) => spans.some(({ reverse }) => reverse))
  if (!hasCursor || inside.some(isHint)) return undefined
  return { above: lines.slice(Math.max(0, first - 3), first), top: lines[first]?.text ?? '', inside }
}

const LEAST_WIDTH = 10
/** Folder, model, and the commands that fit what is typed. */
const MOST_BELOW = 12

/** `escape/ctrl+c cancel`, `Esc to cancel`: what a list says of its keys. */
const isHint = ({ text }: ScreenLine): boolean => /\besc(?:ape)?\b.*\bcancel\b/i.test(text)

/** A wheel in the rule, or above it where a person runs a command of their own. */
const isWorking = ({ above, top }: PromptBox): boolean =>
  (/^─+ \S/.test(top) && !/^─+ ↑ \d+ more ─/.test(top)) || above.some(({ text }) => /^ ?[⠁-⣿] \S/.test(text))
