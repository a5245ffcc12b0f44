import { Config } from '@batonpass/contract/config'
import type { AskedQuestion } from '@batonpass/contract/question'
import { describe, expect, it, test } from 'vitest'
import { PresenceKeeper } from '../../src/ask/presence.ts'
import type { Question } from '../../src/ask/question.ts'
import { type UnansweredPolicy, unansweredPolicy } from '../../src/ask/unanswered.ts'
import { settled } from '../world/time.ts'
import { askWorld, listChannel, sampleQuestion } from './sample.ts'

const never = new AbortController().signal
const MINUTES = 60_000
const database: AskedQuestion = {
  id: 'Which database?',
  kind: 'choice',
  text: 'Which database?',
  choices: [
    { value: 'Postgres (Recommended)', label: 'Postgres (Recommended)', recommended: true },
    { value: 'SQLite', label: 'SQLite' },
  ],
}
const asked = (more: Partial<Question> = {}): Question =>
  sampleQuestion('AskUserQuestion', {
    kind: 'question',
    title: 'Which database?',
    detail: '',
    questions: [database],
    ...more,
  })
const options = (policy: UnansweredPolicy | (() => UnansweredPolicy)) => ({
  signal: never,
  withinMs: 24 * 60 * MINUTES,
  unanswered: {
    afterMs: 30 * MINUTES,
    policy: async () => (typeof policy === 'function' ? policy() : policy),
  },
})

describe('which policy applies', () => {
  const settings = (unanswered: string) => Config.parse({ asks: { unanswered } }).asks
  test.each<[string, { unanswered?: UnansweredPolicy } | undefined, boolean, UnansweredPolicy]>([
    ['auto', undefined, false, 'wait'],
    ['auto', undefined, true, 'park'],
    ['auto', {}, false, 'park'],
    ['recommended', undefined, false, 'recommended'],
    ['wait', {}, true, 'wait'],
    ['wait', { unanswered: 'recommended' }, false, 'recommended'],
    ['auto', { unanswered: 'wait' }, true, 'wait'],
  ])('%s, in the workflow %o, away %s: %s', (unanswered, run, isAway, wanted) => {
    expect(unansweredPolicy(settings(unanswered), run, isAway)).toBe(wanted)
  })
  it('parks after 30 minutes by default', () => {
    expect(Config.parse({}).asks).toEqual({ unanswered: 'auto', after_minutes: 30 })
  })
})

describe('when no one answers', () => {
  it('takes what the agent recommends, and records that the policy did', async () => {
    await using world = await askWorld()
    const asks = await world.begin([listChannel('telegram')])
    const waiting = asks.ask(asked(), options('recommended'))
    await settled()
    await world.time.advance(30 * MINUTES - 1)
    expect(asks.open()).toHaveLength(1)
    await world.time.advance(1)
    expect(await waiting).toMatchObject({
      option: 'reply',
      by: { channel: 'policy', who: 'asks.unanswered: recommended' },
      ask: { answer: { replies: [{ question: 'Which database?', chosen: ['Postgres (Recommended)'] }] } },
    })
    expect(world.entries.at(-1)?.body).toMatchObject({
      what: 'answered',
      answer: { by: { channel: 'policy' } },
    })
    expect(world.time.waiting()).toBe(0)
  })

  test.each<[string, Partial<Question>]>([
    ['a plan', { kind: 'plan', attachments: [{ title: 'Plan', text: '# Plan' }] }],
    ['a permission', { kind: 'permission' }],
    ['a confirmation', { kind: 'confirm' }],
    [
      'a question without a recommendation',
      { questions: [{ ...database, choices: [{ value: 'a', label: 'A' }] }] },
    ],
  ])('never answers %s: it is parked', async (_, more) => {
    await using world = await askWorld()
    const asks = await world.begin([listChannel('telegram')])
    void asks.ask(asked(more), options('recommended'))
    await settled()
    await world.time.advance(31 * MINUTES)
    expect(asks.open()).toMatchObject([{ state: 'open', parkedAt: expect.any(String) }])
  })

  it('parks the ask once, tells every channel, and an answer still counts, also after a restart', async () => {
    await using world = await askWorld()
    const told: string[] = []
    const phone = {
      ...listChannel('telegram'),
      tell: async ({ text }: { text: string }) => told.push(text) > 0,
    }
    const asks = await world.begin([phone])
    void asks.ask(asked(), options('park'))
    await settled()
    await world.time.advance(90 * MINUTES)
    const [ask] = asks.open()
    expect(told).toEqual([
      expect.stringContaining(`no one answered within 30 minutes. Which database? (baton asks ${ask?.id})`),
    ])
    expect(world.entries.map(({ body }) => (body.kind === 'ask' ? body.what : ''))).toEqual([
      'opened',
      'parked',
    ])
    await asks.stop()

    const next = await world.begin([phone])
    const again = next.ask(asked(), options('park'))
    await settled()
    await world.time.advance(1)
    expect(told).toHaveLength(1)
    expect(next.open()).toEqual([ask])
    await next.answer(ask?.id ?? '', {
      option: 'reply',
      by: { channel: 'terminal', who: 'Ann' },
      replies: [{ question: 'Which database?', chosen: ['SQLite'] }],
    })
    expect(await again).toMatchObject({ result: 'answered', by: { who: 'Ann' } })
  })

  it('keeps waiting, and looks again in case the person goes away', async () => {
    await using world = await askWorld()
    const asks = await world.begin([listChannel('telegram')])
    let policy: UnansweredPolicy = 'wait'
    void asks.ask(
      asked(),
      options(() => policy),
    )
    await settled()
    await world.time.advance(40 * MINUTES)
    expect(asks.open()[0]?.parkedAt).toBeUndefined()
    policy = 'park'
    await world.time.advance(2 * MINUTES)
    expect(asks.open()[0]?.parkedAt).toBeDefined()
  })
})

it('a person who went away is away until they say that they are back, also after a restart', async () => {
  await using world = await askWorld()
  const keeper = () => new PresenceKeeper(world.store.asks.memory('presence'), world.time.clock)
  expect(await keeper().read()).toEqual({})
  const first = await keeper().change(true)
  await world.time.advance(5000)
  expect(await keeper().change(true)).toEqual(first)
  expect(first.awaySince).toBeDefined()
  expect(await keeper().change(false)).toEqual({})
  expect(await keeper().read()).toEqual({})
})
