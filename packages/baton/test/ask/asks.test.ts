import { outcomeLabel } from '@batonpass/contract/labels'
import { describe, expect, it } from 'vitest'
import { decisionOf } from '../../src/ask/ask-outcome.ts'
import { fingerprintOf } from '../../src/ask/fingerprint.ts'
import { settled } from '../world/time.ts'
import { askWorld, listChannel, SESSION, sampleQuestion } from './sample.ts'

const never = new AbortController().signal
const ann = { channel: 'terminal', who: 'Ann' }
const bob = { channel: 'telegram', who: 'Bob' }
const MINUTE = { signal: never, withinMs: 60_000 }

describe('always allow', () => {
  const rules = { project: { command: 'make deploy', folder: '.' } }

  it('adds the rule before the answer counts, and says where it is', async () => {
    await using world = await askWorld()
    const added: string[] = []
    const addRule = async (_: unknown, scope: string) => {
      added.push(scope)
      return { file: '~/.baton.yaml', rule: '"make deploy"' }
    }
    const asks = await world.begin([listChannel('x')], { addRule })
    const waiting = asks.ask(sampleQuestion('make deploy', { rules }), MINUTE)
    await settled()
    const [ask] = asks.open()
    expect(ask?.options).toEqual(['allow-once', 'allow-session', 'allow-project', 'deny', 'deny-with-reason'])
    expect((await asks.answer(ask?.id ?? '', { option: 'allow-everywhere', by: ann })).verdict).toBe(
      'not-offered',
    )
    expect(added).toEqual([])
    const both = await Promise.all(
      [ann, bob].map(by => asks.answer(ask?.id ?? '', { option: 'allow-project', by })),
    )
    expect(both.map(({ verdict }) => verdict)).toEqual(['taken', 'closed'])
    expect(added).toEqual(['project'])
    expect(decisionOf(await waiting, 'ask')).toMatchObject({ decision: 'allow' })
    expect(both[0]?.ask && outcomeLabel(both[0].ask)).toBe(
      'Always allowed in this project: added "make deploy" to ~/.baton.yaml',
    )
  })

  it('allows for the session, and says so, if the rule cannot be added', async () => {
    await using world = await askWorld()
    const asks = await world.begin([listChannel('x')], {
      addRule: () => Promise.reject(new Error('Your settings file is not valid.')),
    })
    const question = sampleQuestion('make deploy', { rules })
    const waiting = asks.ask(question, MINUTE)
    await settled()
    const { ask } = await asks.answer(asks.open()[0]?.id ?? '', { option: 'allow-project', by: ann })
    expect(decisionOf(await waiting, 'ask')).toMatchObject({ decision: 'allow' })
    expect(ask && outcomeLabel(ask)).toContain('only for this session')
    expect(await asks.remembered(question.fingerprint)).toBe(true)
    expect(world.faults).toMatchObject([expect.stringContaining('not valid')])
  })

  it('is not offered without a rule', async () => {
    await using world = await askWorld()
    const asks = await world.begin([listChannel('x')])
    void asks.ask(sampleQuestion('make deploy'), MINUTE)
    await settled()
    const { id = '' } = asks.open()[0] ?? {}
    expect((await asks.answer(id, { option: 'allow-project', by: ann })).verdict).toBe('not-offered')
  })
})

