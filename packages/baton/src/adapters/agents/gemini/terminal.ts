import type { AgentTerminal } from '../../../ports/terminal.ts'
import { readScreen, type ScreenLine } from '../screen.ts'

/**
 * Gemini CLI's screen: the prompt line in a box at the bottom, what it does above, two lines about model and folder below.
 * Earlier prompts are in boxes of the same kind, so only one with nothing but such lines below it counts. What a model or
 * a command says never begins in the first column.
 */
export const geminiTerminal: AgentTerminal = {
  clear: '/clear',
  interrupt: 'Escape',
  erase: 'C-c',
  dialog: {
    numbered: true,
    ownWords: /^Enter a custom value$/,
    emptyField: /^\s*(?:> Enter your response|● \d+\. {1,2}Enter a custom value)\s*$/,
    review: /^\s*Review your answers:\s*$/,
    comment: { option: /^Type your feedback\.\.\.$/, typedOn: 'option' },
  },
  read(screen, title = '') {
    const lines = readScreen(screen)
    const box = promptBox(lines)
    if (!box)
      return { state: lines.every(({ text }) => text.trim() === '') ? 'unknown' : 'dialog', typed: '' }
    const works = title.startsWith('✦') || box.above.some(isWorking)
    return { state: works ? 'working' : 'waiting', typed: typedIn(box.inside) }
  },
}

interface PromptBox {
  above: readonly ScreenLine[]
  inside: readonly ScreenLine[]
}

/** Half blocks frame it; rules do where colours are switched off. */
const FRAMES = [
  { top: /^▄{10}/, bottom: /^▀{10}/ },
  { top: /^─{10}/, bottom: /^─{10}/ },
]

function promptBox(lines: readonly ScreenLine[]): PromptBox | undefined {
  for (const { top, bottom } of FRAMES) {
    const last = lines.findLastIndex(({ text }) => bottom.test(text))
    const first = lines.slice(0, Math.max(last, 0)).findLastIndex(({ text }) => top.test(text))
    const inside = lines.slice(first + 1, last)
    const below = lines.slice(last + 1).filter(({ text }) => text.trim() !== '')
    if (first < 0 || !/^ [>*!] /.test(inside[0]?.text ?? '')) continue
    // A dialog below has a frame of its own; commands that fit what is typed have none.
    if (below.length > MOST_BELOW || below.some(({ text }) => /[╭╮╰╯│●]/.test(text))) return undefined
    return { above: lines.slice(Math.max(0, first - STATUS), first), inside }
  }
  return undefined
}

const MOST_BELOW = 14
/** How far above the box it tells what it does: rules, hints and blank lines may stand between. */
const STATUS = 8

function typedIn([first, ...rest]: readonly ScreenLine[]): string {
  // What is typed behind a `!` goes to a shell.
  const mark = first?.text.startsWith(' ! ') ? '!' : ''
  const text = [mark + (first?.text.slice(3) ?? ''), ...rest.map(line => line.text)].join('\n').trim()
  return SUGGESTIONS.has(text.replaceAll(/\s+/g, ' ')) ? '' : text
}

/** What an empty prompt line shows. In vim's normal mode letters are commands, so that one is not here. */
const SUGGESTIONS: ReadonlySet<string> = new Set([
  'Type your message or @path/to/file',
  "Press 'Esc' for NORMAL mode.",
])

/** Turns a wheel, runs hooks, says how to cancel, or waits for input to a command; a model's words never begin like that. */
function isWorking({ text, spans }: ScreenLine): boolean {
  // Where there is too little room, the hint covers other words.
  if (/^(?:\? for shortcuts|press tab twice for more)\S|^\s*! Shell awaiting input/.test(text)) return true
  return /^\s*(?:[⠀-⣿] |Executing Hooks?: |.*\(esc to cancel, )/.test(text) && spans.some(span => span.italic)
}
