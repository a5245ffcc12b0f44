import type { AgentTerminal } from '../../../ports/terminal.ts'
import { readScreen, type ScreenLine } from '../screen.ts'

/**
 * Copilot CLI's screen: a prompt line that begins with `❯` in the first column, between two dim rules over the whole width,
 * and below them one line of keys, in which it tells that it works. A dialog takes the place of all three. What a model says
 * is indented. In shell mode the rules are not dim: what is typed there would be run.
 */
export const copilotTerminal: AgentTerminal = {
  clear: '/clear',
  startsWithPrompt: true,
  // Escape twice would take the turn back and put its prompt on the line again.
  interrupt: 'C-c',
  erase: 'C-c',
  dialog: {
    numbered: false,
    ownWords: /^Other \(type your answer\b.*\)$/,
    emptyField: /^\s*❯(?: Type your answer\.\.\.)?\s*$/,
    comment: { option: /^Suggest changes$/, typedOn: 'option' },
  },
  read(screen) {
    const lines = readScreen(screen)
    const box = promptBox(lines)
    if (!box)
      return { state: lines.every(({ text }) => text.trim() === '') ? 'unknown' : 'dialog', typed: '' }
    return { state: box.below.some(isWorking) ? 'working' : 'waiting', typed: typedIn(box.inside) }
  },
}

function promptBox(
  lines: readonly ScreenLine[],
): { inside: readonly ScreenLine[]; below: readonly ScreenLine[] } | undefined {
  const bottom = lines.findLastIndex(isRule)
  const top = lines.slice(0, Math.max(bottom, 0)).findLastIndex(isRule)
  const inside = lines.slice(top + 1, bottom)
  const below = lines.slice(bottom + 1).filter(({ text }) => text.trim() !== '')
  if (top < 0 || below.length > MOST_BELOW || !/^❯(?: |$)/.test(inside[0]?.text ?? '')) return undefined
  return lines[top]?.text.trimEnd() === lines[bottom]?.text.trimEnd() ? { inside, below } : undefined
}

const isRule = ({ text, spans: [first] }: ScreenLine): boolean =>
  /^─{10,}\s*$/.test(text) && first?.dim === true
/** The keys, and in a narrow window what is left of them. */
const MOST_BELOW = 3

/** Dim words only suggest how to continue. */
function typedIn(inside: readonly ScreenLine[]): string {
  const [first = '', ...rest] = inside.map(({ spans }) =>
    spans.map(({ text, dim }) => (dim ? '' : text)).join(''),
  )
  return [first.replace(/^❯/, ''), ...rest].join('\n').trim()
}

/** A wheel at its beginning; the word next to it is left out where there is no room. */
const isWorking = ({ text, spans }: ScreenLine): boolean =>
  /^ ?[○◌◍◎◉●] /.test(text) || spans.some(span => span.bold && span.text.trim() === 'esc esc')
