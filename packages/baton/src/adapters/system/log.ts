import { appendFileSync, renameSync, statSync } from 'node:fs'
import { inspect } from 'node:util'
import { systemClock } from './clock.ts'

const ROTATE_AT_BYTES = 10 * 1024 * 1024
/** As log viewers for JSON lines number them. */
const LEVELS = { info: 30, warn: 40, error: 50 } as const

export type Logger = Record<
  keyof typeof LEVELS,
  (message: string, fields?: Readonly<Record<string, unknown>>) => void
>

/**
 * The daemon's own log: one JSON object per line, with secrets removed from the finished line. It holds only faults, so
 * each line opens the file: nothing is buffered, and a removed or rotated file is created again.
 */
export function openLog(path: string, redact: (line: string) => string): { log: Logger; rotate(): void } {
  const write =
    (level: keyof typeof LEVELS): Logger['info'] =>
    (message, fields) => {
      const head = { level: LEVELS[level], time: systemClock.now(), pid: process.pid }
      try {
        appendFileSync(path, redact(`${lineOf({ ...head, ...fields, msg: message })}\n`), { mode: 0o600 })
      } catch {
        // A full disk must not end the daemon; the journal already rejects what it cannot store.
      }
    }
  const rotate = () => rotateFile(path)
  rotate()
  return { log: { info: write('info'), warn: write('warn'), error: write('error') }, rotate }
}

/** A line must not be lost for a value that JSON cannot hold, such as an error that is its own cause. */
function lineOf(fields: Readonly<Record<string, unknown>>): string {
  try {
    return JSON.stringify(fields, describeError)
  } catch {
    const texts = Object.entries(fields).map(([name, value]) => [name, inspect(value, { depth: 3 })])
    return JSON.stringify(Object.fromEntries(texts))
  }
}

/** JSON would show an error as {}. */
function describeError(_name: string, value: unknown): unknown {
  if (!(value instanceof Error)) return value
  const { name, message, stack, cause } = value
  return {
    type: name,
    message,
    stack,
    ...('code' in value ? { code: value.code } : {}),
    ...('errors' in value ? { errors: value.errors } : {}),
    ...(cause === undefined ? {} : { cause }),
  }
}

function rotateFile(path: string): void {
  try {
    if (statSync(path).size >= ROTATE_AT_BYTES) renameSync(path, `${path}.1`)
  } catch {
    // The log does not exist yet, or its folder is not writable.
  }
}
