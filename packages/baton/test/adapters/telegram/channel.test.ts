import { shortId } from '@batonpass/contract/short-id'
import { describe, expect, it } from 'vitest'
import { decisionOf } from '../../../src/ask/ask-outcome.ts'
import type { Asks } from '../../../src/ask/asks.ts'
import { sampleQuestion } from '../../ask/sample.ts'
import { CHAT, STRANGER, type Telegram } from '../../world/telegram.ts'
import { until } from '../../world/wait.ts'
import { telegramWorld } from './world.ts'

const never = new AbortController().signal
const MINUTE = { signal: never, withinMs: 60_000 }
const withButtons = (telegram: Telegram) => telegram.message(message => message.buttons.length > 0, 'buttons')
const edited = (telegram: Telegram, text: string) =>
  telegram.message(message => message.edits > 0 && message.text.includes(text), `an edit with ${text}`)
const told = (telegram: Telegram, query: { id: string }) =>
  until(() => telegram.notices.find(notice => notice.query === query.id), { what: 'an acknowledgement' })
const isOpen = (asks: Asks) => asks.open().length === 1

describe('a question by Telegram', () => {
  it('shows the whole command with four buttons, and one tap answers it', async () => {
    await using t = await telegramWorld()
    const asks = await t.begin()
    const waiting = asks.ask(sampleQuestion('rm -rf build && make <all> & *x* `y`'), MINUTE)
    const message = await withButtons(t.telegram)
    expect(message.text).toContain('rm -rf build && make <all> & *x* `y`')
    expect(message.buttons.map(button => button.text)).toEqual([
      '✅ Allow',
      '❌ Deny',
      '✅ Allow for this session',
      '❌ Deny and say why',
    ])
    const press = t.telegram.press(message, '✅ Allow')
    expect(await waiting).toMatchObject({
      result: 'answered',
      option: 'allow-once',
      by: { channel: 'telegram', who: '@ann' },
    })
    expect((await told(t.telegram, press)).text).toBe('✅ Allowed by @ann (telegram)')
    const after = await edited(t.telegram, '✅ Allowed by @ann (telegram)')
    expect(after.buttons).toEqual([])
    expect(after.text).toContain('rm -rf build')
    expect(t.telegram.refused).toEqual([])
    expect(t.world.faults).toEqual([])
  })

  it.each([
    ['❌ Deny', { option: 'deny' }],
    ['session', { option: 'allow-session' }],
    ['Always allow in this project', { option: 'allow-project' }],
    ['Always allow everywhere', { option: 'allow-everywhere' }],
  ])('takes the button %s', async (button, expected) => {
    await using t = await telegramWorld()
    const asks = await t.begin()
    const rules = { project: { command: 'make', folder: '.' }, everywhere: { command: 'make' } }
    const waiting = asks.ask(sampleQuestion('make', { rules }), MINUTE)
    t.telegram.press(await withButtons(t.telegram), button)
    expect(await waiting).toMatchObject(expected)
    expect(await asks.remembered(sampleQuestion('make').fingerprint)).toBe(expected.option !== 'deny')
  })

  it('asks why on "deny and say why", and the reply reaches the agent', async () => {
    await using t = await telegramWorld()
    const asks = await t.begin()
    const waiting = asks.ask(sampleQuestion('git push --force'), MINUTE)
    const message = await withButtons(t.telegram)
    const press = t.telegram.press(message, 'say why')
    expect((await told(t.telegram, press)).text).toContain('why')
    const prompt = await t.telegram.message(one => one.forceReply)
    t.telegram.press(message, 'say why')
    t.telegram.write('push to your own branch', { replyTo: prompt.id })
    expect(decisionOf(await waiting, 'ask')).toEqual({
      decision: 'deny',
      reason: 'Denied by @ann (telegram): push to your own branch',
    })
    await edited(t.telegram, 'push to your own branch')
    await until(() => !t.telegram.messages().some(one => one.forceReply), { what: 'the prompt to go' })
    expect(t.telegram.refused).toEqual([])
  })

  it('takes /allow and /deny as replies to the question, and only as replies', async () => {
    await using t = await telegramWorld()
    const asks = await t.begin()
    const first = asks.ask(sampleQuestion('make one'), MINUTE)
    const message = await withButtons(t.telegram)
    t.telegram.write('/allow')
    await t.telegram.message(one => one.text.includes('Reply to the question itself'))
    expect(isOpen(asks)).toBe(true)
    t.telegram.write('/allow@baton_bot', { replyTo: message.id })
    expect(await first).toMatchObject({ option: 'allow-once' })

    const second = asks.ask(sampleQuestion('make two'), MINUTE)
    const next = await t.telegram.message(one => one.text.includes('make two') && one.buttons.length > 0)
    t.telegram.write('/deny not today', { replyTo: next.id })
    expect(await second).toMatchObject({ option: 'deny-with-reason', reason: 'not today' })
  })

  it('says "⏰ Timed Out" and takes the buttons away when the time is over', async () => {
    await using t = await telegramWorld()
    const asks = await t.begin()
    const waiting = asks.ask(sampleQuestion('make'), MINUTE)
    const message = await withButtons(t.telegram)
    const late = message.buttons[0]?.data ?? ''
    await t.world.time.advance(60_000)
    expect((await waiting).result).toBe('timed-out')
    expect((await edited(t.telegram, '⏰ Timed Out')).buttons).toEqual([])
    const press = t.telegram.forge(message, late)
    expect((await told(t.telegram, press)).text).toContain('no longer open')
  })

  it('says so when nobody waits any more', async () => {
    await using t = await telegramWorld()
    const asks = await t.begin()
    const hook = new AbortController()
    void asks.ask(sampleQuestion('make'), { signal: hook.signal, withinMs: 60_000 })
    await withButtons(t.telegram)
    hook.abort()
    await t.world.time.advance(2000)
    expect((await edited(t.telegram, 'Withdrawn')).buttons).toEqual([])
  })

  it('says who answered when it was answered elsewhere', async () => {
    await using t = await telegramWorld()
    const asks = await t.begin()
    void asks.ask(sampleQuestion('make'), MINUTE)
    await withButtons(t.telegram)
    await asks.answer(asks.open()[0]?.id ?? '', { option: 'deny', by: { channel: 'terminal', who: 'joe' } })
    await edited(t.telegram, '❌ Denied by joe (terminal)')
  })

  it('splits a long command over several messages and shows all of it', async () => {
    await using t = await telegramWorld()
    const asks = await t.begin()
    const command = Array.from({ length: 900 }, (_, n) => `echo line ${n}`).join('\n')
    const waiting = asks.ask(sampleQuestion(command), MINUTE)
    const last = await withButtons(t.telegram)
    const messages = t.telegram.messages()
    expect(messages.length).toBeGreaterThan(2)
    expect(messages.at(-1)).toBe(last)
    const shown = messages.map(m => m.entities.map(e => m.text.slice(e.offset, e.offset + e.length)).join(''))
    expect(shown.join('')).toBe(command)
    t.telegram.press(last, '✅ Allow')
    expect((await waiting).result).toBe('answered')
    expect(t.telegram.refused).toEqual([])
  })

  it('cannot be allowed where it is too long to be shown', async () => {
    await using t = await telegramWorld()
    const asks = await t.begin()
    void asks.ask(sampleQuestion('x'.repeat(200_000)), MINUTE)
    const message = await withButtons(t.telegram)
    expect(message.text).toContain('200000 characters')
    expect(message.text).toContain(`baton asks ${shortId(asks.open()[0]?.id ?? '')}\``)
    expect(message.buttons.map(button => button.text)).toEqual(['❌ Deny', '❌ Deny and say why'])
    t.telegram.write('/allow', { replyTo: message.id })
    await t.telegram.message(one => one.text.includes('does not accept'))
    expect(isOpen(asks)).toBe(true)
  })
})

