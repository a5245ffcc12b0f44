import type { AgentTerminal } from '../../../ports/terminal.ts'

/** Claude Code's screen: a prompt line between two rules near the bottom, what it does above, and hints below. */
export const claudeTerminal: AgentTerminal = {
  clear: '/clear',
  interrupt: 'Escape',
  erase: 'C-c',
  read(screen) {
    const box = promptBox(screen)
    if (!box) return { state: plain(screen).trim() === '' ? 'unknown' : 'dialog', typed: '' }
    return { state: isWorking(box) ? 'working' : 'waiting', typed: box.typed }
  },
}

interface PromptBox {
  above: readonly string[]
  typed: string
  below: readonly string[]
}

/** What is between the last two rules; undefined while something else covers the prompt line. Dim text is only a suggestion. */
function promptBox(screen: string): PromptBox | undefined {
  const lines = plain(screen.replaceAll(/\x1b\[(?:0;)?2m[^\x1b]*/g, '')).split('\n')
  const isRule = (line: string) => /^─{10}/.test(line)
  const bottom = lines.findLastIndex(isRule)
  const top = lines.slice(0, Math.max(bottom, 0)).findLastIndex(isRule)
  const below = lines.slice(bottom + 1).filter(line => line.trim() !== '')
  const [first = '', ...rest] = lines.slice(top + 1, bottom)
  if (top < 0 || below.length > MOST_HINTS || !/^[❯>!]/.test(first)) return undefined
  // What is typed behind a `!` goes to a shell.
  const mark = first.startsWith('!') ? '!' : ''
  return { above: lines.slice(0, top), typed: [mark + first.slice(1), ...rest].join('\n').trim(), below }
}

/** A status line of several rows, and hints below it. */
const MOST_HINTS = 12

/** The hint goes when a person types; the line that tells what it does stays. */
const isWorking = ({ above, below }: PromptBox): boolean =>
  below.some(line => /\besc to interrupt\b/i.test(line)) ||
  above.slice(-8).some(line => /^[·✢✳✶✻✽*] \S.*…/.test(line))

const plain = (screen: string): string => screen.replaceAll(/\x1b\[[0-9;:]*[A-Za-z]/g, '')
