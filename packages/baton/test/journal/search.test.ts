import { describe, expect, test } from 'vitest'
import { systemClock } from '../../src/adapters/system/clock.ts'
import { searchJournal } from '../../src/journal/search.ts'
import { slimEntry } from '../../src/journal/slim.ts'
import { openSqlite } from '../../src/store/sqlite.ts'
import { anEntry, at } from '../world/journal.ts'

describe('a search in the journal', () => {
  test('finds all words in any case, newest first, and continues where it stopped', async () => {
    const store = await openSqlite(':memory:')
    for (let n = 0; n < 500; n++)
      await store.record([anEntry(n % 100 === 0 ? `The Needle in ${n}` : `hay ${n}`, { at: at(n) })])
    const look = (q: string, before?: number, limit = 2) =>
      searchJournal({ q, limit, ...(before ? { before } : {}) }, store, systemClock)
    const first = await look('needle THE')
    expect(first.entries.map(({ seq }) => seq)).toEqual([401, 301])
    const rest = await look('needle', first.next, 50)
    expect(rest.entries.map(({ seq }) => seq)).toEqual([201, 101, 1])
    expect(rest.next).toBeUndefined()
    expect((await look('needle hay')).entries).toEqual([])
    // Names of fields are not what a person looks for.
    expect((await look('nativeSession')).entries).toEqual([])
    await store.close()
  })

  test('gives long texts cut, and leaves short ones alone', () => {
    const long = { ...anEntry('x'.repeat(5000)), seq: 1 }
    expect(JSON.stringify(slimEntry(long)).length).toBeLessThan(1500)
    const short = { ...anEntry('short'), seq: 1 }
    expect(slimEntry(short)).toEqual(short)
  })
})
