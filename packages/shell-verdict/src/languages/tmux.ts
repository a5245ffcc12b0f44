import type { Word } from '../shell/word.ts'

/** `#{name}` and `#S`: values that tmux fills in. `#(…)` runs a command, and modifiers may expand further formats. */
const PLAIN_FORMAT = /^(?:[^#]|#\{@?[a-z_][\w-]*\}|#[DFHIPSTWh#])*$/s

/** What tmux arguments do besides naming sessions and values, or undefined when every argument was understood. */
export function findTmuxHazard(args: readonly Word[]): string | undefined {
  for (const { value, text } of args) {
    if (value === undefined) return `tmux is given an argument only known when it runs: ${text}`
    // tmux begins its next command after an argument that is or ends in a semicolon.
    if (value.includes(';')) return 'tmux reads a semicolon in an argument as the start of another command'
    if (/[\\{}]/.test(value.replace(/#\{@?[a-z_][\w-]*\}/g, ''))) return 'tmux reads braces as commands'
    if (!PLAIN_FORMAT.test(value)) return 'tmux runs commands inside a format'
  }
  return undefined
}
