import { lstatSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { KnownFile } from '../../src/adapters/git/snapshot/cache.ts'
import type { Place } from '../../src/adapters/git/snapshot/place.ts'
import { scan } from '../../src/adapters/git/snapshot/scan.ts'
import { FACTS, LOOKUP_CHUNK, shareLookup } from '../../src/adapters/git/snapshot/stat-helper.ts'
import type { BytePath } from '../../src/ports/snapshots.ts'
import { gitRepo, scratch } from '../world/scratch.ts'

test('another thread finds the same as this one, and each file is taken once', async () => {
  const folder = scratch('stat-')
  try {
    mkdirSync(join(folder.path, 'in'))
    const paths = Array.from({ length: 1100 }, (_, i) => {
      const path = join(folder.path, `in/ä-${i}`)
      if (i % 10 > 0) writeFileSync(path, 'x'.repeat(i))
      return i % 2 > 0 ? path : Buffer.from(path)
    })
    // The first lookup starts no thread.
    const alone = shareLookup(paths)
    const parts: [number, number][] = []
    for (let part = alone.take(); part; part = alone.take()) parts.push([...part])
    expect(parts.flat()).toEqual(
      [...new Set(parts.flat())].sort((a, b) => a - b).flatMap(pairs(paths.length)),
    )
    expect(parts.some(([from]) => alone.found(from))).toBe(false)

    const shared = shareLookup(paths)
    const last = Math.floor((paths.length - 1) / LOOKUP_CHUNK) * LOOKUP_CHUNK
    // This thread takes nothing, so the other one does it all.
    await expect.poll(() => turn(shared.found(last) !== undefined), { timeout: 120_000 }).toBe(true)
    expect(shared.take()).toBeUndefined()
    paths.forEach((path, i) => {
      const found = lstatSync(path, { throwIfNoEntry: false })
      const numbers = found
        ? [found.ino, found.size, found.mtimeMs, found.ctimeMs, found.mode, found.dev]
        : [0, 0, 0, 0, 0, 0]
      const chunk = i - (i % LOOKUP_CHUNK)
      expect([...(shared.found(chunk)?.subarray(FACTS * i, FACTS * (i + 1)) ?? [])]).toEqual(numbers)
    })
  } finally {
    folder.remove()
  }
})

test('a scan on two threads notices every change', async () => {
  const repo = await gitRepo()
  try {
    for (let i = 0; i < 1100; i++) repo.write(`src/${i}`, `content ${i}`)
    const gitDir = join(repo.path, '.git')
    const place = { root: repo.path, gitDir, objectDir: join(gitDir, 'objects'), format: 'sha1' } as Place
    // As if long ago: no file counts as young.
    const sinceMs = lstatSync(gitDir).mtimeMs + 1_000_000
    const limits = { files: 10_000, fileBytes: 1_000_000 }
    const look = (known: ReadonlyMap<BytePath, KnownFile>) => {
      const stored: string[] = []
      const store = (bytes: Buffer) => void stored.push(bytes.toString())
      return scan(place, { known, names: undefined, limits, also: [], clock: { sinceMs }, store }).then(
        found => ({
          ...found,
          stored,
        }),
      )
    }
    let last = await look(new Map())
    expect(last.stored.length).toBeGreaterThanOrEqual(1100)
    for (const round of [1, 2, 3, 4, 5]) {
      const same = await look(last.files)
      expect([same.changed, same.stored]).toEqual([false, []])
      const changed = [0, 127, 128, 640, 1099].map(i => `src/${i}`)
      for (const name of changed) repo.write(name, `round ${round}`)
      rmSync(join(repo.path, `src/${200 + round}`))
      last = await look(same.files)
      expect(last.stored).toHaveLength(changed.length)
      expect(last.files.has(`src/${200 + round}` as BytePath)).toBe(false)
    }
  } finally {
    repo.remove()
  }
})

/** The borders of chunks, twice each but for the first and the last. */
const pairs = (length: number) => (at: number) => (at === 0 || at === length ? [at] : [at, at])
