import type { ServerResponse } from 'node:http'
import type { Turn, Usage } from '../turn.ts'
import type { Dialect, RawRequest, RequestReading } from './dialect.ts'
import { eventStream, isRecord, records, sendJson } from './wire.ts'

/** Google's Gemini API, as Gemini CLI speaks it: `POST /v1beta/models/NAME:streamGenerateContent?alt=sse`. */
export const gemini: Dialect = {
  name: 'gemini',
  owns: path =>
    /^\/v1(?:beta)?\/models\/[^/:]+:(?:streamGenerateContent|generateContent|countTokens)$/.test(path),
  read,
  answer,
  count: (reading, response) => sendJson(response, 200, { totalTokens: reading.text.length >> 2 }),
  bland: reading => ({
    text: reading.kind === 'compact' ? '<state_snapshot>The work so far.</state_snapshot>' : '{}',
  }),
}

function read({ path, headers, body }: RawRequest): RequestReading {
  const contents = records(body.contents)
  const faults: string[] = []
  if (contents.length === 0) faults.push('contents is empty or no list')
  const key = String(headers['x-goog-api-key'] ?? '')
  if (!key) faults.push('no API key')
  const calls = contents
    .flatMap(content => records(content.parts))
    .filter(part => isRecord(part.functionCall))
  const results = contents.flatMap(content => records(content.parts)).flatMap(part => asResult(part))
  if (results.length > calls.length) faults.push('a functionResponse answers no functionCall')

  const said = contents.map(content => ({ role: String(content.role), text: textIn(content) }))
  const firstReply = said.findIndex(({ role }) => role === 'model')
  const opening = said.slice(0, firstReply < 0 ? undefined : firstReply)
  const tools = records(body.tools).flatMap(tool => records(tool.functionDeclarations))
  const system = isRecord(body.systemInstruction) ? textIn(body.systemInstruction) : ''
  const [, modelName = '', method = ''] = /models\/([^/:]+):(\w+)$/.exec(path) ?? []
  return {
    kind: method === 'countTokens' ? 'count' : kindOf(tools.length, system),
    key,
    session: undefined,
    modelName,
    stream: method === 'streamGenerateContent',
    text: [system, ...said.map(({ text }) => text)].join('\n'),
    firstPrompt: opening.map(({ text }) => text).join('\n'),
    lastText: said.findLast(({ role }) => role === 'user')?.text ?? '',
    toolNames: tools.map(tool => String(tool.name)),
    toolResults: results,
    faults,
  }
}

function kindOf(tools: number, system: string): RequestReading['kind'] {
  if (/summarizes? internal chat history|<state_snapshot>/.test(system)) return 'compact'
  return tools > 0 ? 'main' : 'side'
}

function textIn(content: Record<string, unknown>): string {
  return records(content.parts)
    .flatMap(part => (typeof part.text === 'string' ? [part.text] : asResult(part).map(({ text }) => text)))
    .join('\n')
}

function asResult(part: Record<string, unknown>) {
  const result = part.functionResponse
  if (!isRecord(result)) return []
  const inside = isRecord(result.response) ? result.response : {}
  const text = String(inside.error ?? inside.output ?? JSON.stringify(inside))
  return [{ id: String(result.id ?? result.name), text, isError: inside.error !== undefined }]
}

function answer(turn: Turn, reading: RequestReading, response: ServerResponse): void {
  if (turn.error) {
    const { status, type, message, headers, more } = turn.error
    const error = { code: status, status: type.toUpperCase(), message, ...more }
    sendJson(response, status, { error }, headers)
    return
  }
  const parts = [
    ...(turn.text === undefined ? [] : [{ text: turn.text }]),
    ...(turn.tools ?? []).map(({ name, input, id }) => ({
      functionCall: { name, args: input, ...(id === undefined ? {} : { id }) },
    })),
  ]
  const body = {
    candidates: [{ index: 0, content: { role: 'model', parts }, finishReason: turn.stop ?? 'STOP' }],
    usageMetadata: usageOf(turn.usage),
    modelVersion: reading.modelName,
  }
  if (!reading.stream) {
    sendJson(response, 200, body)
    return
  }
  const emit = eventStream(response)
  if (turn.drop === 'midway') {
    emit({ candidates: [{ index: 0, content: { role: 'model', parts: [{ text: 'this answer' }] } }] })
    response.socket?.destroySoon()
    return
  }
  emit(body)
  response.end()
}

function usageOf({ input = 10, output = 5, cacheRead = 0 }: Usage = {}) {
  return {
    promptTokenCount: input + cacheRead,
    cachedContentTokenCount: cacheRead,
    candidatesTokenCount: output,
    totalTokenCount: input + cacheRead + output,
  }
}
