import { describe, expect, test } from 'vitest'
import { type Model, startModel, textOf } from './model.ts'
import { call, dropped, hold, overloaded, say } from './turn.ts'

const tool = { name: 'Bash', input_schema: { type: 'object' } }
const ask = (content: unknown) => ({ role: 'user', content })

function post(model: Model, body: object, path = '/v1/messages?beta=true') {
  return fetch(model.url + path, {
    method: 'POST',
    headers: { 'x-api-key': 'k', 'anthropic-version': '2023-06-01', 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'm', max_tokens: 100, tools: [tool], ...body }),
  })
}

describe('the fake model', () => {
  test('plays its turns in order, as one body or as a stream', async () => {
    await using model = await startModel()
    model.script('hello', [
      call('Bash', { command: 'ls' }, { text: 'Look:' }),
      say('bye', { usage: { input: 7 } }),
    ])

    const first = await (await post(model, { messages: [ask('hello')] })).json()
    const second = await (await post(model, { messages: [ask('hello')], stream: true })).text()

    expect(first).toMatchObject({
      stop_reason: 'tool_use',
      content: [
        { type: 'text', text: 'Look:' },
        { type: 'tool_use', name: 'Bash', input: { command: 'ls' } },
      ],
    })
    expect(second).toContain('"text_delta","text":"bye"')
    expect(second).toContain('"input_tokens":7')
    expect(second).toMatch(/message_stop/)
    model.assertPlayed()
  })

  test('answers side requests, token counts and probes without spending a turn', async () => {
    await using model = await startModel()
    model.script('hello', [say('mine')])

    const side = await post(model, { messages: [ask('hello, name this chat')], tools: [] })
    const counted = await post(model, { messages: [ask('hello')] }, '/v1/messages/count_tokens')
    const probe = await fetch(model.url, { method: 'HEAD' })
    const main = await post(model, { messages: [ask('hello')] })

    expect([side.status, counted.status, probe.status]).toEqual([200, 200, 200])
    expect(await counted.json()).toEqual({ input_tokens: expect.any(Number) })
    expect(await main.json()).toMatchObject({ content: [{ text: 'mine' }] })
    expect(model.requests.map(request => request.kind)).toEqual(['side', 'count', 'main'])
    model.assertPlayed()
  })

  test('reads all text: system prompt, system messages and tool results', async () => {
    await using model = await startModel()
    model.script('go', [say('ok')])
    const use = { type: 'tool_use', id: 't1', name: 'Bash', input: {} }
    const result = {
      type: 'tool_result',
      tool_use_id: 't1',
      content: [{ type: 'text', text: 'RESULT' }],
      is_error: true,
    }
    const messages = [
      ask('go'),
      { role: 'system', content: 'MIDWAY' },
      { role: 'assistant', content: [use] },
      ask([result, { type: 'text', text: 'AND' }]),
    ]

    await post(model, { system: [{ type: 'text', text: 'SYSTEM' }], messages })

    const [request] = model.mainRequests()
    expect(request && textOf(request)).toBe('SYSTEM\ngo\nMIDWAY\n\nRESULT\nAND')
    expect(request?.toolResults).toEqual([{ id: 't1', text: 'RESULT', isError: true }])
    model.assertClean()
  })

  test.each([
    ['no messages', { messages: [] }, /messages is empty/],
    ['an unknown role', { messages: [{ role: 'tool', content: 'x' }] }, /role is tool/],
    ['no max_tokens', { messages: [ask('x')], max_tokens: undefined }, /max_tokens is missing/],
    [
      'a tool call without its result',
      { messages: [ask('x'), { role: 'assistant', content: [{ type: 'tool_use', id: 't9' }] }, ask('y')] },
      /t9 has no tool_result/,
    ],
    [
      'a result without its call',
      { messages: [ask([{ type: 'tool_result', tool_use_id: 't8' }])] },
      /t8 answers no/,
    ],
  ])('reports a request with %s', async (_, body, fault) => {
    await using model = await startModel()
    model.script(() => true, [say('whatever')])

    await post(model, body)

    expect(() => model.assertClean()).toThrow(fault)
  })

  test('reports unknown paths, bodies that are not JSON, missing scripts and turns never asked for', async () => {
    await using model = await startModel()
    model.script('other', [say('unused')])
    expect(() => model.assertPlayed()).toThrow(/1 turns never asked for/)

    await fetch(`${model.url}/v1/elsewhere`, { method: 'POST', body: '{}' })
    await fetch(`${model.url}/v1/messages`, { method: 'POST', body: 'not json' })
    const refused = await post(model, { messages: [ask('hello')] })

    expect(refused.status).toBe(400)
    expect(model.failures).toEqual([
      expect.stringContaining('unknown path'),
      expect.stringContaining('not a JSON'),
      expect.stringContaining('no script matches'),
    ])
  })

  test('repeats a turn as often as told, holds it at a gate and drops connections', async () => {
    await using model = await startModel()
    const held = hold()
    model.script('x', [overloaded({ times: 2 }), dropped(), say('late', { gate: held.gate })])
    const send = () => post(model, { messages: [ask('x')] })

    expect([(await send()).status, (await send()).status]).toEqual([529, 529])
    await expect(send()).rejects.toThrow()
    const late = send()
    const request = await model.waitForRequest(each => each.n === 4)
    expect(request.ended).toBeUndefined()
    held.release()
    expect(await (await late).json()).toMatchObject({ content: [{ text: 'late' }] })
    model.assertPlayed()
  })

  test('a script may be a function of the request', async () => {
    await using model = await startModel()
    model.script({ key: 'k' }, request => say(`you said ${request.lastText}`))

    const answer = await (await post(model, { messages: [ask('one'), ask('two')] })).json()

    expect(answer).toMatchObject({ content: [{ text: 'you said two' }] })
  })
})
