import type { AgentTerminal } from '../../../ports/terminal.ts'

/** Claude Code's screen: a prompt line between two rules, and below them how to stop what runs. */
export const claudeTerminal: AgentTerminal = {
  clear: '/clear',
  interrupt: 'Escape',
  read(screen) {
    const typed = promptLine(screen)
    if (typed === undefined) return { state: plain(screen).trim() === '' ? 'unknown' : 'dialog', typed: '' }
    return { state: /\besc to interrupt\b/i.test(plain(screen)) ? 'working' : 'waiting', typed }
  },
}

/** What stands between the last two rules; undefined while something else covers the prompt line. Dim text is only a suggestion. */
export function promptLine(screen: string): string | undefined {
  const lines = plain(screen.replaceAll(/\x1b\[(?:0;)?2m[^\x1b]*/g, '')).split('\n')
  const isRule = (line: string) => /^─{10}/.test(line)
  const bottom = lines.findLastIndex(isRule)
  const top = lines.slice(0, Math.max(bottom, 0)).findLastIndex(isRule)
  if (top < 0) return undefined
  const [first = '', ...rest] = lines.slice(top + 1, bottom)
  return /^[❯>!]/.test(first) ? [first.slice(1), ...rest].join('\n').trim() : undefined
}

const plain = (screen: string): string => screen.replaceAll(/\x1b\[[0-9;:]*[A-Za-z]/g, '')
