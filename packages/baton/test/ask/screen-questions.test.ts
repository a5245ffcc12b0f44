import type { AskedQuestion, Reply } from '@batonpass/contract/question'
import { expect, it } from 'vitest'
import type { Asks } from '../../src/ask/asks.ts'
import { ScreenQuestions, type SessionAt } from '../../src/ask/screen-questions.ts'
import type { ChooseResult, QuestionSight } from '../../src/ports/driver.ts'
import { aSession } from '../world/journal.ts'
import { settled } from '../world/time.ts'
import { type AskWorld, askWorld, listChannel, SESSION, sampleQuestion } from './sample.ts'

const ann = { channel: 'telegram', who: 'Ann' }
const CACHE: AskedQuestion = {
  id: 'cache',
  kind: 'choice',
  text: 'Which cache?',
  choices: [
    { value: 'Redis', label: 'Redis' },
    { value: 'None', label: 'None' },
  ],
}
const question = sampleQuestion('ask', { kind: 'question', key: 'evt_1', questions: [CACHE] })
const session = { ...aSession(1, { agent: 'codex' }), id: SESSION }
const at: SessionAt = { session, agent: 'codex', project: '/work', place: '%1 /tmp/s' }

interface Screen {
  questions: ScreenQuestions
  given: (readonly Reply[])[]
  sight: QuestionSight
  can: boolean
  result: ChooseResult
  /** Looks every five seconds for so long. */
  watch(seconds: number): Promise<void>
}

function screenFor(world: AskWorld, asks: Asks): Screen {
  const given: (readonly Reply[])[] = []
  const screen: Screen = {
    questions: new ScreenQuestions({
      asks,
      canAnswer: async () => screen.can,
      findQuestions: async () => screen.sight,
      answer: async (_place, _agent, _questions, replies) => {
        given.push(replies)
        return screen.result
      },
      unanswered: async () => ({ afterMs: 3_600_000, policy: async () => 'wait' }),
      resumeRun: async () => {},
      fault: (during, cause) => world.faults.push(`${during}: ${cause}`),
      clock: world.time.clock,
    }),
    given,
    sight: 'shown',
    can: true,
    result: 'taken',
    async watch(seconds) {
      for (let passed = 0; passed <= seconds; passed += 5) {
        await screen.questions.look([at])
        await world.time.advance(5000)
        for (let i = 0; i < 20; i++) await settled()
      }
    },
  }
  return screen
}

const answerOf = (value: string) => [{ question: 'cache', chosen: [value] }]
const reply = (asks: Asks) =>
  asks.answer(asks.open()[0]?.id ?? '', { option: 'reply', replies: answerOf('None'), by: ann })

it('asks on every channel while the dialog of the agent is open, and answers there once', async () => {
  await using world = await askWorld()
  const asks = await world.begin([listChannel('telegram')])
  const screen = screenFor(world, asks)
  expect(await screen.questions.take(question, at)).toBe(true)
  // The hook was reported twice.
  expect(await screen.questions.take(question, at)).toBe(true)
  expect(asks.open()).toMatchObject([{ questions: [CACHE], options: ['reply', 'on-screen'] }])
  await screen.watch(60)
  expect(asks.open()).toHaveLength(1)
  expect((await reply(asks)).verdict).toBe('taken')
  await screen.watch(30)
  expect(screen.given).toEqual([answerOf('None')])
  expect(world.faults).toEqual([])
})

it('is withdrawn everywhere when the dialog closed, but not while the screen is unclear', async () => {
  await using world = await askWorld()
  const channel = listChannel('telegram')
  const asks = await world.begin([channel])
  const screen = screenFor(world, asks)
  await screen.questions.take(question, at)
  screen.sight = 'unclear'
  await screen.watch(60)
  expect(asks.open()).toHaveLength(1)
  screen.sight = 'gone'
  await screen.watch(5)
  expect(asks.open()).toEqual([])
  expect(channel.settled).toMatchObject([{ withdrawn: 'settled-elsewhere' }])
  expect(screen.given).toEqual([])
})

it('leaves it to the hook if keystrokes cannot answer it', async () => {
  await using world = await askWorld()
  const asks = await world.begin([listChannel('telegram')])
  const screen = screenFor(world, asks)
  screen.can = false
  expect(await screen.questions.take(question, at)).toBe(false)
  expect(asks.open()).toEqual([])
})

it('stays open after a restart of the daemon, and gives an answer that the last one could not give', async () => {
  await using world = await askWorld()
  const first = await world.begin([listChannel('telegram')])
  await screenFor(world, first).questions.take(question, at)
  await first.stop()
  const second = await world.begin([listChannel('telegram')])
  const lost = screenFor(world, second)
  await lost.watch(60)
  expect(second.open()).toHaveLength(1)
  // Killed between the answer and the keys.
  lost.result = 'gone'
  await reply(second)
  await second.stop()

  const third = await world.begin([listChannel('telegram')])
  const screen = screenFor(world, third)
  await screen.watch(30)
  expect(screen.given).toEqual([answerOf('None')])
  const later = screenFor(world, third)
  later.sight = 'gone'
  await later.watch(30)
  expect(later.given).toEqual([])
})

it('says so when the answer did not arrive', async () => {
  await using world = await askWorld()
  const told: string[] = []
  const tell = async ({ text }: { text: string }) => told.push(text) > 0
  const asks = await world.begin([{ ...listChannel('telegram'), tell }])
  const screen = screenFor(world, asks)
  await screen.questions.take(question, at)
  screen.result = 'changed'
  await reply(asks)
  await screen.watch(0)
  expect(told.join()).toContain('Your answer "None" did not reach codex in work: the screen changed')
})
