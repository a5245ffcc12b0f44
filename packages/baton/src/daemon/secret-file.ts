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

/** A random secret kept 0600: read if it is there and private, else made anew. */
export function secretFile(path: string): string {
  try {
    const { mode } = statSync(path)
    const kept = readFileSync(path, 'utf8').trim()
    if (/^[0-9a-f]{64}$/.test(kept)) {
      if ((mode & 0o077) !== 0) chmodSync(path, 0o600)
      return kept
    }
  } catch {
    // Absent or unreadable: a fresh one follows, and a write that fails says so.
  }
  const secret = randomBytes(32).toString('hex')
  replaceFile(path, `${secret}\n`, 0o600)
  return secret
}

/** Replaces a file whole: a reader sees the old or the new text, never half of one. */
export function replaceFile(path: string, text: string | Buffer, mode: number): void {
  const beside = `${path}.${process.pid}.tmp`
  const fd = openSync(beside, 'w', mode)
  try {
    writeFileSync(fd, text)
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
  renameSync(beside, path)
}
