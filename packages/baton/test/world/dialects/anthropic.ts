import { randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import type { ModelError, Turn, Usage } from '../turn.ts'
import type { Dialect, RawRequest, RequestKind, RequestReading, ToolResult } from './dialect.ts'

/** Anthropic Messages, as Claude Code speaks it: `POST /v1/messages?beta=true`, streamed or not. */
export const anthropic: Dialect = {
  name: 'anthropic',
  owns: path => path === '/v1/messages' || path === '/v1/messages/count_tokens',
  read,
  answer,
  count: (reading, response) => {
    sendJson(response, 200, { input_tokens: Math.ceil(reading.text.length / 4) })
  },
  bland: reading =>
    reading.kind === 'compact'
      ? { text: '<analysis>nothing to add</analysis>\n<summary>The work so far, in short.</summary>' }
      : { text: 'ok' },
}

interface Message {
  role: string
  blocks: Block[]
}

type Block = Record<string, unknown> & { type: string }

function read({ path, headers, body }: RawRequest): RequestReading {
  const faults: string[] = []
  const messages = readMessages(body.messages, faults)
  const system = textsOf(asBlocks(body.system, faults)).join('\n')
  const tools = Array.isArray(body.tools) ? body.tools.filter(isRecord) : []
  if (typeof body.model !== 'string') faults.push('model is missing')
  const counting = path === '/v1/messages/count_tokens'
  if (!counting && typeof body.max_tokens !== 'number') faults.push('max_tokens is missing')
  if (!headers['anthropic-version']) faults.push('anthropic-version header is missing')
  const key = String(headers['x-api-key'] ?? headers.authorization ?? '').replace(/^Bearer /, '')
  if (!key) faults.push('no API key')
  faults.push(...unpairedTools(messages))

  const texts = messages.map(message => textsOf(message.blocks).join('\n'))
  const lastText = texts[messages.findLastIndex(message => message.role === 'user')] ?? ''
  return {
    kind: counting ? 'count' : kindOf(tools.length, texts),
    key,
    session: sessionOf(headers['x-claude-code-session-id']),
    modelName: String(body.model ?? ''),
    stream: body.stream === true,
    text: [system, ...texts].join('\n'),
    firstPrompt: texts[messages.findIndex(message => message.role === 'user')] ?? '',
    lastText,
    toolNames: tools.map(tool => String(tool.name)),
    toolResults: messages.flatMap(message =>
      message.blocks.filter(b => b.type === 'tool_result').map(resultOf),
    ),
    faults,
  }
}

// Claude Code's main loop always offers tools; titles, classifiers and probes never do.
// A compaction request offers them too and is known by its instruction alone.
function kindOf(tools: number, texts: string[]): RequestKind {
  const compacting = texts.slice(-2).some(text => /Your task is to create a detailed summary of/.test(text))
  if (compacting) return 'compact'
  return tools > 0 ? 'main' : 'side'
}

function sessionOf(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' && header ? header : undefined
}

function readMessages(value: unknown, faults: string[]): Message[] {
  if (!Array.isArray(value) || value.length === 0) {
    faults.push('messages is empty or no list')
    return []
  }
  return value.map((item: unknown, i) => {
    if (!isRecord(item)) {
      faults.push(`messages[${i}] is not an object`)
      return { role: '', blocks: [] }
    }
    const role = String(item.role)
    // Mid-conversation instructions arrive as role "system" between the others.
    if (!['user', 'assistant', 'system'].includes(role)) faults.push(`messages[${i}].role is ${role}`)
    return { role, blocks: asBlocks(item.content, faults) }
  })
}

function asBlocks(content: unknown, faults: string[]): Block[] {
  if (content === undefined) return []
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  if (!Array.isArray(content)) {
    faults.push('content is neither text nor a list')
    return []
  }
  return content.filter((block: unknown): block is Block => {
    const good = isRecord(block) && typeof block.type === 'string'
    if (!good) faults.push('a content block has no type')
    return good
  })
}

function textsOf(blocks: Block[]): string[] {
  return blocks.flatMap(block => {
    if (block.type === 'text') return [String(block.text)]
    if (block.type === 'tool_result') return [resultOf(block).text]
    return []
  })
}

function resultOf(block: Block): ToolResult {
  return {
    id: String(block.tool_use_id),
    text: textsOf(asBlocks(block.content, [])).join('\n'),
    isError: block.is_error === true,
  }
}

// The real service refuses a tool_use without its tool_result in the next user message, and the reverse.
function unpairedTools(messages: Message[]): string[] {
  const faults: string[] = []
  let open = new Set<string>()
  for (const { role, blocks } of messages) {
    if (role === 'system') continue
    const results = blocks.filter(b => b.type === 'tool_result').map(b => String(b.tool_use_id))
    for (const id of results) if (!open.delete(id)) faults.push(`tool_result ${id} answers no tool_use`)
    if (open.size > 0) faults.push(`tool_use ${[...open].join(', ')} has no tool_result`)
    open = new Set(
      role === 'assistant' ? blocks.filter(b => b.type === 'tool_use').map(b => String(b.id)) : [],
    )
  }
  return faults
}

function answer(turn: Turn, reading: RequestReading, response: ServerResponse): void {
  if (turn.error) {
    sendError(response, turn.error)
    return
  }
  const content = contentOf(turn)
  const message = {
    id: `msg_${randomUUID().replaceAll('-', '')}`,
    type: 'message',
    role: 'assistant',
    model: reading.modelName,
    stop_sequence: null,
  }
  const stop_reason = turn.stop ?? (turn.tools?.length ? 'tool_use' : 'end_turn')
  const usage = usageOf(turn.usage)
  if (!reading.stream) {
    sendJson(response, 200, { ...message, content, stop_reason, usage })
    return
  }

  response.writeHead(200, { 'content-type': 'text/event-stream', 'request-id': `req_${randomUUID()}` })
  const emit = (type: string, data: Record<string, unknown>) =>
    response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`)
  emit('message_start', {
    message: { ...message, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } },
  })
  if (turn.drop === 'midway') {
    response.socket?.destroySoon()
    return
  }
  content.forEach((block, index) => {
    emit('content_block_start', { index, content_block: emptied(block) })
    for (const delta of deltasOf(block)) emit('content_block_delta', { index, delta })
    emit('content_block_stop', { index })
  })
  emit('message_delta', { delta: { stop_reason, stop_sequence: null }, usage })
  emit('message_stop', {})
  response.end()
}

function contentOf(turn: Turn): Block[] {
  const blocks: Block[] = []
  if (turn.thinking !== undefined)
    blocks.push({ type: 'thinking', thinking: turn.thinking, signature: 'c2ln' })
  if (turn.text !== undefined) blocks.push({ type: 'text', text: turn.text })
  for (const tool of turn.tools ?? []) {
    const id = tool.id ?? `toolu_${randomUUID().replaceAll('-', '')}`
    blocks.push({ type: 'tool_use', id, name: tool.name, input: tool.input })
  }
  return blocks
}

function emptied(block: Block): Block {
  if (block.type === 'thinking') return { type: 'thinking', thinking: '', signature: '' }
  if (block.type === 'text') return { type: 'text', text: '' }
  return { ...block, input: {} }
}

function deltasOf(block: Block): Record<string, unknown>[] {
  if (block.type === 'thinking')
    return [
      { type: 'thinking_delta', thinking: block.thinking },
      { type: 'signature_delta', signature: block.signature },
    ]
  if (block.type === 'text') return [{ type: 'text_delta', text: block.text }]
  return [{ type: 'input_json_delta', partial_json: JSON.stringify(block.input) }]
}

function usageOf(usage: Usage = {}) {
  return {
    input_tokens: usage.input ?? 10,
    output_tokens: usage.output ?? 5,
    cache_read_input_tokens: usage.cacheRead ?? 0,
    cache_creation_input_tokens: usage.cacheWrite ?? 0,
  }
}

function sendError(response: ServerResponse, { status, type, message, headers }: ModelError): void {
  sendJson(
    response,
    status,
    { type: 'error', error: { type, message }, request_id: `req_${randomUUID()}` },
    headers,
  )
}

function sendJson(
  response: ServerResponse,
  status: number,
  body: Record<string, unknown>,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(JSON.stringify(body))
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
