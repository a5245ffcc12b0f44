import { renameSync, statSync } from 'node:fs'
import { type Logger, pino } from 'pino'

const ROTATE_AT_BYTES = 10 * 1024 * 1024

export type { Logger }

/** The daemon's own log: one JSON line each, secrets taken out of the finished line. */
export function openLog(path: string, redact: (line: string) => string): { log: Logger; rotate(): void } {
  rotateFile(path)
  const destination = pino.destination({ dest: path, mkdir: true, sync: false, mode: 0o600 })
  // A full disk must not end the daemon: the journal already refuses what it cannot keep.
  destination.on('error', () => {})
  const log = pino({ base: { pid: process.pid }, hooks: { streamWrite: redact } }, destination)
  return {
    log,
    rotate() {
      if (rotateFile(path)) destination.reopen()
    },
  }
}

function rotateFile(path: string): boolean {
  try {
    if (statSync(path).size < ROTATE_AT_BYTES) return false
    renameSync(path, `${path}.1`)
    return true
  } catch {
    return false
  }
}
