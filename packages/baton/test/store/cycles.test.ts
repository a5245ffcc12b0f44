import { Cycle } from '@batonpass/contract/cycle'
import { describe, expect, it } from 'vitest'
import { openSqlite } from '../../src/store/sqlite.ts'
import { sessionId } from '../world/journal.ts'
import { scratch } from '../world/scratch.ts'

const cycle = (n: number, more: Partial<Cycle> = {}) =>
  Cycle.parse({
    id: `cyc_${String(n).padStart(20, '0')}`,
    version: 0,
    session: sessionId(n),
    nativeSession: `native-${n}`,
    agent: 'claude-code',
    project: '/p',
    place: '%1 /t',
    reason: 'context',
    step: 'due',
    startedAt: `2026-01-0${n}T00:00:00.000Z`,
    changedAt: `2026-01-0${n}T00:00:00.000Z`,
    ...more,
  })

describe('kept cycles', () => {
  it('are there for the next daemon until they end, and still listed then', async () => {
    const folder = scratch()
    const path = `${folder.path}/baton.db`
    const first = await openSqlite(path)
    expect(await first.cycles.put(cycle(1))).toBe(true)
    expect(await first.cycles.put(cycle(2))).toBe(true)
    expect(await first.cycles.put(cycle(2, { version: 1, step: 'done' }))).toBe(true)
    // Not closed: it was killed.
    const second = await openSqlite(path)
    expect(await second.cycles.open()).toEqual([cycle(1)])
    expect((await second.cycles.recent(10)).map(({ step }) => step)).toEqual(['done', 'due'])
    await first.close()
    await second.close()
    folder.remove()
  })

  it('are changed by one of two who change them at once', async () => {
    const store = await openSqlite(':memory:')
    await store.cycles.put(cycle(1))
    expect(await store.cycles.put(cycle(1))).toBe(false)
    expect(await store.cycles.put(cycle(1, { version: 1, step: 'writing' }))).toBe(true)
    expect(await store.cycles.put(cycle(1, { version: 1, step: 'cancelled' }))).toBe(false)
    expect(await store.cycles.put(cycle(1, { version: 3, step: 'cancelled' }))).toBe(false)
    expect(await store.cycles.open()).toMatchObject([{ step: 'writing', version: 1 }])
    await store.close()
  })

  it('are forgotten with a session on either side, and when they are old', async () => {
    const store = await openSqlite(':memory:')
    const successor = { session: sessionId(9), nativeSession: 'native-9' }
    await store.cycles.put(cycle(1))
    await store.cycles.put(cycle(1, { version: 1, step: 'done', successor }))
    await store.cycles.put(cycle(2))
    expect(await store.cycles.forget({ session: sessionId(9) })).toBe(1)
    expect(await store.cycles.forget({ before: '2027-01-01T00:00:00.000Z' })).toBe(0)
    expect(await store.cycles.recent(9)).toHaveLength(1)
    await store.close()
  })
})