describe('who may answer by Telegram', () => {
  it('is anyone in the chat, or only those on the list', async () => {
    await using t = await telegramWorld()
    t.config.allowed_user_ids = ['111']
    const asks = await t.begin()
    const waiting = asks.ask(sampleQuestion('make'), MINUTE)
    const message = await withButtons(t.telegram)
    const press = t.telegram.press(message, '✅ Allow', { from: STRANGER })
    expect(await told(t.telegram, press)).toMatchObject({
      text: expect.stringContaining('not allowed'),
      alert: true,
    })
    t.telegram.write('/allow', { replyTo: message.id, from: STRANGER })
    t.telegram.write('/allow', { from: STRANGER })
    expect(isOpen(asks)).toBe(true)
    t.telegram.press(message, '❌ Deny')
    expect(await waiting).toMatchObject({ option: 'deny', by: { who: '@ann' } })
  })

  it('is no one in another chat, and no one with a made-up button', async () => {
    await using t = await telegramWorld({ chats: [{ id: CHAT }, { id: 777 }] })
    const asks = await t.begin()
    void asks.ask(sampleQuestion('make'), MINUTE)
    const message = await withButtons(t.telegram)
    const good = message.buttons[0]?.data ?? ''
    const forged = [
      t.telegram.press(message, '✅ Allow', { chat: 777 }),
      t.telegram.forge(message, good.replace(/.{16}$/, '0000000000000000')),
    ]
    for (const press of forged) expect((await told(t.telegram, press)).text).toContain('not allowed')
    for (const data of [
      '',
      'a',
      'a:ask_x:y',
      `${good}:more`,
      `z${good.slice(1)}`,
      good.replace(/ask_./, 'ask_~'),
    ])
      expect((await told(t.telegram, t.telegram.forge(message, data))).text).toContain('no longer open')
    t.telegram.write('/allow', { replyTo: message.id, chat: 777 })
    const last = t.telegram.press(message, '❌ Deny', { chat: 777 })
    await told(t.telegram, last)
    expect(isOpen(asks)).toBe(true)
  })

  it('cannot use the button of one question for another', async () => {
    await using t = await telegramWorld()
    const asks = await t.begin()
    void asks.ask(sampleQuestion('ls'), MINUTE)
    const harmless = await withButtons(t.telegram)
    void asks.ask(sampleQuestion('rm -rf /'), MINUTE)
    const bad = await t.telegram.message(m => m.text.includes('rm -rf /') && m.buttons.length > 0)
    const [, , nonce] = (harmless.buttons[0]?.data ?? '').split(':')
    const [code, id] = (bad.buttons[0]?.data ?? '').split(':')
    const press = t.telegram.forge(harmless, `${code}:${id}:${nonce}`)
    expect((await told(t.telegram, press)).text).toContain('not allowed')
    expect(asks.open()).toHaveLength(2)
  })
})

