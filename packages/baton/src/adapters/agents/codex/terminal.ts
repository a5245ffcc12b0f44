import type { AgentTerminal } from '../../../ports/terminal.ts'
import { readScreen, type ScreenLine } from '../screen.ts'

/**
 * Codex's screen: a prompt line that begins with a bold `›` in the first column, what it does above, a line or two of hints
 * below. What a model says is indented, earlier prompts have a dim `›`, and the choice in a dialog an inverted one.
 */
export const codexTerminal: AgentTerminal = {
  // `/new` asks first where the conversation is to run.
  clear: '/clear',
  startsWithPrompt: true,
  interrupt: 'Escape',
  // Ctrl-C on an empty line ends Codex.
  erase: 'C-u',
  dialog: {
    // In another mode Codex opens none, unless a switch is on that Baton does not see.
    opensAfter: / {2,}Plan mode\s*$/,
    numbered: true,
    ownWords: /^None of the above\b/,
    openWords: 'Tab',
    emptyField: /^\s*› Add notes\s*$/,
    comment: { option: /^No, stay in Plan mode\b/, typedOn: 'prompt' },
  },
  read(screen, title = '') {
    const lines = readScreen(screen)
    const at = lines.findLastIndex(isPrompt)
    const below = lines.slice(at + 1, lines.findLastIndex(line => !isBlank(line)) + 1)
    const gap = below.findLastIndex(isBlank)
    if (at < 0 || below.length - gap - 1 > MOST_HINTS || below.some(isChoice))
      return { state: lines.every(isBlank) ? 'unknown' : 'dialog', typed: '' }
    const [prompt] = lines.slice(at)
    // Dim words are only a suggestion; no typed ones are.
    const first = prompt?.spans.map(({ text, dim }) => (dim ? '' : text)).join('') ?? ''
    const more = below.slice(0, Math.max(gap, 0)).map(({ text }) => text)
    // What is typed behind a `!` goes to a shell.
    const mark = first.startsWith('!') ? '!' : ''
    const typed = [mark + first.slice(1), ...more].join('\n').trim()
    // While it writes its answer, only the wheel in the title turns.
    const works = /^[⠀-⣿] /.test(title) || lines.slice(0, at).some(isWorking)
    return { state: works ? 'working' : 'waiting', typed }
  },
}

/** What the model is called, and a row of keys. */
const MOST_HINTS = 3

const isBlank = ({ text }: ScreenLine): boolean => text.trim() === ''

function isPrompt({ spans: [mark], text }: ScreenLine): boolean {
  return mark !== undefined && /^[›!](?: |$)/.test(text) && mark.bold && !mark.dim && !mark.reverse
}

const isChoice = ({ spans: [mark], text }: ScreenLine): boolean =>
  mark?.reverse === true && text.startsWith('›')

/** `• Working (3s • esc to interrupt)`, all dim but the key; a model cannot write dim letters. */
function isWorking({ spans, text }: ScreenLine): boolean {
  const key = spans.findIndex(span => span.text === 'esc' && span.bold)
  return (
    /^[•◦] /.test(text) && /\(\S.* • $/.test(spans[key - 1]?.text ?? '') && (spans[key + 1]?.dim ?? false)
  )
}
