import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  closeSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs'

/** Reads a random secret with mode 0600, or creates a new one if the file is missing or not private. */
export function secretFile(path: string): string {
  try {
    const { mode } = statSync(path)
    const kept = readFileSync(path, 'utf8').trim()
    if (/^[0-9a-f]{64}$/.test(kept)) {
      if ((mode & 0o077) !== 0) chmodSync(path, 0o600)
      return kept
    }
  } catch {
    // Missing or unreadable: create a new one; if that fails, the write throws.
  }
  const secret = randomBytes(32).toString('hex')
  replaceFile(path, `${secret}\n`, 0o600)
  return secret
}

/** Replaces a file atomically: a reader sees the old or the new text, never a part. */
export function replaceFile(path: string, text: string | Buffer, mode: number): void {
  const temporary = `${path}.${process.pid}.tmp`
  const fd = openSync(temporary, 'w', mode)
  try {
    writeFileSync(fd, text)
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
  renameSync(temporary, path)
}
