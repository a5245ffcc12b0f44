import type { Environment } from '../config/places.ts'

/** What a command may touch of the process it runs in; tests give their own. */
export interface Io {
  stdin: NodeJS.ReadStream | NodeJS.ReadableStream
  stdout: { write(text: string): unknown }
  stderr: { write(text: string): unknown }
  env: Environment
  cwd: string
  home: string
  /** Standard output is a terminal. */
  isTTY: boolean
  /** How wide the terminal is. */
  columns?: number
  /** Aborted by Ctrl-C. */
  signal: AbortSignal
}

/** Colours only on a terminal, and never with NO_COLOR. */
export function paint(io: Io): (style: Style, text: string) => string {
  const on = (io.isTTY && !io.env.NO_COLOR && io.env.TERM !== 'dumb') || Boolean(io.env.FORCE_COLOR)
  return (style, text) => (on ? `\x1b[${CODES[style]}m${text}\x1b[0m` : text)
}
type Style = keyof typeof CODES
const CODES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 }

/** Text from an agent or a repository could steer the terminal: control characters are shown, not sent. */
export function printable(text: string): string {
  return text.replace(
    /[\x00-\x08\x0b-\x1f\x7f-\x9f]/g,
    c => `\\x${c.charCodeAt(0).toString(16).padStart(2, '0')}`,
  )
}
