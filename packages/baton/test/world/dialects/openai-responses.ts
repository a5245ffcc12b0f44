import { randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import type { Turn, Usage } from '../turn.ts'
import type { Dialect, RawRequest, RequestReading } from './dialect.ts'
import { bearerOf, eventStream, records, sendJson, textsOf, unpaired } from './wire.ts'

/** OpenAI's Responses API, as Codex speaks it: `POST /v1/responses`, streamed. */
export const openaiResponses: Dialect = {
  name: 'openai-responses',
  owns: path => path === '/v1/responses' || path === '/v1/responses/compact',
  read,
  answer,
  count: (reading, response) => sendJson(response, 200, { input_tokens: reading.text.length >> 2 }),
  bland: reading =>
    reading.kind === 'compact' ? { text: 'The work so far, in short.' } : { text: '{"title":"A task"}' },
}

function read({ headers, body }: RawRequest): RequestReading {
  const input = typeof body.input === 'string' ? [{ role: 'user', content: body.input }] : records(body.input)
  const calls = input.filter(item => /_call$/.test(String(item.type)))
  const results = input.filter(item => /_call_output$/.test(String(item.type)))
  const faults = unpaired(
    calls.map(item => String(item.call_id)),
    results.map(item => String(item.call_id)),
  )
  if (typeof body.model !== 'string') faults.push('model is missing')
  const key = bearerOf(headers)
  if (!key) faults.push('no API key')

  const said = input.map(item => ({ role: String(item.role ?? item.type), text: textIn(item) }))
  // What Codex says about the folder stands before the person's words, as messages of the user.
  const firstReply = said.findIndex(({ role }) => role === 'assistant' || /_call$/.test(role))
  const opening = said.slice(0, firstReply < 0 ? undefined : firstReply).filter(({ role }) => role === 'user')
  const tools = records(body.tools)
  return {
    kind: kindOf(tools.length, said.at(-1)?.text ?? ''),
    key,
    session: typeof headers.session_id === 'string' ? headers.session_id : undefined,
    modelName: String(body.model ?? ''),
    stream: body.stream === true,
    text: [String(body.instructions ?? ''), ...said.map(({ text }) => text)].join('\n'),
    firstPrompt: opening.map(({ text }) => text).join('\n'),
    lastText: said.findLast(({ role }) => role === 'user' || /_output$/.test(role))?.text ?? '',
    toolNames: tools.map(tool => String(tool.name ?? tool.type)),
    toolResults: results.map(item => {
      const text = textIn(item)
      return {
        id: String(item.call_id),
        text,
        isError: /"success":\s*false|exited with code [1-9]/.test(text),
      }
    }),
    faults,
  }
}

function kindOf(tools: number, last: string): RequestReading['kind'] {
  if (/CONTEXT CHECKPOINT COMPACTION/.test(last)) return 'compact'
  return tools > 0 ? 'main' : 'side'
}

function textIn(item: Record<string, unknown>): string {
  return textsOf(item.content ?? item.output ?? '')
}

function answer(turn: Turn, reading: RequestReading, response: ServerResponse): void {
  if (turn.error) {
    const { status, type, message, headers, more } = turn.error
    sendJson(response, status, { error: { type, code: type, message, ...more } }, headers)
    return
  }
  const id = `resp_${randomUUID().replaceAll('-', '')}`
  const output = itemsOf(turn)
  const whole = {
    id,
    object: 'response',
    status: 'completed',
    model: reading.modelName,
    output,
    usage: usageOf(turn.usage),
  }
  if (!reading.stream) {
    sendJson(response, 200, whole)
    return
  }
  const emit = eventStream(response)
  const send = (type: string, data: Record<string, unknown>) => emit({ type, ...data }, type)
  send('response.created', { response: { ...whole, status: 'in_progress', output: [], usage: null } })
  if (turn.drop === 'midway') {
    response.socket?.destroySoon()
    return
  }
  output.forEach((item, output_index) => {
    send('response.output_item.added', { output_index, item: { ...item, status: 'in_progress' } })
    send('response.output_item.done', { output_index, item })
  })
  send('response.completed', { response: whole })
  response.end()
}

function itemsOf(turn: Turn): Record<string, unknown>[] {
  const said =
    turn.text === undefined
      ? []
      : [
          {
            type: 'message',
            id: `msg_${randomUUID()}`,
            role: 'assistant',
            status: 'completed',
            content: [{ type: 'output_text', text: turn.text, annotations: [] }],
          },
        ]
  const calls = (turn.tools ?? []).map(tool => ({
    id: `fc_${randomUUID()}`,
    call_id: tool.id ?? `call_${randomUUID().replaceAll('-', '')}`,
    name: tool.name,
    status: 'completed',
    // A tool of free text takes its one field as it is.
    ...(typeof tool.input.freeform === 'string'
      ? { type: 'custom_tool_call', input: tool.input.freeform }
      : { type: 'function_call', arguments: JSON.stringify(tool.input) }),
  }))
  return [...said, ...calls]
}

function usageOf({ input = 10, output = 5, cacheRead = 0 }: Usage = {}) {
  return {
    input_tokens: input + cacheRead,
    input_tokens_details: { cached_tokens: cacheRead },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: input + cacheRead + output,
  }
}
