import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { BatonError } from '@batonpass/contract/errors'
import Database from 'better-sqlite3'
import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import { openSqlite } from '../../src/store/sqlite.ts'
import { anEntry, aSession, sessionId } from '../world/journal.ts'
import { type Scratch, scratch } from '../world/scratch.ts'

const RECORDER = fileURLToPath(new URL('recorder.ts', import.meta.url))

let folder: Scratch
const file = () => {
  folder = scratch()
  return join(folder.path, 'state', 'journal.db')
}
afterEach(() => folder?.remove())

describe('a journal file', () => {
  test('belongs to its owner alone', async () => {
    const path = file()
    const store = await openSqlite(path)
    await store.record([anEntry('a')])
    const mode = (name: string) => statSync(name).mode & 0o777
    expect([mode(join(folder.path, 'state')), mode(path), mode(`${path}-wal`)]).toEqual([0o700, 0o600, 0o600])
    await store.close()
    chmodSync(path, 0o644)
    await (await openSqlite(path)).close()
    expect(mode(path)).toBe(0o600)
  })

  test('may be in memory only, and then leaves no file', async () => {
    const store = await openSqlite(':memory:')
    await store.record([anEntry('a')])
    expect((await store.stats()).entries).toBe(1)
    await store.close()
    expect(existsSync(':memory:')).toBe(false)
  })

  test('holds everything that was acknowledged when its writer is killed at any moment', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 400 }), async kills => {
        const path = file()
        const { child, acknowledged } = recorder(path, 'victim')
        const last = await acknowledged(seq => seq >= kills)
        child.kill('SIGKILL')
        await ended(child)
        const store = await openSqlite(path)
        const entries = await store.entries({ limit: 5000 })
        expect(entries.length).toBeGreaterThanOrEqual(last)
        expect(entries.map(entry => entry.seq)).toEqual(entries.map((_, index) => index + 1))
        expect((await store.stats()).entries).toBe(entries.length)
        await store.close()
        expect(integrity(path)).toBe('ok')
        folder.remove()
      }),
      { numRuns: 3 },
    )
  })

  test('is written by two processes at once without a loss', async () => {
    const path = file()
    const two = [recorder(path, 'one', 100), recorder(path, 'two', 100)]
    await Promise.all(two.map(({ child }) => ended(child)))
    const store = await openSqlite(path)
    const entries = await store.entries({ limit: 5000 })
    expect(entries.map(entry => entry.seq)).toEqual(Array.from({ length: 200 }, (_, index) => index + 1))
    await store.close()
    expect(integrity(path)).toBe('ok')
  })

  test('is opened by many at once when it does not exist yet', async () => {
    const path = file()
    const stores = await Promise.all(Array.from({ length: 5 }, () => openSqlite(path)))
    await Promise.all(stores.map(store => store.record([anEntry('a')])))
    expect((await stores[0]?.stats())?.entries).toBe(5)
    await Promise.all(stores.map(store => store.close()))
  })

  test('keeps what it has when the disk is full, and takes more once there is room', async () => {
    const path = file()
    const store = await openSqlite(path, { maxPages: 60 })
    let kept = 0
    const fill = async () => {
      for (; kept < 1000; kept++) await store.record([anEntry(noise(kept))], [aSession(kept)])
    }
    await expect(fill()).rejects.toMatchObject({
      code: 'disk_full',
      remedy: expect.stringContaining('journal.retain'),
    })
    expect(await store.entries({ limit: 5000 })).toHaveLength(kept)
    expect(await store.sessions({ limit: 5000 })).toHaveLength(kept)
    await store.prune({ olderThan: '2027-01-01T00:00:00.000Z' })
    await store.record([anEntry('there is room')])
    await store.close()
    expect(integrity(path)).toBe('ok')
  })

  test('that is damaged is refused with one clear error', async () => {
    const path = file()
    await (await openSqlite(path)).close()
    writeFileSync(path, 'this is no database '.repeat(500))
    const error = await openSqlite(path).catch((caught: unknown) => caught)
    expect(error).toBeInstanceOf(BatonError)
    expect(error).toMatchObject({ code: 'database_failed', remedy: expect.stringContaining('.damaged') })
  })

  test('damaged in the middle fails a read with one clear error', async () => {
    const path = file()
    const store = await openSqlite(path)
    for (let n = 0; n < 300; n++) await store.record([anEntry(noise(n))])
    await store.close()
    const bytes = readFileSync(path)
    bytes.fill(0x5a, 4096 * 2, 4096 * 30)
    writeFileSync(path, bytes)
    const read = async () => {
      const again = await openSqlite(path)
      await again.entries({ limit: 5000 }).finally(() => again.close())
    }
    await expect(read()).rejects.toMatchObject({ code: 'database_failed' })
  })

  test('written by a newer Baton is refused and left as it is', async () => {
    const path = file()
    await (await openSqlite(path)).close()
    const raw = new Database(path)
    raw.exec("insert into kysely_migration values ('9999_future', '2030')")
    raw.close()
    await expect(openSqlite(path)).rejects.toMatchObject({ code: 'database_newer' })
  })

  test('keeps no trace of a session that was forgotten', async () => {
    const path = file()
    const store = await openSqlite(path)
    const secret = 'tell-nobody-about-this'
    await store.record(
      [anEntry(secret), anEntry(`${secret} ${'x'.repeat(3000)}`)],
      [aSession(1, { cwd: `/${secret}` })],
    )
    await store.record([anEntry('stays', { session: sessionId(2) })])
    await store.forget(sessionId(1))
    for (const name of [path, `${path}-wal`]) {
      if (existsSync(name)) expect(readFileSync(name).includes(secret)).toBe(false)
    }
    await store.close()
  })

  test('becomes smaller after much was pruned', async () => {
    const path = file()
    const store = await openSqlite(path)
    for (let n = 0; n < 1000; n++) await store.record([anEntry(noise(n))])
    await store.prune({ maxBytes: 500_000 })
    await store.close()
    expect(statSync(path).size).toBeLessThan(900_000)
    expect(integrity(path)).toBe('ok')
  })

  test('reads bodies that gzip compressed, as on a Node without zstd', async () => {
    const { gzip, pack, unpack } = await import('../../src/store/compress-body.ts')
    const json = JSON.stringify({ words: 'many words '.repeat(1000) })
    expect(unpack(gzip(Buffer.from(json)))).toBe(json)
    expect(unpack(pack(json))).toBe(json)
    expect(pack(json).length).toBeLessThan(json.length / 10)
    expect(unpack(Buffer.from('{"a":1}'))).toBe('{"a":1}')
  })
})

// Text that does not compress, the same each time.
function noise(seed: number): string {
  let state = seed + 1
  return Array.from({ length: 1500 }, () => {
    state = (state * 48271) % 2147483647
    return (state % 36).toString(36)
  }).join('')
}

function integrity(path: string): unknown {
  const raw = new Database(path)
  try {
    return raw.pragma('integrity_check', { simple: true })
  } finally {
    raw.close()
  }
}

function recorder(path: string, name: string, count = 100_000) {
  const child = spawn(process.execPath, [RECORDER, path, name, String(count)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const acknowledged = async (enough: (seq: number) => boolean) => {
    let last = 0
    for await (const line of createInterface({ input: child.stdout })) {
      last = Number(line)
      if (enough(last)) break
    }
    return last
  }
  if (count < 100_000) child.stdout.resume()
  return { child, acknowledged }
}

function ended(child: ChildProcess): Promise<void> {
  return new Promise(resolve => {
    if (child.exitCode !== null || child.signalCode !== null) resolve()
    else child.once('exit', () => resolve())
  })
}
