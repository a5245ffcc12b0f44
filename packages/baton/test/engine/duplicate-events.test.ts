import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DuplicateEvents } from '../../src/engine/duplicate-events.ts'

const SOURCES = ['plugin', 'user', 'project'] as const
type Source = (typeof SOURCES)[number]
const told = (source: Source, now = 0, fingerprint = 'f', request?: string) => ({
  source,
  now,
  fingerprint,
  request,
})

describe('echoes', () => {
  it('count as many events as the source that told most, in whatever order they tell', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...SOURCES), { maxLength: 20 }), tellings => {
        const echoes = new DuplicateEvents()
        const events = tellings.filter(source => !echoes.isDuplicate(told(source))).length
        const most = Math.max(0, ...SOURCES.map(source => tellings.filter(one => one === source).length))
        expect(events).toBe(most)
      }),
    )
  })

  it('never take the words of one source for an echo of itself', () => {
    fc.assert(
      fc.property(fc.nat({ max: 20 }), times => {
        const echoes = new DuplicateEvents()
        for (let i = 0; i < times; i++) expect(echoes.isDuplicate(told('user', i))).toBe(false)
      }),
    )
  })

  it('tell different events apart', () => {
    const echoes = new DuplicateEvents()
    expect(echoes.isDuplicate(told('user', 0, 'one'))).toBe(false)
    expect(echoes.isDuplicate(told('plugin', 0, 'two'))).toBe(false)
  })

  it('say the same to a call that is repeated, however often', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ source: fc.constantFrom(...SOURCES), request: fc.nat(4) }), { maxLength: 20 }),
        calls => {
          const echoes = new DuplicateEvents()
          const said = new Map<string, boolean>()
          for (const { source, request } of calls) {
            const name = `${source}-${request}`
            const echo = echoes.isDuplicate(told(source, 0, 'f', name))
            expect(said.get(name) ?? echo).toBe(echo)
            said.set(name, echo)
          }
        },
      ),
    )
  })

  it('are forgotten a minute after the last telling', () => {
    const echoes = new DuplicateEvents()
    echoes.isDuplicate(told('user', 0))
    expect(echoes.isDuplicate(told('plugin', 59_000))).toBe(true)
    expect(echoes.isDuplicate(told('project', 59_000 + 60_000))).toBe(false)
  })

  it('hold a bounded number of events, under a flood within one moment and over time', () => {
    const echoes = new DuplicateEvents()
    for (let i = 0; i < 25_000; i++) echoes.isDuplicate(told('user', 0, `flood ${i}`))
    expect(echoes.size).toBe(4000)
    for (let i = 0; i < 500; i++) echoes.isDuplicate(told('user', 100_000 + i * 1000, `slow ${i}`))
    expect(echoes.size).toBeLessThan(130)
  })
})
