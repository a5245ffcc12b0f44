import { describe, expect, it } from 'vitest'
import { Notifier } from '../../src/ask/notify.ts'
import { sampleAsk } from '../sample.ts'

const asks = (...numbers: number[]) =>
  numbers.map(number => sampleAsk({ id: `ask_0000000000000000000${number}` }))

describe('a window tells of open asks', () => {
  it('each once', () => {
    const notifier = new Notifier()
    expect(notifier.next(asks(1, 2), 'all', []).fresh).toHaveLength(2)
    expect(notifier.next(asks(1, 2), 'all', [])).toEqual({ fresh: [], more: 0 })
    expect(notifier.next(asks(1, 2, 3), 'all', []).fresh).toEqual(asks(3))
  })

  it('three at a time, and of the others in one', () => {
    const notifier = new Notifier()
    expect(notifier.next(asks(1, 2, 3, 4, 5), 'all', [])).toEqual({ fresh: asks(1, 2, 3), more: 2 })
    expect(notifier.next(asks(4, 5, 6), 'all', [])).toEqual({ fresh: asks(6), more: 0 })
  })

  it('of those in its own folders only, if so set, and of none when off', () => {
    const [here] = asks(1)
    const beside = sampleAsk({ id: 'ask_00000000000000000002', facts: { project: '/work/shop-2' } })
    const below = sampleAsk({ id: 'ask_00000000000000000003', facts: { project: '/work/shop/api' } })
    const nowhere = sampleAsk({ id: 'ask_00000000000000000004', facts: {} })
    const all = [here ?? sampleAsk(), beside, below, nowhere]
    expect(new Notifier().next(all, 'workspace', ['/work/shop']).fresh).toEqual([here, below, nowhere])
    expect(new Notifier().next(all, 'off', ['/work/shop'])).toEqual({ fresh: [], more: 0 })
  })
})
