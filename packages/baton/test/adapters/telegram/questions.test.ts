import type { AskedQuestion } from '@batonpass/contract/question'
import { describe, expect, it } from 'vitest'
import { sampleQuestion } from '../../ask/sample.ts'
import type { Telegram } from '../../world/telegram.ts'
import { STRANGER } from '../../world/telegram.ts'
import { until } from '../../world/wait.ts'
import { telegramWorld } from './world.ts'

const never = new AbortController().signal
const MINUTE = { signal: never, withinMs: 60_000 }
const withButton = (telegram: Telegram, text: string) =>
  telegram.message(({ buttons }) => buttons.some(button => button.text.includes(text)), `the button ${text}`)
const told = (telegram: Telegram, query: { id: string }) =>
  until(() => telegram.notices.find(notice => notice.query === query.id), { what: 'an acknowledgement' })

const database: AskedQuestion = {
  id: 'Which database?',
  kind: 'choice',
  text: 'Which database?',
  choices: [
    { value: 'Postgres (Recommended)', label: 'Postgres (Recommended)', recommended: true },
    { value: 'SQLite', label: 'SQLite', description: 'One file' },
  ],
  ownWords: true,
}
const extras: AskedQuestion = {
  id: 'extras',
  kind: 'multi-choice',
  text: 'Which extras?',
  choices: [
    { value: 'cache', label: 'Cache' },
    { value: 'queue', label: 'Queue' },
  ],
}
const age: AskedQuestion = { id: 'age', kind: 'number', text: 'How old?', whole: true, optional: true }
const asking = (...questions: AskedQuestion[]) =>
  sampleQuestion('AskUserQuestion', { kind: 'question', title: 'Questions', detail: '', questions })

describe('questions of an agent by Telegram', () => {
  it('one tap answers a choice, and the message shows what was answered', async () => {
    await using t = await telegramWorld()
    const asks = await t.begin()
    const waiting = asks.ask(asking(database), MINUTE)
    const message = await withButton(t.telegram, 'SQLite')
    expect(message.text).toContain('2. SQLite: One file')
    expect(message.buttons.map(({ text }) => text)).toEqual(['Postgres ⭐', 'SQLite', '❌ Decline to answer'])
    const press = t.telegram.press(message, 'SQLite')
    expect(await waiting).toMatchObject({
      option: 'reply',
      ask: { answer: { replies: [{ chosen: ['SQLite'] }] } },
    })
    expect((await told(t.telegram, press)).text).toBe('✅ Answered: SQLite by @ann (telegram)')
    await t.telegram.message(
      ({ id, buttons, text }) =>
        id === message.id && buttons.length === 0 && text.includes('Answered: SQLite'),
    )
    expect(t.telegram.refused).toEqual([])
    expect(t.world.faults).toEqual([])
  })

  it('several questions are answered one after the other: taps, a multi-choice, and words as a reply', async () => {
    await using t = await telegramWorld()
    const asks = await t.begin()
    const waiting = asks.ask(asking(database, extras, age), MINUTE)
    const first = await withButton(t.telegram, 'SQLite')
    t.telegram.write('a text file', { replyTo: first.id })
    const second = await withButton(t.telegram, '☐ Cache')
    expect(second.text).toContain('✔ a text file')
    expect(second.text).toContain('👉 2) Which extras?')
    const tooEarly = t.telegram.press(second, 'Done')
    expect((await told(t.telegram, tooEarly)).text).toBe('Take at least one.')
    t.telegram.press(second, '☐ Queue')
    t.telegram.press(await withButton(t.telegram, '☑ Queue'), '☐ Cache')
    t.telegram.press(await withButton(t.telegram, '☑ Cache'), 'Done')
    const third = await withButton(t.telegram, 'Skip')
    t.telegram.write('old', { replyTo: third.id })
    await t.telegram.message(({ text }) => text.includes('this is not a number'))
    // An old button does nothing.
    t.telegram.forge(third, first.buttons.find(({ text }) => text === 'SQLite')?.data ?? '')
    expect(asks.open()).toHaveLength(1)
    t.telegram.write('36', { replyTo: third.id })
    expect(await waiting).toMatchObject({
      option: 'reply',
      ask: {
        answer: {
          replies: [
            { question: 'Which database?', words: 'a text file' },
            { question: 'extras', chosen: ['queue', 'cache'] },
            { question: 'age', words: '36' },
          ],
        },
      },
    })
    expect(t.telegram.refused).toEqual([])
  })

  it('keeps the answers given so far when the daemon restarts', async () => {
    await using t = await telegramWorld()
    const asks = await t.begin()
    void asks.ask(asking(database, extras), { ...MINUTE, withinMs: 600_000 })
    t.telegram.press(await withButton(t.telegram, 'SQLite'), 'SQLite')
    const second = await withButton(t.telegram, '☐ Cache')
    await asks.stop()
    const next = await t.begin()
    const again = next.ask(asking(database, extras), MINUTE)
    t.telegram.press(second, '☐ Cache')
    t.telegram.press(await withButton(t.telegram, '☑ Cache'), 'Done')
    expect(await again).toMatchObject({
      ask: { answer: { replies: [{ chosen: ['SQLite'] }, { chosen: ['cache'] }] } },
    })
  })

  it('takes a tap only from people who may answer', async () => {
    await using t = await telegramWorld()
    t.config.allowed_user_ids = ['111']
    const asks = await t.begin()
    void asks.ask(asking(database), MINUTE)
    const message = await withButton(t.telegram, 'SQLite')
    const press = t.telegram.press(message, 'SQLite', { from: STRANGER })
    expect((await told(t.telegram, press)).alert).toBe(true)
    expect(asks.open()).toHaveLength(1)
  })

  it('a plan is approved by a tap, and goes back with the words of a reply', async () => {
    await using t = await telegramWorld()
    const asks = await t.begin()
    const plan = (command: string) =>
      sampleQuestion(command, {
        kind: 'plan',
        title: 'Plan',
        detail: '',
        attachments: [{ title: 'Plan', text: `# ${command}` }],
      })
    const first = asks.ask(plan('plan one'), MINUTE)
    const message = await withButton(t.telegram, 'Send back')
    expect(message.text).toContain('# plan one')
    t.telegram.press(message, 'Send back')
    const prompt = await t.telegram.message(one => one.forceReply)
    expect(prompt.text).toContain('What should change?')
    t.telegram.write('add a rollback step', { replyTo: prompt.id })
    expect(await first).toMatchObject({ option: 'send-back', reason: 'add a rollback step' })

    const second = asks.ask(plan('plan two'), MINUTE)
    const next = await t.telegram.message(one => one.text.includes('# plan two') && one.buttons.length > 0)
    t.telegram.write('shorter, please', { replyTo: next.id })
    expect(await second).toMatchObject({ option: 'send-back', reason: 'shorter, please' })

    const third = asks.ask(plan('plan three'), MINUTE)
    const last = await t.telegram.message(one => one.text.includes('# plan three') && one.buttons.length > 0)
    t.telegram.press(last, 'Approve')
    expect(await third).toMatchObject({ option: 'approve' })
    expect(t.telegram.refused).toEqual([])
  })
})
