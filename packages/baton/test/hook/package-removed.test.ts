import { expect, test } from 'vitest'
import { packageWatch } from '../../src/hook/package-removed.ts'

test('a daemon takes its package for removed only after two minutes without it', () => {
  let now = 0
  const clock = { now: () => now, elapsed: () => now }
  const pass = (ms: number) => {
    now += ms
  }
  let isThere = true
  const isRemoved = packageWatch(() => isThere, clock)
  pass(600_000)
  expect(isRemoved()).toBe(false)
  isThere = false
  expect(isRemoved()).toBe(false)
  pass(119_000)
  expect(isRemoved()).toBe(false)
  // An update has put the files back.
  isThere = true
  expect(isRemoved()).toBe(false)
  isThere = false
  pass(1000)
  expect(isRemoved()).toBe(false)
  pass(120_000)
  expect(isRemoved()).toBe(true)
})
