/** One answer of the fake model. Dialects turn it into the wire form of their vendor. */
export interface Turn {
  thinking?: string
  text?: string
  tools?: ToolCall[]
  usage?: Usage
  error?: ModelError
  /** The answer is not begun before this resolves. */
  gate?: Promise<void>
  /** Cut the connection: before any byte, or in the middle of the answer. */
  drop?: 'before' | 'midway'
  /** Why the answer ended, in the vendor's words; by default that the model was done or calls a tool. */
  stop?: string
  /** How many requests this turn answers (Infinity: every one from here on). Default 1. */
  times?: number
}

export interface ToolCall {
  name: string
  input: Record<string, unknown>
  /** Default: a fresh id. */
  id?: string
}

export interface Usage {
  input?: number
  output?: number
  cacheRead?: number
  cacheWrite?: number
}

export interface ModelError {
  status: number
  type: string
  message: string
  headers?: Record<string, string>
  /** What else the vendor writes beside type and message. */
  more?: Record<string, unknown>
}

type Extra = Pick<Turn, 'usage' | 'gate' | 'times' | 'thinking'>

export function say(text: string, extra: Extra = {}): Turn {
  return { text, ...extra }
}

export function call(
  name: string,
  input: Record<string, unknown>,
  extra: Extra & { text?: string } = {},
): Turn {
  return { tools: [{ name, input }], ...extra }
}

export function rateLimited(extra: Extra & { retryAfter?: number } = {}): Turn {
  const { retryAfter, ...rest } = extra
  const headers = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }
  return { error: { status: 429, type: 'rate_limit_error', message: 'Rate limited', headers }, ...rest }
}

export function overloaded(extra: Extra = {}): Turn {
  return { error: { status: 529, type: 'overloaded_error', message: 'Overloaded' }, ...extra }
}

export function promptTooLong(extra: Extra & { tokens?: number; maximum?: number } = {}): Turn {
  const { tokens = 210_000, maximum = 200_000, ...rest } = extra
  const message = `prompt is too long: ${tokens} tokens > ${maximum} maximum`
  return { error: { status: 400, type: 'invalid_request_error', message }, ...rest }
}

export function unauthorized(extra: Extra = {}): Turn {
  return { error: { status: 401, type: 'authentication_error', message: 'invalid x-api-key' }, ...extra }
}

export function dropped(when: 'before' | 'midway' = 'before', extra: Extra = {}): Turn {
  return { drop: when, text: 'this answer is cut', ...extra }
}

export interface Held {
  gate: Promise<void>
  release: () => void
}

/** `const held = hold(); model.script(m, [say('hi', { gate: held.gate })])`, and later `held.release()`. */
export function hold(): Held {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { gate: promise, release: resolve }
}
