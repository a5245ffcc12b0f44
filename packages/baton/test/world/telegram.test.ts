import { describe, expect, it } from 'vitest'
import { CHAT, startTelegram, type Telegram } from './telegram.ts'
import { until } from './wait.ts'

async function call(telegram: Telegram, method: string, payload: object, token = telegram.token) {
  const response = await fetch(`${telegram.url}/bot${token}/${method}`, {
    method: 'POST',
    body: JSON.stringify(payload),
  })
  return (await response.json()) as { ok: boolean; description?: string; result?: { message_id: number } }
}

const button = (callback_data: string) => ({
  inline_keyboard: [[{ text: 'x', callback_data }]],
})

describe('the fake Bot API', () => {
  it('refuses what the real one refuses, in its words', async () => {
    await using telegram = await startTelegram()
    const say = (payload: object) => call(telegram, 'sendMessage', { chat_id: CHAT, text: 'hi', ...payload })
    const { result } = await say({ reply_markup: button('a'.repeat(64)) })
    const edit = (payload: object) =>
      call(telegram, 'editMessageText', {
        chat_id: CHAT,
        message_id: result?.message_id,
        text: 'new',
        ...payload,
      })

    const refusals: [Promise<{ ok: boolean; description?: string }>, string][] = [
      [say({ text: '' }), 'message text is empty'],
      [say({ text: ' \n' }), 'message text is empty'],
      [say({ text: 'x'.repeat(4097) }), 'message is too long'],
      [say({ chat_id: 5 }), 'chat not found'],
      [say({ reply_markup: button('a'.repeat(65)) }), 'BUTTON_DATA_INVALID'],
      [say({ reply_markup: button('ä'.repeat(33)) }), 'BUTTON_DATA_INVALID'],
      [say({ reply_parameters: { message_id: 1 } }), 'message to be replied not found'],
      [say({ entities: [{ type: 'pre', offset: 0, length: 3 }] }), 'ENTITY_BOUNDS_INVALID'],
      [say({ nonsense: 1 }), 'nonsense'],
      [call(telegram, 'sendMessage', { text: 'hi' }), 'chat_id'],
      [edit({ message_id: 1 }), 'message to edit not found'],
      [edit({ text: 'hi', reply_markup: button('a'.repeat(64)) }), 'message is not modified'],
      [call(telegram, 'answerCallbackQuery', { callback_query_id: '1' }), 'query is too old'],
      [call(telegram, 'sendMessage', {}, '1:wrong'), 'Unauthorized'],
      [call(telegram, 'sendMesage', {}), 'Not Found'],
    ]
    for (const [refusal, words] of refusals)
      expect(await refusal).toMatchObject({ ok: false, description: expect.stringContaining(words) })
    expect(await edit({})).toMatchObject({ ok: true })
    expect(telegram.messages()).toMatchObject([{ text: 'new', buttons: [], edits: 1 }])
  })

  it('gives updates until they are confirmed, and ends a poll when another begins', async () => {
    await using telegram = await startTelegram()
    const update = telegram.write('hello')
    const poll = (payload: object) => call(telegram, 'getUpdates', payload)
    expect(await poll({})).toMatchObject({ result: [update] })
    expect(await poll({ offset: update.update_id })).toMatchObject({ result: [update] })
    const held = poll({ offset: update.update_id + 1, timeout: 50 })
    await until(() => telegram.polls() === 3, { what: 'the poll to be held' })
    await telegram.otherPoller()
    expect(await held).toMatchObject({ ok: false, description: expect.stringContaining('Conflict') })
    const next = poll({ offset: update.update_id + 1, timeout: 50 })
    const second = telegram.write('again')
    expect(await next).toMatchObject({ result: [second] })
  })
})
