import {
  closeSync,
  linkSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { hostname } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { BatonError } from '@batonpass/contract/errors'

export interface UndoLock {
  /** The file system's time just before the lock was acquired. */
  readonly sinceMs: number
  release(): void
}

/**
 * Acquires a lock file that appears atomically and complete. So a lock whose holder was killed at any moment can be
 * recognized: its process is gone, or the file was not touched for long.
 */
export async function takeUndoLock(path: string, waitMs = 15_000): Promise<UndoLock> {
  const draft = `${path}.${process.pid}.${++drafts}`
  // Written again on each attempt: its modification time is the file system's clock.
  const writeDraft = (): number => {
    writeFileSync(draft, OWNER, { mode: 0o600 })
    return statSync(draft).mtimeMs
  }
  try {
    // A process that takes one snapshot after another would otherwise never leave a waiting one its turn.
    if (isWaitedFor(path, draft, writeDraft())) await pause(2 * PAUSE_MS)
    for (let waited = 0; ; waited += PAUSE_MS) {
      const sinceMs = writeDraft()
      if (isFree(path, draft)) return hold(path, sinceMs)
      dropStale(path, draft, sinceMs)
      if (waited >= waitMs)
        throw new BatonError('undo_unavailable', 'Another snapshot or undo of this worktree is running', {
          remedy: `Try again. If none is running, remove ${path}.`,
        })
      await pause(PAUSE_MS)
    }
  } finally {
    rmSync(draft, { force: true })
  }
}

/** Whether another process waits for the lock: it keeps writing its own draft. A killed one does not. */
function isWaitedFor(path: string, draft: string, nowMs: number): boolean {
  const folder = dirname(path)
  return readdirSync(folder).some(name => {
    if (!name.startsWith(`${basename(path)}.`) || name === basename(draft)) return false
    const written = statSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs
    return written !== undefined && nowMs - written < WAITING_MS
  })
}

let drafts = 0
const PAUSE_MS = 20
/** A waiting process writes its draft at least this often, even on a busy machine. */
const WAITING_MS = 500
const TOUCH_MS = 1000
/** A holder on another machine or in another container is not visible; it counts as alive while it touches its lock. */
const UNTOUCHED_MS = 10_000
const ABANDONED_MS = 120_000
const OWNER = `${process.pid} ${whereabouts()}`

function isFree(path: string, draft: string): boolean {
  try {
    linkSync(draft, path)
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    if (codeOf(error) !== 'EPERM' && codeOf(error) !== 'ENOTSUP') throw error
  }
  // This file system has no hard links.
  try {
    writeFileSync(path, OWNER, { mode: 0o600, flag: 'wx' })
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw error
  }
}

function hold(path: string, sinceMs: number): UndoLock {
  const timer = setInterval(() => {
    try {
      // Write the same bytes again, which updates the modification time.
      const file = openSync(path, 'r+')
      writeSync(file, OWNER)
      closeSync(file)
    } catch {
      // Another process removed it; release handles that.
    }
  }, TOUCH_MS)
  timer.unref()
  return {
    sinceMs,
    release() {
      clearInterval(timer)
      rmSync(path, { force: true })
    },
  }
}

function dropStale(path: string, draft: string, nowMs: number): void {
  try {
    if (!isStale(path, nowMs)) return
    // Rename it first, so that only one of several waiters removes it.
    const aside = `${draft}.stale`
    renameSync(path, aside)
    // A new holder was faster, and this is its lock: restore it.
    if (!isStale(aside, nowMs)) isFree(path, aside)
    rmSync(aside, { force: true })
  } catch {
    // Gone already.
  }
}

function isStale(path: string, nowMs: number): boolean {
  const untouched = nowMs - statSync(path).mtimeMs
  const [pid, ...where] = readFileSync(path, 'utf8').split(' ')
  if (where.join(' ') !== whereabouts()) return untouched > UNTOUCHED_MS
  return !isAlive(Number(pid)) || untouched > ABANDONED_MS
}

/** The machine and pid namespace, because pids are unique only there. */
function whereabouts(): string {
  try {
    return `${hostname()} ${readlinkSync('/proc/self/ns/pid')}`
  } catch {
    return hostname()
  }
}

function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return codeOf(error) === 'EPERM'
  }
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
