import { chmodSync, existsSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { claimStart, startDone, startFailed, startFailure, startLasts } from '../../src/hook/start-mark.ts'
import { type Scratch, scratch } from '../world/scratch.ts'

describe('the mark of a starting daemon', () => {
  let dir: Scratch
  let state: string
  beforeEach(() => {
    dir = scratch()
    state = join(dir.path, 'new/state')
  })
  afterEach(() => dir.remove())
  const age = (seconds: number) => {
    const then = Date.now() / 1000 - seconds
    utimesSync(join(state, 'daemon.start'), then, then)
  }

  test('is won by one alone, until the daemon is there', () => {
    expect(claimStart(state)).toBe('mine')
    expect(claimStart(state)).toBe('theirs')
    startDone(state)
    expect(claimStart(state)).toBe('mine')
  })

  test('tells those who wait why the start failed', () => {
    claimStart(state)
    startFailed(state, 'The disk is full.\nFree some space.')
    expect(claimStart(state)).toEqual({ failed: 'The disk is full. Free some space.' })
    expect(startFailure(state)).toBe('The disk is full. Free some space.')
  })

  test('counts for nothing when it is old, whatever it says', () => {
    claimStart(state)
    age(10)
    expect(claimStart(state)).toBe('mine')
    startFailed(state, 'no')
    age(10)
    expect(startFailure(state)).toBeUndefined()
    expect(claimStart(state)).toBe('mine')
    // A clock that was set back must not hold up anything.
    age(-3600)
    expect(claimStart(state)).toBe('mine')
  })

  test('lasts as long as the daemon says that it is under way', () => {
    claimStart(state)
    age(10)
    startLasts(state)
    expect(claimStart(state)).toBe('theirs')
  })

  test('is not waited for where nothing can be written', () => {
    dir.write('file', '')
    expect(claimStart(join(dir.path, 'file/state'))).toEqual({
      failed: expect.stringContaining('cannot be written'),
    })
    chmodSync(dir.path, 0o700)
    startFailed(join(dir.path, 'nowhere'), 'unheard')
    startLasts(join(dir.path, 'nowhere'))
    expect(existsSync(join(dir.path, 'nowhere'))).toBe(false)
  })
})