describe('when things go wrong', () => {
  it('counts a repeated update and a double press once', async () => {
    await using t = await telegramWorld()
    const asks = await t.begin()
    const waiting = asks.ask(sampleQuestion('make'), MINUTE)
    const message = await withButtons(t.telegram)
    const first = t.telegram.press(message, '✅ Allow')
    t.telegram.deliver(t.telegram.lastUpdate())
    const second = t.telegram.press(message, '❌ Deny')
    expect((await waiting).result).toBe('answered')
    expect((await told(t.telegram, first)).text).toContain('Allowed')
    expect((await told(t.telegram, second)).text).toContain('no longer open')
    expect(t.world.entries.filter(e => e.body.kind === 'ask' && e.body.what === 'answered')).toHaveLength(1)
  })

  it('takes the updates of one batch in their own order', async () => {
    await using t = await telegramWorld()
    const asks = await t.begin()
    const waiting = asks.ask(sampleQuestion('make'), MINUTE)
    const message = await withButtons(t.telegram)
    await asks.stop()
    t.telegram.press(message, '❌ Deny')
    const deny = t.telegram.lastUpdate()
    const again = await t.begin()
    void again
    t.telegram.deliver({ ...deny, update_id: deny.update_id + 9 }, deny)
    await until(async () => (await again.recent(1))[0]?.state === 'answered', { what: 'the answer' })
    void waiting
    expect(t.world.entries.filter(e => e.body.kind === 'ask' && e.body.what === 'answered')).toHaveLength(1)
  })

  it('waits as long as Telegram says when it is throttled', async () => {
    await using t = await telegramWorld()
    t.telegram.trouble('sendMessage', {
      status: 429,
      description: 'Too Many Requests: retry after 7',
      retryAfter: 7,
    })
    const asks = await t.begin()
    const waiting = asks.ask(sampleQuestion('make'), MINUTE)
    await until(() => t.telegram.calls.some(call => call.answer?.status === 429), { what: 'the 429' })
    // It is on its way still: time that passes before it is heard would not count.
    await until(() => t.world.time.ringsIn(7000), { what: 'the wait' })
    await t.world.time.advance(6_999)
    expect(t.telegram.messages()).toEqual([])
    await t.world.time.advance(1)
    t.telegram.press(await withButtons(t.telegram), '✅ Allow')
    expect((await waiting).result).toBe('answered')
  })

  it('asks at the agent when Telegram wants a longer wait than the question has', async () => {
    await using t = await telegramWorld()
    t.telegram.trouble('sendMessage', { status: 429, description: 'Too Many Requests', retryAfter: 3600 })
    const asks = await t.begin()
    expect((await asks.ask(sampleQuestion('make'), MINUTE)).result).toBe('unreachable')
  })

  it.each([
    ['a refusal', { status: 403, description: 'Forbidden: bot was blocked by the user' }],
    ['a wrong token', { status: 401, description: 'Unauthorized' }],
  ])('asks at the agent at once after %s, and no secret is written anywhere', async (_, trouble) => {
    await using t = await telegramWorld()
    t.telegram.outage(trouble)
    const asks = await t.begin()
    const outcome = await asks.ask(sampleQuestion('make'), MINUTE)
    expect(decisionOf(outcome, 'deny').decision).toBe('ask')
    expect(t.world.faults).toHaveLength(1)
    expect(t.written()).not.toContain(t.telegram.token)
  })

  it('tries a dropped connection and a bad gateway again, and asks at the agent when it stays so', async () => {
    await using t = await telegramWorld()
    t.telegram.trouble('sendMessage', { drop: 'before' }, { status: 502, description: 'Bad Gateway' })
    const asks = await t.begin()
    const waiting = asks.ask(sampleQuestion('make one'), MINUTE)
    await until(
      async () => {
        await t.world.time.advance(500)
        return t.telegram.messages().length === 1
      },
      { what: 'the third try' },
    )
    t.telegram.press(await withButtons(t.telegram), '✅ Allow')
    expect((await waiting).result).toBe('answered')

    t.telegram.outage({ drop: 'before' })
    const lost = asks.ask(sampleQuestion('make two'), { signal: never, withinMs: 7_200_000 })
    let outcome: Awaited<typeof lost> | undefined
    void lost.then(result => {
      outcome = result
    })
    await until(
      async () => {
        await t.world.time.advance(500)
        return outcome
      },
      { what: 'the question to be given up' },
    )
    expect(outcome?.result).toBe('unreachable')
    expect(t.written()).not.toContain(t.telegram.token)
    expect(t.written()).not.toContain('/bot')
  })

  it('keeps receiving after the network was gone, and after another program polled', async () => {
    await using t = await telegramWorld()
    const asks = await t.begin()
    const waiting = asks.ask(sampleQuestion('make'), { signal: never, withinMs: 7_200_000 })
    const message = await withButtons(t.telegram)
    await until(() => t.telegram.polls() > 0, { what: 'a poll' })
    await t.telegram.otherPoller()
    await until(() => t.warnings.some(warning => warning.includes('separate bot')), { what: 'the warning' })
    t.telegram.trouble(
      'getUpdates',
      { drop: 'before' },
      { status: 500, description: 'Internal' },
      { drop: 'after' },
    )
    t.telegram.press(message, '✅ Allow')
    let outcome: string | undefined
    void waiting.then(({ result }) => {
      outcome = result
    })
    await until(
      async () => {
        await t.world.time.advance(1000)
        return outcome
      },
      { what: 'the answer' },
    )
    expect(outcome).toBe('answered')
    expect(t.written()).not.toContain(t.telegram.token)
  })

  it('lets the question go when the token is withdrawn while it waits', async () => {
    await using t = await telegramWorld()
    const asks = await t.begin()
    const waiting = asks.ask(sampleQuestion('make'), MINUTE)
    await withButtons(t.telegram)
    await until(() => t.telegram.polls() > 0, { what: 'a poll' })
    t.telegram.outage({ status: 401, description: 'Unauthorized' })
    t.telegram.write('hello')
    expect((await waiting).result).toBe('unreachable')
    expect(t.warnings.join()).toContain('Check telegram.token')
  })

  it('edits the message later when it could not be edited at once', async () => {
    await using t = await telegramWorld()
    const asks = await t.begin()
    void asks.ask(sampleQuestion('make'), MINUTE)
    const message = await withButtons(t.telegram)
    t.telegram.trouble('editMessageText', { status: 500, description: 'x' }, { drop: 'before' })
    t.telegram.press(message, '✅ Allow')
    await until(
      async () => {
        await t.world.time.advance(500)
        return t.telegram.messages().some(one => one.edits > 0)
      },
      { what: 'the edit' },
    )
  })
})

