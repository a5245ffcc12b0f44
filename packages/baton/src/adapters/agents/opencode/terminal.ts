import type { AgentTerminal } from '../../../ports/terminal.ts'
import { readScreen } from '../screen.ts'

/**
 * opencode's screen: the prompt line in a box with a bar at its left and a half block below, in the middle of the first screen
 * and at the bottom of a conversation. Its last row names agent and model, the row below the box tells that it works.
 * Prompts of before have a bar, too, but no end; what a model says is indented. Permissions and questions take the
 * box's place; lists are laid over it, with `esc` at the end of their title.
 */
export const opencodeTerminal: AgentTerminal = {
  clear: '/new',
  startsWithPrompt: true,
  interrupt: 'Escape',
  interruptAgain: /\besc again to interrupt\b/,
  // Ctrl-U takes only one line, and never the first of several.
  erase: 'C-c',
  read(screen) {
    const lines = readScreen(screen).map(({ text }) => text)
    const box = promptBox(lines)
    if (!box) return { state: lines.every(line => line.trim() === '') ? 'unknown' : 'dialog', typed: '' }
    return {
      state: box.below.some(line => WORKING.test(line)) ? 'working' : 'waiting',
      typed: typedIn(box),
    }
  },
}

interface PromptBox {
  rows: readonly string[]
  /** Agent and model, or `Shell`. */
  mode: string
  below: readonly string[]
}

function promptBox(lines: readonly string[]): PromptBox | undefined {
  const end = lines.findLastIndex(line => /^ *╹▀{10}/.test(line))
  const [, before = '', edge = ''] = /^( *)(╹▀+)/.exec(lines[end] ?? '') ?? []
  if (end < 0 || lines.some(line => / {2}esc *$/.test(line))) return undefined
  const bar = `${before}┃`
  const begin = lines.slice(0, end).findLastIndex(line => !line.startsWith(bar)) + 1
  // A column next to the box may show something else.
  const inside = lines.slice(begin, end).map(line => line.slice(bar.length, before.length + edge.length))
  // Commands that fit what is typed stand on top of it, with a bar at both sides.
  const rows = inside.slice(inside.findLastIndex(row => row.trimEnd().endsWith('┃')) + 1)
  const below = lines.slice(end + 1).filter(line => line.trim() !== '')
  if (rows.length < LEAST_ROWS || below.length > MOST_BELOW) return undefined
  if (before.length !== INDENT && !FOOT.test(below.at(-1) ?? '')) return undefined
  return { rows: rows.slice(0, -1), mode: (rows.at(-1) ?? '').trim(), below }
}

/** A blank one, the prompt, a blank one, agent and model. */
const LEAST_ROWS = 4
/** Keys, a tip and the folder. */
const MOST_BELOW = 6
/** Where the box of a conversation begins; nothing that is said in it does. On the first screen it is in the middle. */
const INDENT = 2
/** What the first screen ends with: folder and version. */
const FOOT = /^ {2}\S.* \d+\.\d+\.\d+\S*\s*$/
/** Where there is no room the words break, and the moving blocks stay. */
const WORKING = /^ *(?:[■⬝]{4,}|\[⋯\]) |\besc (?:again to )?interrupt\b/

function typedIn({ rows, mode }: PromptBox): string {
  const text = rows
    .map(row => row.replace(/^ {2}/, '').trimEnd())
    .join('\n')
    .trim()
  // What is typed there goes to a shell.
  if (!mode.includes(' · ')) return `!${text}`
  return SUGGESTION.test(text.replaceAll(/\s+/g, ' ')) ? '' : text
}

const SUGGESTION = /^Ask anything\.\.\. "[^"]*"$/
