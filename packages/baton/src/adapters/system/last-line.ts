import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'

const CHUNK = 256 * 1024
/** What lies further back is not looked at. */
const MOST_READ = 64 * 1024 * 1024

/** The last whole line of a file that contains a text, read from its end; undefined if there is none. */
export function lastLineWith(path: string, text: string): string | undefined {
  return withFile(path, (file, size) => {
    // The start of a line is in an earlier chunk.
    let rest: Buffer = Buffer.alloc(0)
    for (let end = size; end > 0 && size - end < MOST_READ; ) {
      const start = Math.max(0, end - CHUNK)
      const whole = Buffer.concat([readBetween(file, start, end), rest])
      end = start
      const from = start === 0 ? 0 : whole.indexOf('\n') + 1
      if (start > 0 && from === 0) {
        rest = whole
        continue
      }
      const found = whole
        .toString('utf8', from)
        .split('\n')
        .findLast(line => line.includes(text))
      if (found !== undefined) return found
      rest = whole.subarray(0, from)
    }
    return undefined
  })
}

/** Waits until another program has written a whole line with a text to the end of a file, for a second at most. */
export async function waitForLine(path: string, text: string, withinMs = 1000): Promise<boolean> {
  for (let left = withinMs; ; left -= EVERY_MS) {
    const end = withFile(path, (file, size) => readBetween(file, Math.max(0, size - CHUNK), size))
    const at = end?.indexOf(text) ?? -1
    if (at !== -1 && end?.includes('\n', at)) return true
    if (end === undefined || left <= 0) return false
    await delay(EVERY_MS)
  }
}

const EVERY_MS = 10

/** What `use` makes of an open file and its size; undefined if the file cannot be read. */
function withFile<T>(path: string, use: (file: number, size: number) => T): T | undefined {
  let file: number | undefined
  try {
    file = openSync(path, 'r')
    return use(file, fstatSync(file).size)
  } catch {
    return undefined
  } finally {
    if (file !== undefined) closeSync(file)
  }
}

function readBetween(file: number, start: number, end: number): Buffer {
  const chunk = Buffer.alloc(end - start)
  readSync(file, chunk, 0, chunk.length, start)
  return chunk
}
