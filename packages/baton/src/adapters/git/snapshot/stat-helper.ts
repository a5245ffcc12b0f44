import { lstatSync } from 'node:fs'
import { setImmediate as turn } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'

/** Numbers per file: identity, size, time of content, time of change, mode, device. */
export const FACTS = 6

/** Files that one thread takes at a time. */
export const LOOKUP_CHUNK = 128

/**
 * Looks up files, and returns the indexes of those that do not have the expected facts. Two threads take half the time,
 * because most of it is spent in the kernel. `width`: how many of the facts have to be equal.
 */
export async function findChanged(
  paths: readonly (string | Buffer)[],
  expected: Float64Array,
  width: number,
): Promise<number[]> {
  const changed: number[] = []
  const lookup = shareLookup(paths)
  const isSame = (i: number, facts: ArrayLike<number>, at: number): boolean => {
    for (let n = 0; n < width; n++) if (facts[at + n] !== expected[FACTS * i + n]) return false
    return true
  }
  const here = new Float64Array(FACTS)
  const checkHere = (i: number) => {
    readFacts(paths[i] ?? '', here)
    if (!isSame(i, here, 0)) changed.push(i)
  }
  const theirs: [from: number, to: number][] = []
  let next = 0
  let work = 0
  for (let part = lookup.take(); part; part = lookup.take()) {
    const [from, to] = part
    if (from > next) theirs.push([next, from])
    next = to
    for (let i = from; i < to; i++) checkHere(i)
    work += to - from
    if (work % BATCH === 0) await turn()
  }
  if (next < paths.length) theirs.push([next, paths.length])
  for (const [from, to] of theirs)
    for (let i = from; i < to; i++) {
      const found = lookup.found(i - (i % LOOKUP_CHUNK))
      if (!found) checkHere(i)
      else if (!isSame(i, found, FACTS * i)) changed.push(i)
    }
  return changed.sort((a, b) => a - b)
}

/** All zero if the file is absent or cannot be looked up. */
function readFacts(path: string | Buffer, into: Float64Array): void {
  into.fill(0)
  try {
    const found = lstatSync(path, NO_THROW)
    if (!found) return
    into[0] = found.ino
    into[1] = found.size
    into[2] = found.mtimeMs
    into[3] = found.ctimeMs
    into[4] = found.mode
    into[5] = found.dev
  } catch {
    // The caller looks at it again, and reports it if it cannot read it.
  }
}

const NO_THROW = { throwIfNoEntry: false } as const

/** Facts of files, looked up on another thread while the caller looks up the rest. */
export interface SharedLookup {
  /** The next files that no one has taken, as `[from, to]`. Undefined if all are taken. */
  take(): readonly [from: number, to: number] | undefined
  /** What the other thread found: the facts of a file at `FACTS * i`. Undefined if it has not finished these files. */
  found(from: number): Float64Array | undefined
}

/** Shares a list of files with another thread. Never waits for it: what it has not finished, the caller looks up. */
export function shareLookup(paths: readonly (string | Buffer)[]): SharedLookup {
  const chunks = Math.ceil(paths.length / LOOKUP_CHUNK)
  const numbersAt = 8 * Math.ceil((chunks + 1) / 2)
  const helper = paths.length >= WORTH_IT ? helperFor(paths) : undefined
  const size = numbersAt + (helper ? 8 * FACTS * paths.length : 0)
  // A new one each time: the other thread may still write into the last one.
  const shared = new SharedArrayBuffer(size)
  const marks = new Int32Array(shared, 0, chunks + 1)
  const numbers = new Float64Array(shared, numbersAt)
  helper?.postMessage({ shared, chunks, numbersAt, ...listOf(paths) })
  return {
    take() {
      const chunk = Atomics.add(marks, 0, 1)
      if (chunk >= chunks) return undefined
      return [chunk * LOOKUP_CHUNK, Math.min((chunk + 1) * LOOKUP_CHUNK, paths.length)]
    },
    found: from => (Atomics.load(marks, 1 + from / LOOKUP_CHUNK) === 1 ? numbers : undefined),
  }
}

/** The other thread: as text, so that it is the same in the package and from source. */
const HELPER = `
const { lstatSync } = require('node:fs')
const { parentPort } = require('node:worker_threads')
const lists = new Map()
parentPort.on('message', ({ shared, chunks, numbersAt, list, paths, forget }) => {
  lists.delete(forget)
  if (paths) lists.set(list, paths)
  const named = lists.get(list)
  const marks = new Int32Array(shared, 0, chunks + 1)
  const numbers = new Float64Array(shared, numbersAt)
  for (;;) {
    const chunk = Atomics.add(marks, 0, 1)
    if (chunk >= chunks) return
    for (let i = chunk * ${LOOKUP_CHUNK}; i < Math.min((chunk + 1) * ${LOOKUP_CHUNK}, named.length); i++) {
      let found
      try {
        found = lstatSync(named[i], { throwIfNoEntry: false })
      } catch {}
      if (!found) continue
      const at = ${FACTS} * i
      numbers[at] = found.ino
      numbers[at + 1] = found.size
      numbers[at + 2] = found.mtimeMs
      numbers[at + 3] = found.ctimeMs
      numbers[at + 4] = found.mode
      numbers[at + 5] = found.dev
    }
    Atomics.store(marks, 1 + chunk, 1)
  }
})`

let helper: Worker | undefined
let hasFailed = false
let wasUsed = false

/** Undefined at the first call, so that a short program does not start a thread for nothing, and after a failure. */
function helperFor(paths: readonly (string | Buffer)[]): Worker | undefined {
  if (hasFailed || paths.length > MOST_FILES) return undefined
  if (helper) return helper
  if (!wasUsed) {
    wasUsed = true
    return undefined
  }
  const stop = () => {
    hasFailed = true
    helper = undefined
  }
  try {
    helper = new Worker(HELPER, {
      eval: true,
      env: {},
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 4 },
    })
  } catch {
    // There may be no thread left for this user.
    stop()
    return undefined
  }
  helper.on('error', stop)
  helper.on('exit', stop)
  helper.unref()
  return helper
}

/** The lists that the other thread has, by their number. To send one costs as much as to look up its files. */
const sent = new Map<readonly (string | Buffer)[], number>()
let lastList = 0

function listOf(paths: readonly (string | Buffer)[]) {
  const known = sent.get(paths)
  if (known !== undefined) return { list: known }
  const [oldest] = sent.size >= MOST_LISTS ? sent : []
  if (oldest) sent.delete(oldest[0])
  sent.set(paths, ++lastList)
  return { list: lastList, paths, forget: oldest?.[1] }
}

/** For fewer files the message costs more than it saves. */
const WORTH_IT = 400
const MOST_FILES = 100_000
/** The folders and the files of two worktrees. */
const MOST_LISTS = 4
/** After this many files, let the daemon serve other requests. */
const BATCH = 256
