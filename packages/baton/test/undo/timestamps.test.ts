import { lstatSync } from 'node:fs'
import { expect, test } from 'vitest'
import { fileClock, isYoung } from '../../src/adapters/git/snapshot/timestamps.ts'
import { scratch } from '../world/scratch.ts'

const NOW = 1_800_000_000_000.5
const file = (ago: number, more: { mtimeMs?: number; ctimeMs?: number; dev?: number } = {}) => ({
  mtimeMs: NOW - ago,
  ctimeMs: NOW - ago,
  dev: 1,
  ...more,
})

test.each<[string, boolean, ReturnType<typeof file>, number | undefined]>([
  ['50 ms ago', true, file(50), 1],
  ['150 ms ago, with an exact clock', false, file(150), 1],
  ['150 ms ago, with an unknown clock', true, file(150), undefined],
  ['150 ms ago, on another device', true, file(150, { dev: 2 }), 1],
  [
    'a whole second, which an exact clock hardly ever shows',
    true,
    file(0, { mtimeMs: 0, ctimeMs: 1_799_999_999_000 }),
    1,
  ],
  [
    'three seconds ago, without fractions',
    false,
    file(0, { mtimeMs: 0, ctimeMs: 1_799_999_997_000 }),
    undefined,
  ],
  ['content set to long ago, but changed now', true, file(0, { mtimeMs: 0 }), 1],
  ['content set to the future', true, file(5000, { mtimeMs: NOW + 5000 }), 1],
])('a file that changed %s: read again %s', (_, young, found, device) => {
  expect(isYoung(found, { sinceMs: NOW, device })).toBe(young)
})

test('a clock is exact only if the worktree and the state folder both use the kernel’s', () => {
  const folder = scratch('ts-')
  expect(fileClock('/proc/self', folder.path, NOW).device).toBeUndefined()
  expect(fileClock(folder.path, '/proc/self', NOW).device).toBeUndefined()
  expect([undefined, lstatSync(folder.path).dev]).toContain(fileClock(folder.path, folder.path, NOW).device)
  folder.remove()
})
