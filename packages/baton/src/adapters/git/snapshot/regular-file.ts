import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from 'node:fs'

/**
 * The bytes of a file that an agent may have written. Undefined if it is absent, unreadable, not a regular file, larger
 * than `maxBytes`, or if it grew meanwhile. Never follows a link at the end of the path, and never waits for a pipe.
 */
export function readRegularFile(
  path: string | Buffer,
  maxBytes: number,
): { bytes: Buffer; facts: Stats } | undefined {
  let file: number
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  } catch {
    return undefined
  }
  try {
    const facts = fstatSync(file)
    if (!facts.isFile() || facts.size > maxBytes) return undefined
    const buffer = Buffer.allocUnsafe(facts.size + 1)
    let length = 0
    for (;;) {
      const count = readSync(file, buffer, length, buffer.length - length, length)
      if (count === 0) return { bytes: buffer.subarray(0, length), facts }
      length += count
      // It grew while it was read.
      if (length === buffer.length) return undefined
    }
  } catch {
    return undefined
  } finally {
    closeSync(file)
  }
}

/** As `readRegularFile`, for git's small text files. */
export const readRegularText = (
  path: string,
  maxBytes: number,
  encoding: 'utf8' | 'latin1' = 'utf8',
): string | undefined => readRegularFile(path, maxBytes)?.bytes.toString(encoding)
