import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type ClockOwner, deadFrom, MARGIN_MS, readClock } from '../../../src/adapters/git/lease.ts'

const DAY = 24 * 3_600_000
const ttl = fc.integer({ min: 5 * 60_000, max: 7 * DAY })
const at = fc.integer({ min: 1_700_000_000_000, max: 1_900_000_000_000 })

/** What one machine thinks of a lease that another renewed at `renewed`, at the true time `renewed + later`. */
function looksDead(world: {
  renewed: number
  later: number
  ttl: number
  holder: { off: number; offset?: number }
  reader: { off: number; offset?: number }
}): boolean {
  const { renewed, later, holder, reader } = world
  const wrote = readClock(renewed + holder.off, holder.offset)
  const read = readClock(renewed + later + reader.off, reader.offset)
  return deadFrom({ until: wrote.now + world.ttl, by: wrote.by }, read.by) < read.now
}

it('A holder that renews in time never looks dead by a difference of clocks within the margin; a silent one does at last', () => {
  const margin = MARGIN_MS.machine
  fc.assert(
    fc.property(at, ttl, fc.integer({ min: -margin, max: margin }), fc.nat(), (renewed, ttl, apart, some) => {
      const world = { renewed, ttl, holder: { off: 0 }, reader: { off: apart } }
      expect(looksDead({ ...world, later: some % ttl })).toBe(false)
      expect(looksDead({ ...world, later: ttl + 2 * margin + 1 })).toBe(true)
    }),
  )
})

it('Where the forge tells the time, machines may be off by days: its own error is all that counts', () => {
  const margin = MARGIN_MS.forge
  const off = fc.integer({ min: -30 * DAY, max: 30 * DAY })
  const error = fc.integer({ min: -margin / 2, max: margin / 2 })
  const machine = fc.record({ off, error }).map(({ off, error }) => ({ off, offset: error - off }))
  fc.assert(
    fc.property(at, ttl, machine, machine, fc.nat(), (renewed, ttl, holder, reader, some) => {
      const world = { renewed, ttl, holder, reader }
      expect(looksDead({ ...world, later: some % ttl })).toBe(false)
      expect(looksDead({ ...world, later: ttl + 2 * margin + 1 })).toBe(true)
    }),
  )
})

it('Times of different clocks are compared with the wider margin', () => {
  const until = 1_800_000_000_000
  const of = (by: ClockOwner, reader: ClockOwner) => deadFrom({ until, by }, reader) - until
  expect(of('forge', 'forge')).toBe(MARGIN_MS.forge)
  expect([of('forge', 'machine'), of('machine', 'forge'), of('machine', 'machine')]).toEqual(
    Array(3).fill(MARGIN_MS.machine),
  )
})