describe('asking', () => {
  it('shows the question on every channel and gives the first answer', async () => {
    await using world = await askWorld()
    const phone = listChannel('telegram')
    const desk = listChannel('dashboard')
    const asks = await world.begin([phone, desk])
    const waiting = asks.ask(sampleQuestion('make deploy'), MINUTE)
    await settled()
    const [ask] = asks.open()
    expect(phone.shown).toEqual([ask])
    expect(desk.shown).toEqual([ask])

    const both = await Promise.all([
      asks.answer(ask?.id ?? '', { option: 'allow-once', by: bob }),
      asks.answer(ask?.id ?? '', { option: 'deny', by: ann }),
    ])
    expect(both.map(answered => answered.verdict)).toEqual(['taken', 'closed'])
    expect(both[1].ask?.answer?.by).toEqual(bob)
    expect(await waiting).toMatchObject({ result: 'answered', option: 'allow-once', by: bob })
    expect(asks.open()).toEqual([])
    await settled()
    expect(phone.settled).toMatchObject([{ state: 'answered' }])
    expect(desk.settled).toMatchObject([{ state: 'answered' }])
    expect(world.entries.map(entry => entry.body)).toMatchObject([
      { kind: 'ask', what: 'opened', detail: 'make deploy' },
      { kind: 'ask', what: 'answered', answer: { option: 'allow-once', by: bob } },
    ])
    expect(world.time.waiting()).toBe(0)
  })

  it('stores the answer before the answerer and the waiter receive it', async () => {
    await using world = await askWorld()
    const order: string[] = []
    const store = {
      ...world.store.asks,
      settle: async (...args: Parameters<typeof world.store.asks.settle>) => {
        await settled()
        order.push('kept')
        return world.store.asks.settle(...args)
      },
    }
    const asks = await world.begin([listChannel('telegram')], { store })
    const waiting = asks.ask(sampleQuestion('make'), MINUTE).then(() => order.push('released'))
    await settled()
    await asks
      .answer(asks.open()[0]?.id ?? '', { option: 'deny', by: ann })
      .then(() => order.push('acknowledged'))
    await waiting
    expect(order[0]).toBe('kept')
  })

  it('does not count an answer that could not be kept, and takes it when asked again', async () => {
    await using world = await askWorld()
    let full = true
    const store = {
      ...world.store.asks,
      settle: (...args: Parameters<typeof world.store.asks.settle>) =>
        full ? Promise.reject(new Error('disk full')) : world.store.asks.settle(...args),
    }
    const asks = await world.begin([listChannel('telegram')], { store })
    const waiting = asks.ask(sampleQuestion('make'), MINUTE)
    await settled()
    const id = asks.open()[0]?.id ?? ''
    await expect(asks.answer(id, { option: 'allow-once', by: ann })).rejects.toThrow('disk full')
    expect(asks.open()).toHaveLength(1)
    full = false
    expect((await asks.answer(id, { option: 'allow-once', by: ann })).verdict).toBe('taken')
    expect((await waiting).result).toBe('answered')
  })

  it('lets the waiter go at the time limit even when the disk is full', async () => {
    await using world = await askWorld()
    const store = { ...world.store.asks, settle: () => Promise.reject(new Error('disk full')) }
    const asks = await world.begin([listChannel('telegram')], { store })
    const waiting = asks.ask(sampleQuestion('make'), MINUTE)
    await world.time.advance(60_000)
    expect((await waiting).result).toBe('timed-out')
    expect(world.faults).toHaveLength(1)
  })

  it('times out, tells the channels, and refuses a late answer', async () => {
    await using world = await askWorld()
    const phone = listChannel('telegram')
    const asks = await world.begin([phone])
    const waiting = asks.ask(sampleQuestion('make'), MINUTE)
    await world.time.advance(59_999)
    const id = asks.open()[0]?.id ?? ''
    await world.time.advance(1)
    const outcome = await waiting
    expect(outcome.result).toBe('timed-out')
    expect(decisionOf(outcome, 'deny').decision).toBe('deny')
    expect(decisionOf(outcome, 'ask').decision).toBe('ask')
    expect(phone.settled).toMatchObject([{ state: 'timed-out' }])
    expect(await asks.answer(id, { option: 'allow-once', by: bob })).toMatchObject({
      verdict: 'closed',
      ask: { state: 'timed-out' },
    })
  })

  it('does not take an answer given after the time when the machine slept through its timer', async () => {
    await using world = await askWorld()
    const asks = await world.begin([listChannel('telegram')])
    const waiting = asks.ask(sampleQuestion('make'), MINUTE)
    await settled()
    world.time.jump(3_600_000)
    expect((await asks.answer(asks.open()[0]?.id ?? '', { option: 'allow-once', by: bob })).verdict).toBe(
      'expired',
    )
    expect((await waiting).result).toBe('timed-out')
  })

  it('refuses an answer to something else than what is asked', async () => {
    await using world = await askWorld()
    const asks = await world.begin([listChannel('telegram')])
    void asks.ask(sampleQuestion('ls'), MINUTE)
    await settled()
    const other = sampleQuestion('rm -rf /').fingerprint
    const id = asks.open()[0]?.id ?? ''
    expect((await asks.answer(id, { option: 'allow-once', by: bob, fingerprint: other })).verdict).toBe(
      'another',
    )
    expect((await asks.answer('ask_nosuchnosuchnosuch0', { option: 'allow-once', by: bob })).verdict).toBe(
      'unknown',
    )
    expect(asks.open()).toHaveLength(1)
  })
})

