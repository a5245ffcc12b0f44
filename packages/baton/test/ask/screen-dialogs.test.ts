import type { Session } from '@batonpass/contract/session'
import { expect, it } from 'vitest'
import type { Asks } from '../../src/ask/asks.ts'
import { type IdleScreen, ScreenDialogs, type SeenDialog } from '../../src/ask/screen-dialogs.ts'
import type { ChooseResult } from '../../src/ports/driver.ts'
import { aSession } from '../world/journal.ts'
import { settled } from '../world/time.ts'
import { type AskWorld, askWorld, listChannel, sampleQuestion } from './sample.ts'

const ann = { channel: 'terminal', who: 'Ann' }
const session: Session = aSession(1, { agent: 'codex', lastSeenAt: '2025-12-31T23:59:00.000Z' })
const plan: SeenDialog = {
  session,
  agent: 'codex',
  project: '/work',
  place: '%1 /tmp/s',
  dialog: {
    question: 'Implement this plan?',
    text: 'key: hunter2\nImplement this plan?',
    options: ['Yes, do  Starts coding', 'No'],
  },
  isTurnRunning: false,
}

interface Screen {
  dialogs: ScreenDialogs
  chosen: number[]
  comments: string[]
  /** What the screen shows, looked at every five seconds for so long. */
  show(seen: SeenDialog[], seconds: number, idle?: IdleScreen[]): Promise<void>
}

function screenFor(world: AskWorld, asks: Asks, result: ChooseResult = 'taken'): Screen {
  const chosen: number[] = []
  const comments: string[] = []
  const dialogs = new ScreenDialogs({
    asks,
    choose: async (_place, _agent, _dialog, option, words) => {
      chosen.push(option)
      if (words) comments.push(words)
      return result
    },
    unanswered: async () => ({ afterMs: 60_000, policy: async () => 'recommended' }),
    resumeRun: async () => {},
    redact: text => text.replaceAll('hunter2', '[redacted]'),
    fault: (during, cause) => world.faults.push(`${during}: ${cause}`),
    clock: world.time.clock,
  })
  return {
    dialogs,
    chosen,
    comments,
    async show(seen, seconds, idle = []) {
      for (let passed = 0; passed <= seconds; passed += 5) {
        dialogs.look(seen, idle)
        await world.time.advance(5000)
        for (let i = 0; i < 20; i++) await settled()
      }
    },
  }
}

const reply = (asks: Asks, value: string) =>
  asks.answer(asks.open()[0]?.id ?? '', {
    option: 'reply',
    replies: [{ question: 'Implement this plan?', chosen: [value] }],
    by: ann,
  })

it('asks everywhere what stays on a screen, without secrets, and chooses the answer there', async () => {
  await using world = await askWorld()
  const asks = await world.begin([listChannel('telegram')])
  const { show, chosen } = screenFor(world, asks)
  await show([plan], 10)
  expect(asks.open()).toEqual([])
  await show([plan], 10)
  expect(asks.open()).toMatchObject([
    {
      kind: 'question',
      title: 'codex asks on its screen: Implement this plan?',
      questions: [{ choices: [{ label: 'Yes, do', description: 'Starts coding' }, { label: 'No' }] }],
      attachments: [{ text: 'key: [redacted]\nImplement this plan?' }],
    },
  ])
  expect((await reply(asks, '2')).verdict).toBe('taken')
  await show([plan], 0)
  expect(chosen).toEqual([1])
  expect(world.faults).toEqual([])
})

it('is withdrawn when the dialog is gone or another one, and is not asked while a person moves in it', async () => {
  await using world = await askWorld()
  const asks = await world.begin()
  const { show, chosen } = screenFor(world, asks)
  await show([plan], 20)
  expect(asks.open()).toHaveLength(1)
  const other = { ...plan, dialog: { ...plan.dialog, text: 'Something else?' } }
  await show([other], 0)
  expect(asks.open()).toEqual([])
  await show([other], 20)
  expect(asks.open()).toHaveLength(1)
  await show([], 0)
  expect(asks.open()).toEqual([])
  expect((await asks.recent(9)).map(({ withdrawn }) => withdrawn)).toEqual(Array(2).fill('settled-elsewhere'))
  expect(chosen).toEqual([])
})

it('no policy chooses an option: without an answer the ask is parked', async () => {
  await using world = await askWorld()
  const asks = await world.begin([listChannel('telegram')])
  const { show, chosen } = screenFor(world, asks)
  const recommended = { ...plan, dialog: { ...plan.dialog, options: ['Yes (recommended)', 'No'] } }
  await show([recommended], 120)
  expect(asks.open()).toMatchObject([{ parkedAt: expect.any(String) }])
  expect(chosen).toEqual([])
})

