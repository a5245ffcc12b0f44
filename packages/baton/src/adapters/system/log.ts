import { renameSync, statSync } from 'node:fs'
import { type Logger, pino } from 'pino'

const ROTATE_AT_BYTES = 10 * 1024 * 1024

export type { Logger }

/** The daemon's own log: one JSON object per line, with secrets removed from the finished line. */
export function openLog(path: string, redact: (line: string) => string): { log: Logger; rotate(): void } {
  rotateFile(path)
  const destination = openFile(path)
  if (!destination) return { log: pino({ level: 'silent' }), rotate() {} }
  // A full disk must not end the daemon; the journal already rejects what it cannot store.
  destination.on('error', () => {})
  const log = pino({ base: { pid: process.pid }, hooks: { streamWrite: redact } }, destination)
  return {
    log,
    rotate() {
      if (rotateFile(path)) destination.reopen()
    },
  }
}

/** Opens the file at once, so that an unwritable folder means no log instead of an error later. */
function openFile(path: string) {
  try {
    return pino.destination({ dest: path, sync: true, mode: 0o600 })
  } catch {
    return undefined
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
