import { Ask } from '@batonpass/contract/ask'
import { describe, expect, it } from 'vitest'
import { PageChannel } from '../../src/ask/page-channel.ts'
import type { AnswerHandler } from '../../src/ports/channel.ts'
import type { Timers } from '../../src/ports/timers.ts'

const ask = (id: string, project = '/work/a'): Ask =>
  Ask.parse({
    id: `ask_${id.padEnd(20, '0')}`,
    kind: 'permission',
    title: 'May it?',
    detail: 'make',
    facts: { project },
    key: id,
    fingerprint: 'a'.repeat(64),
    options: ['allow-once', 'deny'],
    createdAt: '2026-01-01T00:00:00.000Z',
    expiresAt: '2026-01-01T00:01:00.000Z',
    state: 'open',
  })

async function channel() {
  const due = new Set<() => void>()
  const timers: Timers = {
    after: (_, run) => {
      due.add(run)
      return () => void due.delete(run)
    },
  }
  const lost: string[][] = []
  const answering: AnswerHandler = {
    answer: async () => ({ verdict: 'unknown', ask: undefined }),
    find: async () => undefined,
    lost: (_, ids) => void lost.push([...ids]),
  }
  const pages = new PageChannel(timers)
  await pages.start(answering)
  const timePasses = () => {
    for (const run of due) {
      due.delete(run)
      run()
    }
  }
  return { pages, lost, timePasses }
}

describe('an open page', () => {
  it('reaches a person while it is open, and for a moment after', async () => {
    const { pages, lost, timePasses } = await channel()
    expect(await pages.show(ask('a'))).toBe(false)
    const leave = pages.arrive()
    expect(await pages.show(ask('a'))).toBe(true)
    leave()
    leave()
    expect(await pages.show(ask('a'))).toBe(true)
    timePasses()
    expect(await pages.show(ask('a'))).toBe(false)
    expect(lost).toEqual([[ask('a').id]])
  })

  it('that comes back in time was never away', async () => {
    const { pages, lost, timePasses } = await channel()
    const leave = pages.arrive()
    await pages.show(ask('a'))
    leave()
    pages.arrive()
    timePasses()
    expect(lost).toEqual([])
    expect(await pages.show(ask('a'))).toBe(true)
  })

  it('that shows only its own projects does not reach a person about others', async () => {
    const { pages, lost, timePasses } = await channel()
    const leave = pages.arrive(({ facts }) => facts.project === '/work/a')
    pages.arrive(({ facts }) => facts.project === '/work/b')
    expect(await pages.show(ask('a', '/work/a'))).toBe(true)
    expect(await pages.show(ask('b', '/work/b'))).toBe(true)
    expect(await pages.show(ask('c', '/work/c'))).toBe(false)
    leave()
    timePasses()
    expect(lost).toEqual([[ask('a').id]])
  })

  it('is not told about an ask that is settled', async () => {
    const { pages, lost, timePasses } = await channel()
    const leave = pages.arrive()
    await pages.show(ask('a'))
    await pages.settle(ask('a'))
    leave()
    timePasses()
    expect(lost).toEqual([])
  })
})