it('does not ask what a hook asks already, nor what the person left to the screen', async () => {
  await using world = await askWorld()
  const asks = await world.begin([listChannel('telegram')])
  const { show } = screenFor(world, asks)
  const facts = { session: session.id, agent: 'codex' as const }
  const hook = asks.ask(sampleQuestion('ls', { facts }), {
    signal: new AbortController().signal,
    withinMs: 600_000,
  })
  await settled()
  await show([plan], 30)
  expect(asks.open()).toMatchObject([{ kind: 'permission' }])
  await asks.answer(asks.open()[0]?.id ?? '', { option: 'allow-once', by: ann })
  await hook

  const next = { ...plan, dialog: { ...plan.dialog, text: 'Next?' } }
  await show([next], 20)
  await asks.answer(asks.open()[0]?.id ?? '', { option: 'on-screen', by: ann })
  await show([], 0)
  await show([next], 30)
  expect(asks.open()).toEqual([])
})

it('an answer from before a restart is not given to a dialog of the next daemon', async () => {
  await using world = await askWorld()
  const first = await world.begin([listChannel('telegram')])
  await screenFor(world, first).show([plan], 20)
  const [old] = first.open()
  expect((await reply(first, '1')).verdict).toBe('taken')
  await first.stop()
  await world.time.advance(1000)

  const second = await world.begin([listChannel('telegram')])
  const { show, chosen } = screenFor(world, second)
  await show([plan], 20)
  expect(chosen).toEqual([])
  expect(second.open().map(({ id }) => id === old?.id)).toEqual([false])
})

it('an answer that comes after a restart is given, even before the dialog was seen again', async () => {
  await using world = await askWorld()
  const first = await world.begin([listChannel('telegram')])
  await screenFor(world, first).show([plan], 20)
  await first.stop()
  await world.time.advance(1000)

  const second = await world.begin([listChannel('telegram')])
  const { show, chosen } = screenFor(world, second)
  expect((await reply(second, '2')).verdict).toBe('taken')
  await show([plan], 20)
  expect(chosen).toEqual([1])
})

it('says so when the screen changed before the answer could be given', async () => {
  await using world = await askWorld()
  const told: string[] = []
  const channel = {
    ...listChannel('telegram'),
    tell: async ({ text }: { text: string }) => told.push(text) > 0,
  }
  const asks = await world.begin([channel])
  const { show } = screenFor(world, asks, 'changed')
  await show([plan], 20)
  await reply(asks, '1')
  await show([plan], 0)
  expect(told.join()).toContain(
    'Your answer "Yes, do  Starts coding" did not reach codex in work: the screen changed',
  )
})

it('does not ask about a dialog that a person opened at an idle prompt line', async () => {
  await using world = await askWorld()
  const asks = await world.begin([listChannel('telegram')])
  const { show } = screenFor(world, asks)
  await show([], 0, [plan])
  await show([plan], 30)
  expect(asks.open()).toEqual([])
  // The agent's own notice that it is idle changes nothing.
  const idle = { ...plan, session: { ...session, lastEvent: 'Idle', lastSeenAt: '2026-01-01T00:00:30.000Z' } }
  await show([], 0)
  await show([idle], 30)
  expect(asks.open()).toEqual([])

  // During a turn, and right after one, the agent asks.
  await show([], 0)
  await show([{ ...plan, isTurnRunning: true }], 20)
  expect(asks.open()).toHaveLength(1)
  await show([], 0)
  await show([{ ...plan, session: { ...session, lastSeenAt: '2026-01-01T00:02:00.000Z' } }], 20)
  expect(asks.open()).toHaveLength(1)
})

it('takes a comment if an option does', async () => {
  await using world = await askWorld()
  const asks = await world.begin([listChannel('telegram')])
  const { show, chosen, comments } = screenFor(world, asks)
  const commented = { ...plan, dialog: { ...plan.dialog, commentOption: 1 } }
  await show([commented], 20)
  expect(asks.open()).toMatchObject([{ questions: [{ ownWords: true }] }])
  await asks.answer(asks.open()[0]?.id ?? '', {
    option: 'reply',
    replies: [{ question: 'Implement this plan?', words: 'add a rollback step' }],
    by: ann,
  })
  await show([commented], 0)
  expect([chosen, comments]).toEqual([[1], ['add a rollback step']])
})

it('does not ask again what a hook just got an answer to while its dialog closes, but does if the dialog stays', async () => {
  await using world = await askWorld()
  const asks = await world.begin([listChannel('telegram')])
  const { show } = screenFor(world, asks)
  const facts = { session: session.id, agent: 'codex' as const }
  const hook = asks.ask(sampleQuestion('ls', { facts }), {
    signal: new AbortController().signal,
    withinMs: 600_000,
  })
  await settled()
  await show([plan], 10)
  await asks.answer(asks.open()[0]?.id ?? '', { option: 'allow-once', by: ann })
  await hook
  await show([plan], 10)
  expect(await asks.recent(9)).toHaveLength(1)
  await show([plan], 10)
  expect(asks.open()).toMatchObject([{ kind: 'question' }])
})