describe('a restart', () => {
  it('sends nothing twice, loses no press made meanwhile, and edits the old message', async () => {
    await using t = await telegramWorld()
    const before = await t.begin()
    void before.ask(sampleQuestion('make'), { signal: never, withinMs: 600_000 })
    const message = await withButtons(t.telegram)
    await before.stop()
    t.telegram.press(message, '✅ Allow')
    const after = await t.begin()
    const waiting = after.ask(sampleQuestion('make'), MINUTE)
    expect(await waiting).toMatchObject({ result: 'answered', option: 'allow-once' })
    await edited(t.telegram, 'Allowed')
    expect(t.telegram.calls.filter(call => call.method === 'sendMessage')).toHaveLength(1)

    await after.stop()
    const polls = t.telegram.calls.filter(call => call.method === 'getUpdates').length
    const third = await t.begin()
    void third.ask(sampleQuestion('other'), MINUTE)
    await withButtons(t.telegram)
    const next = await until(() => t.telegram.calls.filter(c => c.method === 'getUpdates')[polls], {
      what: 'a poll',
    })
    expect(Number(next.payload.offset)).toBeGreaterThan(0)
  })

  it('edits what was settled while its message could not be reached', async () => {
    await using t = await telegramWorld()
    const before = await t.begin()
    void before.ask(sampleQuestion('make'), MINUTE)
    await withButtons(t.telegram)
    t.telegram.trouble('editMessageText', { status: 500, description: 'x' })
    await before.answer(before.open()[0]?.id ?? '', {
      option: 'deny',
      by: { channel: 'terminal', who: 'joe' },
    })
    await until(() => t.telegram.calls.some(call => call.method === 'editMessageText'), { what: 'a try' })
    await before.stop()
    await t.begin()
    await edited(t.telegram, 'Denied by joe')
    expect(t.world.faults).toEqual([])
  })
})