describe('a waiter that goes away', () => {
  it('has its question withdrawn after the grace, and the channels told', async () => {
    await using world = await askWorld()
    const phone = listChannel('telegram')
    const asks = await world.begin([phone])
    const hook = new AbortController()
    const waiting = asks.ask(sampleQuestion('make'), { signal: hook.signal, withinMs: 60_000 })
    await settled()
    hook.abort()
    expect((await waiting).result).toBe('withdrawn')
    expect(asks.open()).toHaveLength(1)
    await world.time.advance(2000)
    expect(asks.open()).toEqual([])
    expect(phone.settled).toMatchObject([{ state: 'withdrawn', withdrawn: 'waiter-gone' }])
  })

  it('finds its question again when it comes back within the grace', async () => {
    await using world = await askWorld()
    const phone = listChannel('telegram')
    const asks = await world.begin([phone])
    const hook = new AbortController()
    void asks.ask(sampleQuestion('make'), { signal: hook.signal, withinMs: 60_000 })
    await settled()
    hook.abort()
    const again = asks.ask(sampleQuestion('make'), MINUTE)
    await world.time.advance(10_000)
    expect(asks.open()).toHaveLength(1)
    expect(phone.shown).toHaveLength(1)
    await asks.answer(asks.open()[0]?.id ?? '', {
      option: 'deny-with-reason',
      reason: ' not on Fridays ',
      by: bob,
    })
    expect(decisionOf(await again, 'ask')).toEqual({
      decision: 'deny',
      reason: 'Denied by Bob (telegram): not on Fridays',
    })
  })

  it('shares one question with another waiter for the same call', async () => {
    await using world = await askWorld()
    const phone = listChannel('telegram')
    const asks = await world.begin([phone])
    const waiting = [asks.ask(sampleQuestion('make'), MINUTE), asks.ask(sampleQuestion('make'), MINUTE)]
    await settled()
    expect(phone.shown).toHaveLength(1)
    await asks.answer(asks.open()[0]?.id ?? '', { option: 'allow-once', by: bob })
    expect((await Promise.all(waiting)).map(outcome => outcome.result)).toEqual(['answered', 'answered'])
  })

  it('asks again for another call of the same command', async () => {
    await using world = await askWorld()
    const phone = listChannel('telegram')
    const asks = await world.begin([phone])
    const first = asks.ask(sampleQuestion('make', { key: 'evt_1' }), MINUTE)
    await settled()
    await asks.answer(asks.open()[0]?.id ?? '', { option: 'allow-once', by: bob })
    await first
    void asks.ask(sampleQuestion('make', { key: 'evt_2' }), MINUTE)
    await settled()
    expect(phone.shown).toHaveLength(2)
  })
})

describe('a restart of the daemon', () => {
  it('leaves the question open, and the waiter that comes back gets its answer', async () => {
    await using world = await askWorld()
    const before = await world.begin([listChannel('telegram')])
    const hook = new AbortController()
    void before.ask(sampleQuestion('make'), { signal: hook.signal, withinMs: 600_000 })
    await settled()
    const id = before.open()[0]?.id
    await before.stop()
    hook.abort()
    await world.time.advance(5000)

    const phone = listChannel('telegram')
    const after = await world.begin([phone])
    expect(after.open().map(ask => ask.id)).toEqual([id])
    await world.time.advance(10_000)
    const waiting = after.ask(sampleQuestion('make'), MINUTE)
    await world.time.advance(100_000)
    expect((await after.answer(id ?? '', { option: 'allow-once', by: bob })).verdict).toBe('taken')
    expect((await waiting).result).toBe('answered')
  })

  it('keeps an answer that came before the waiter was back', async () => {
    await using world = await askWorld()
    const before = await world.begin([listChannel('telegram')])
    void before.ask(sampleQuestion('make'), MINUTE)
    await settled()
    await before.stop()
    const after = await world.begin([listChannel('telegram')])
    await after.answer(after.open()[0]?.id ?? '', { option: 'allow-once', by: bob })
    expect(await after.ask(sampleQuestion('make'), MINUTE)).toMatchObject({ result: 'answered', by: bob })
  })

  it('withdraws a question whose waiter does not come back, and times out one whose time is over', async () => {
    await using world = await askWorld()
    const before = await world.begin([listChannel('telegram')])
    void before.ask(sampleQuestion('make'), { signal: never, withinMs: 600_000 })
    void before.ask(sampleQuestion('make short'), { signal: never, withinMs: 10_000 })
    await settled()
    await before.stop()
    await world.time.advance(20_000)
    const phone = listChannel('telegram')
    const after = await world.begin([phone])
    await world.time.advance(0)
    expect(phone.settled).toMatchObject([{ detail: 'make short', state: 'timed-out' }])
    await world.time.advance(30_000)
    expect(phone.settled[1]).toMatchObject({ detail: 'make', state: 'withdrawn' })
    expect(after.open()).toEqual([])
  })
})

