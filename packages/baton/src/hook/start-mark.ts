import { closeSync, openSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from '../adapters/system/clock.ts'
import { makeFolder } from '../config/make-folder.ts'

/**
 * The file that says a daemon is about to start, so that forty hooks at once start one and not forty. Empty:
 * it is under way. With text: it failed, and why. One that is older than a moment counts for nothing.
 * The perl launcher does the same, step by step.
 */
export type StartClaim = 'mine' | 'theirs' | { failed: string }

const FRESH_MS = 5000
const MAX_REASON_LENGTH = 300

/** Asks for the right to start the daemon. */
export function claimStart(stateDir: string): StartClaim {
  const mark = markIn(stateDir)
  for (let tries = 0; tries < 2; tries++) {
    try {
      makeFolder(stateDir, 0o700)
      closeSync(openSync(mark, 'wx', 0o600))
      return 'mine'
    } catch (cause) {
      if (codeOf(cause) !== 'EEXIST')
        return { failed: `the state folder cannot be written (${codeOf(cause)})` }
    }
    const standing = read(mark)
    if (standing === '') return 'theirs'
    if (standing !== undefined) return { failed: standing }
    rmSync(mark, { force: true })
  }
  return 'theirs'
}

/** A daemon listens: none has to be started. */
export function startDone(stateDir: string): void {
  rmSync(markIn(stateDir), { force: true })
}

/** Those who wait are told why, instead of waiting for nothing. */
export function startFailed(stateDir: string, reason: string): void {
  try {
    writeFileSync(markIn(stateDir), reason.replace(/\s+/g, ' ').slice(0, MAX_REASON_LENGTH), { mode: 0o600 })
  } catch {
    // Where nothing can be written, no process could have claimed the start.
  }
}

/** Still under way. */
export function startLasts(stateDir: string): void {
  const now = systemClock.now() / 1000
  try {
    utimesSync(markIn(stateDir), now, now)
  } catch {
    // Someone started it without a mark.
  }
}

/** Why the last start failed, if it failed just now. */
export function startFailure(stateDir: string): string | undefined {
  return read(markIn(stateDir)) || undefined
}

/** Why the last start failed, however long ago: no daemon has started since. */
export function lastStartFailure(stateDir: string): string | undefined {
  try {
    return readFileSync(markIn(stateDir), 'utf8').slice(0, MAX_REASON_LENGTH) || undefined
  } catch {
    return undefined
  }
}

const markIn = (stateDir: string): string => join(stateDir, 'daemon.start')

/** The text of a fresh mark; undefined when there is none or an old one. */
function read(mark: string): string | undefined {
  try {
    if (Math.abs(systemClock.now() - statSync(mark).mtimeMs) > FRESH_MS) return undefined
    return readFileSync(mark, 'utf8').slice(0, MAX_REASON_LENGTH)
  } catch {
    return undefined
  }
}

const codeOf = (cause: unknown): string =>
  cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown'
