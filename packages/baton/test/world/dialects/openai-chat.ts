import { randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import type { Turn, Usage } from '../turn.ts'
import type { Dialect, RawRequest, RequestReading } from './dialect.ts'
import { bearerOf, eventStream, records, sendJson, textsOf, unpaired } from './wire.ts'

/** OpenAI's Chat Completions, which Copilot CLI, opencode and pi speak to a service of one's own. */
export const openaiChat: Dialect = {
  name: 'openai-chat',
  owns: path => path === '/v1/chat/completions' || path === '/v1/models',
  read,
  answer,
  count: (reading, response) => sendJson(response, 200, { input_tokens: reading.text.length >> 2 }),
  bland: reading =>
    reading.kind === 'compact' ? { text: 'The work so far, in short.' } : { text: 'A task' },
}

function read({ headers, body }: RawRequest): RequestReading {
  const messages = records(body.messages)
  const results = messages.filter(message => message.role === 'tool')
  const faults = unpaired(
    messages.flatMap(message => records(message.tool_calls).map(call => String(call.id))),
    results.map(message => String(message.tool_call_id)),
  )
  if (typeof body.model !== 'string') faults.push('model is missing')
  if (messages.length === 0) faults.push('messages is empty or no list')
  const key = bearerOf(headers)
  if (!key) faults.push('no API key')

  const tools = records(body.tools).map(tool =>
    String((tool.function as Record<string, unknown> | undefined)?.name),
  )
  const said = messages.map(message => ({ role: String(message.role), text: textsOf(message.content) }))
  // What pi's extensions add comes behind the prompt, as a message of its own.
  const last = said
    .slice(said.findLastIndex(({ role }) => role === 'assistant') + 1)
    .filter(({ role }) => role === 'user' || role === 'tool')
    .map(({ text }) => text)
    .join('\n')
  return {
    kind: kindOf(tools.length, said.map(({ text }) => text).join('\n')),
    key,
    session: undefined,
    modelName: String(body.model ?? ''),
    stream: body.stream === true,
    text: said.map(({ text }) => text).join('\n'),
    firstPrompt: said.find(({ role }) => role === 'user')?.text ?? '',
    lastText: last,
    toolNames: tools,
    toolResults: results.map(message => {
      const text = textsOf(message.content)
      return { id: String(message.tool_call_id), text, isError: /^(?:error|failed|denied)/i.test(text) }
    }),
    faults,
  }
}

function kindOf(tools: number, text: string): RequestReading['kind'] {
  if (/(?:create|provide) a (?:structured|detailed) (?:context checkpoint )?summary/i.test(text))
    return 'compact'
  return tools > 0 ? 'main' : 'side'
}

function answer(turn: Turn, reading: RequestReading, response: ServerResponse): void {
  if (turn.error) {
    const { status, type, message, headers } = turn.error
    sendJson(response, status, { error: { type, code: type, message } }, headers)
    return
  }
  const head = { id: `chatcmpl-${randomUUID()}`, created: 1_700_000_000, model: reading.modelName }
  const calls = (turn.tools ?? []).map((tool, index) => ({
    index,
    id: tool.id ?? `call_${randomUUID().replaceAll('-', '').slice(0, 24)}`,
    type: 'function',
    function: { name: tool.name, arguments: JSON.stringify(tool.input) },
  }))
  const finish_reason = turn.stop ?? (calls.length > 0 ? 'tool_calls' : 'stop')
  const usage = usageOf(turn.usage)
  const text = turn.text === undefined ? {} : { content: turn.text }
  if (!reading.stream) {
    const message = {
      role: 'assistant',
      content: null,
      ...text,
      ...(calls.length > 0 ? { tool_calls: calls } : {}),
    }
    const choices = [{ index: 0, message, finish_reason }]
    sendJson(response, 200, { ...head, object: 'chat.completion', choices, usage })
    return
  }
  const emit = eventStream(response)
  const chunk = (delta: Record<string, unknown>, reason: string | null = null) =>
    emit({ ...head, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: reason }] })
  chunk({ role: 'assistant', content: '' })
  if (turn.drop === 'midway') {
    response.socket?.destroySoon()
    return
  }
  if (turn.text !== undefined) chunk(text)
  if (calls.length > 0) chunk({ tool_calls: calls })
  chunk({}, finish_reason)
  emit({ ...head, object: 'chat.completion.chunk', choices: [], usage })
  emit('[DONE]')
  response.end()
}

function usageOf({ input = 10, output = 5, cacheRead = 0 }: Usage = {}) {
  return {
    prompt_tokens: input + cacheRead,
    completion_tokens: output,
    total_tokens: input + cacheRead + output,
    prompt_tokens_details: { cached_tokens: cacheRead },
  }
}