describe('configuration', () => {
  it('half done is told once, and the question stays with the agent', async () => {
    await using t = await telegramWorld()
    t.config.chat_id = ''
    const asks = await t.begin()
    for (const command of ['one', 'two'])
      expect((await asks.ask(sampleQuestion(command), MINUTE)).result).toBe('unreachable')
    expect(t.warnings).toEqual([
      'Telegram is enabled but not usable: telegram.chat_id is not set. Until this is fixed, questions go to the other channels.',
    ])
    expect(t.telegram.calls).toEqual([])
  })

  it('switched off is silent', async () => {
    await using t = await telegramWorld()
    t.config.enabled = false
    const asks = await t.begin()
    expect((await asks.ask(sampleQuestion('one'), MINUTE)).result).toBe('unreachable')
    expect(t.warnings).toEqual([])
  })

  it('polls once for one bot, however many questions are open, and not at all without one', async () => {
    await using t = await telegramWorld()
    const asks = await t.begin()
    expect(t.telegram.polls()).toBe(0)
    for (const command of ['one', 'two', 'three']) void asks.ask(sampleQuestion(command), MINUTE)
    await until(() => t.telegram.messages().length === 3, { what: 'three questions' })
    await until(() => t.telegram.polls() > 0, { what: 'a poll' })
    expect(t.telegram.polls()).toBe(1)
    expect(t.warnings).toEqual([])
  })
})