describe('channels', () => {
  it('that fail or are not set up leave the question to the others', async () => {
    await using world = await askWorld()
    const broken = listChannel('broken', () => Promise.reject(new Error('no network')))
    const absent = listChannel('absent', async () => false)
    const desk = listChannel('dashboard')
    const asks = await world.begin([broken, absent, desk])
    const waiting = asks.ask(sampleQuestion('make'), MINUTE)
    await settled()
    expect(world.faults).toEqual(['asking by broken: no network'])
    await asks.answer(asks.open()[0]?.id ?? '', { option: 'allow-once', by: ann })
    expect((await waiting).result).toBe('answered')
  })

  it('when none reaches a person, give the question back to the agent’s own dialog at once', async () => {
    await using world = await askWorld()
    for (const channels of [[], [listChannel('broken', () => Promise.reject(new Error('no network')))]]) {
      const asks = await world.begin(channels)
      const outcome = await asks.ask(sampleQuestion('make'), MINUTE)
      expect(outcome.result).toBe('unreachable')
      expect(decisionOf(outcome, 'deny').decision).toBe('ask')
      expect(asks.open()).toEqual([])
    }
  })

  it('need not reach anybody for a question that is seen elsewhere too', async () => {
    await using world = await askWorld()
    const asks = await world.begin([])
    const waiting = asks.ask(sampleQuestion('make'), { ...MINUTE, unreached: 'wait' })
    await settled()
    await asks.answer(asks.open()[0]?.id ?? '', { option: 'allow-once', by: ann })
    expect((await waiting).result).toBe('answered')
  })

  it('that are lost while waiting let the question go when they were the last', async () => {
    await using world = await askWorld()
    const phone = listChannel('telegram')
    const desk = listChannel('dashboard')
    const asks = await world.begin([phone, desk])
    const waiting = asks.ask(sampleQuestion('make'), MINUTE)
    await settled()
    const ids = asks.open().map(ask => ask.id)
    phone.answering().lost('telegram', ids)
    await settled()
    expect(asks.open()).toHaveLength(1)
    desk.answering().lost('dashboard', ids)
    expect((await waiting).result).toBe('unreachable')
  })
})

describe('allowing for the session', () => {
  it('holds for exactly that tool, input, folder and session, also after a restart', async () => {
    await using world = await askWorld()
    const asks = await world.begin([listChannel('telegram')])
    void asks.ask(sampleQuestion('make'), MINUTE)
    await settled()
    await asks.answer(asks.open()[0]?.id ?? '', { option: 'allow-session', by: bob })
    const after = await world.begin([])
    const asked = { session: SESSION, tool: 'Bash', input: { command: 'make' }, cwd: '/work' }
    expect(await after.remembered(fingerprintOf(asked))).toBe(true)
    for (const other of [
      { ...asked, session: 'ses_other' },
      { ...asked, tool: 'Shell' },
      { ...asked, input: { command: 'make all' } },
      { ...asked, cwd: '/elsewhere' },
      { ...asked, cwd: undefined },
    ])
      expect(await after.remembered(fingerprintOf(other))).toBe(false)
    expect(await world.store.asks.forget({ session: SESSION })).toBe(1)
    expect(await after.remembered(fingerprintOf(asked))).toBe(false)
  })

  it('is not what allowing once means', async () => {
    await using world = await askWorld()
    const asks = await world.begin([listChannel('telegram')])
    void asks.ask(sampleQuestion('make'), MINUTE)
    await settled()
    await asks.answer(asks.open()[0]?.id ?? '', { option: 'allow-once', by: bob })
    expect(await asks.remembered(sampleQuestion('make').fingerprint)).toBe(false)
  })
})

describe('a fingerprint', () => {
  it('does not depend on the order of keys, and never joins two fields into one', () => {
    const asked = { session: 's', tool: 'T', cwd: '/a' }
    expect(fingerprintOf({ ...asked, input: { a: 1, b: { c: 2, d: 3 } } })).toBe(
      fingerprintOf({ ...asked, input: { b: { d: 3, c: 2 }, a: 1 } }),
    )
    expect(fingerprintOf({ ...asked, session: 'sT', tool: '', input: 1 })).not.toBe(
      fingerprintOf({ ...asked, input: 1 }),
    )
    expect(fingerprintOf({ ...asked, input: JSON.parse('{"__proto__": 1}') })).not.toBe(
      fingerprintOf({ ...asked, input: {} }),
    )
  })
})
