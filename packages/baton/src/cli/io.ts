import type { Environment } from '../config/places.ts'
import type { InsideSteps } from '../ports/broker.ts'

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
  /** Set if the daemon runs this for a command in a sandbox: steps that must happen there. */
  inside?: InsideSteps
}

/** Colours only on a terminal, and never with NO_COLOR. */
export function paint(io: Io): (style: Style, text: string) => string {
  const on = (io.isTTY && !io.env.NO_COLOR && io.env.TERM !== 'dumb') || Boolean(io.env.FORCE_COLOR)
  return (style, text) => (on ? `\x1b[${CODES[style]}m${text}\x1b[0m` : text)
}
type Style = keyof typeof CODES
const CODES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 }

/**
 * Text from an agent or a repository could steer the terminal, or read otherwise than it is: control characters, and those that
 * turn or hide others, are shown, not sent. What joins the parts of an emoji stays.
 */
export function printable(text: string): string {
  return text.replace(UNSEEN, c => {
    const code = c.codePointAt(0) ?? 0
    return code <= 0xff ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u{${code.toString(16)}}`
  })
}

const UNSEEN = /(?![\n\t]|(?<=\p{Extended_Pictographic}\ufe0f?)\u200d)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu
