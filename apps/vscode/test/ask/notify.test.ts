import { describe, expect, it } from 'vitest'
import { Notifier } from '../../src/ask/notify.ts'
import { sampleAsk } from '../sample.ts'

const asks = (...numbers: number[]) =>
  numbers.map(number => sampleAsk({ id: `ask_0000000000000000000${number}` }))

describe('a window shows open asks', () => {
  it('shows each ask once', () => {
    const notifier = new Notifier()
    expect(notifier.next(asks(1, 2), 'all', []).fresh).toHaveLength(2)
    expect(notifier.next(asks(1, 2), 'all', [])).toEqual({ fresh: [], more: 0 })
    expect(notifier.next(asks(1, 2, 3), 'all', []).fresh).toEqual(asks(3))
  })

  it('shows three at a time, and the others in one summary', () => {
    const notifier = new Notifier()
    expect(notifier.next(asks(1, 2, 3, 4, 5), 'all', [])).toEqual({ fresh: asks(1, 2, 3), more: 2 })
    expect(notifier.next(asks(4, 5, 6), 'all', [])).toEqual({ fresh: asks(6), more: 0 })
  })

  it('shows only asks of its own folders if configured, and none if off', () => {
    const [here] = asks(1)
    const sibling = sampleAsk({ id: 'ask_00000000000000000002', facts: { project: '/work/shop-2' } })
    const below = sampleAsk({ id: 'ask_00000000000000000003', facts: { project: '/work/shop/api' } })
    const nowhere = sampleAsk({ id: 'ask_00000000000000000004', facts: {} })
    const all = [here ?? sampleAsk(), sibling, below, nowhere]
    expect(new Notifier().next(all, 'workspace', ['/work/shop']).fresh).toEqual([here, below, nowhere])
    expect(new Notifier().next(all, 'off', ['/work/shop'])).toEqual({ fresh: [], more: 0 })
  })
})
