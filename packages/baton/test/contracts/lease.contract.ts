import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { LeaseName, LeaseOwner, Leases } from '../../src/ports/lease.ts'

/** Several machines that share one keeper of leases. */
export interface LeaseWorld {
  /** A machine of its own: nothing is shared with others but the keeper. */
  machine(): Promise<{ leases: Leases; folder: string }>
  /** Lets time pass for the keeper, or for every machine. */
  pass(ms: number): Promise<void>
  close(): Promise<void>
}

const HOUR = 3_600_000
const TTL = 60_000

const owner = (name: string): LeaseOwner => ({
  claim: `clm_${name}`,
  agent: `${name}-1738000000`,
  host: `${name}.local`,
})

/** What every keeper of leases promises. */
export function leaseContract(title: string, open: () => Promise<LeaseWorld>): void {
  describe(title, () => {
    let world: LeaseWorld
    beforeEach(async () => {
      world = await open()
    })
    afterEach(() => world.close())

    const two = async () => {
      const [a, b] = [await world.machine(), await world.machine()]
      const at = (folder: string, issue = 42): LeaseName => ({
        repository: 'github.com/acme/app',
        issue,
        folder,
      })
      return {
        a: a.leases,
        b: b.leases,
        onA: at(a.folder),
        onB: at(b.folder),
        at,
        folders: [a.folder, b.folder],
      }
    }

    test('what one machine holds another cannot take, and sees who has it', async () => {
      const { a, b, onA, onB } = await two()
      expect(await a.find(onA)).toBeUndefined()
      const taken = await a.take(onA, owner('ann'), TTL)
      expect(taken.held).toBe(true)
      const refused = await b.take(onB, owner('bob'), TTL)
      expect(refused).toMatchObject({ held: false, by: { ...owner('ann'), issue: 42, dead: false } })
      expect(await b.find(onB)).toMatchObject(owner('ann'))
      expect(await b.list(onB)).toMatchObject([{ issue: 42, ...owner('ann') }])
    })

    test('the same claim may take its own again, as after a crash', async () => {
      const { a, b, onA, onB } = await two()
      const first = await a.take(onA, owner('ann'), TTL)
      const again = await b.take(onB, owner('ann'), TTL)
      expect(first.held && again.held && first.handle.token === again.handle.token).toBe(true)
      if (first.held) expect(await a.holds(onA, first.handle)).toBe(true)
    })

    test('of many that try at once exactly one gets it', async () => {
      const { a, b, onA, onB } = await two()
      const tries = Array.from({ length: 8 }, (_, i) =>
        i % 2 ? a.take(onA, owner(`n${i}`), TTL) : b.take(onB, owner(`n${i}`), TTL),
      )
      expect((await Promise.all(tries)).filter(({ held }) => held)).toHaveLength(1)
    })

    test('a lease that was not renewed is dead, stays with its holder, and can be taken over with a larger token', async () => {
      const { a, b, onA, onB } = await two()
      const first = await a.take(onA, owner('ann'), TTL)
      if (!first.held) throw new Error('not held')
      await world.pass(TTL + HOUR)
      const refused = await b.take(onB, owner('bob'), TTL)
      if (refused.held) throw new Error('taken from a dead one without takeOver')
      expect(refused.by.dead).toBe(true)
      // A holder that wakes up and finds its lease still there continues.
      expect(await a.holds(onA, first.handle)).toBe(true)
      const over = await b.takeOver(onB, owner('bob'), TTL, refused.by.token)
      if (!over.held) throw new Error('not taken over')
      expect(over.handle.token).toBeGreaterThan(first.handle.token)
      // The old holder wakes up too late: nothing of its counts any more.
      expect(await a.holds(onA, first.handle)).toBe(false)
      expect(await a.renew(onA, first.handle, TTL)).toBe(false)
      expect(await a.release(onA, first.handle)).toBe(false)
      expect(await b.find(onB)).toMatchObject({ ...owner('bob'), dead: false })
    })

    test('of two that take over the same dead one, one gets it', async () => {
      const { a, b, onA, onB } = await two()
      await a.take(onA, owner('ann'), TTL)
      await world.pass(TTL + HOUR)
      const seen = (await a.find(onA))?.token ?? 0
      const both = await Promise.all([
        a.takeOver(onA, owner('cid'), TTL, seen),
        b.takeOver(onB, owner('dan'), TTL, seen),
      ])
      expect(both.filter(({ held }) => held)).toHaveLength(1)
    })

    test('renewing keeps it alive', async () => {
      const { a, b, onA, onB } = await two()
      const taken = await a.take(onA, owner('ann'), TTL)
      if (!taken.held) throw new Error('not held')
      await world.pass(TTL / 2)
      expect(await a.renew(onA, taken.handle, TTL + HOUR)).toBe(true)
      await world.pass(TTL)
      expect(await b.find(onB)).toMatchObject({ ...owner('ann'), dead: false })
      expect(await a.holds(onA, taken.handle)).toBe(true)
    })

    test('what was released is free at once, and the next holder’s token is larger', async () => {
      const { a, b, onA, onB } = await two()
      const first = await a.take(onA, owner('ann'), TTL)
      if (!first.held) throw new Error('not held')
      expect(await a.release(onA, first.handle)).toBe(true)
      expect(await a.release(onA, first.handle)).toBe(false)
      expect(await a.holds(onA, first.handle)).toBe(false)
      expect(await b.find(onB)).toBeUndefined()
      await world.pass(5)
      const next = await b.take(onB, owner('bob'), TTL)
      expect(next.held && next.handle.token > first.handle.token).toBe(true)
    })

    test('issues are held one by one', async () => {
      const { a, b, at, folders } = await two()
      const [fa = '', fb = ''] = folders
      expect((await a.take(at(fa, 1), owner('ann'), TTL)).held).toBe(true)
      expect((await b.take(at(fb, 2), owner('bob'), TTL)).held).toBe(true)
      expect(
        (await b.list({ repository: 'github.com/acme/app', folder: fb })).map(({ issue }) => issue),
      ).toEqual([1, 2])
    })
  })
}
