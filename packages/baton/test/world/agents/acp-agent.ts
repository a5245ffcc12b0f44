#!/usr/bin/env node
/**
 * A small agent that speaks the Agent Client Protocol and does what its prompts say, line by line: `say X`, `run CMD`
 * (asks for consent first), `write PATH`, `wait` (or `work`), `refuse`, `fail`, `die`, `huge`, `usage N`, `echo` (repeats the whole
 * prompt). Prompts and new conversations go to the file ACP_LOG. What it answers to a request for a document is in ACP_DOCUMENTS, one for each time of asking.
 */
import { appendFileSync } from 'node:fs'
import { Readable, Writable } from 'node:stream'
import {
  type AgentContext,
  agent,
  methods,
  ndJsonStream,
  RequestError,
  type SessionUpdate,
} from '@agentclientprotocol/sdk'

const documents: string[] = JSON.parse(process.env.ACP_DOCUMENTS ?? '[]')
const cancelled = new Map<string, AbortController>()
let sessions = 0
let calls = 0

const connection = agent({ name: 'acp-agent' })
  .onRequest(methods.agent.initialize, ({ params }) => ({
    protocolVersion: params.protocolVersion,
    agentCapabilities: { loadSession: process.env.ACP_LOADS === '1' },
  }))
  .onRequest(methods.agent.session.new, () => {
    if (process.env.ACP_SESSIONS && sessions >= Number(process.env.ACP_SESSIONS))
      throw RequestError.internalError()
    const sessionId = `native-${process.pid}-${++sessions}`
    log({ pid: process.pid, began: sessionId })
    return { sessionId }
  })
  .onRequest(methods.agent.session.load, () => ({}))
  .onRequest(methods.agent.session.prompt, ({ params, client }) =>
    turn(params.sessionId, textIn(params.prompt), client),
  )
  .onNotification(methods.agent.session.cancel, ({ params }) => cancelled.get(params.sessionId)?.abort())
  .connect(
    ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>),
  )
await connection.closed
process.exit(0)

function log(row: object): void {
  if (process.env.ACP_LOG) appendFileSync(process.env.ACP_LOG, `${JSON.stringify(row)}\n`)
}

function textIn(prompt: readonly { type: string; text?: string }[]): string {
  return prompt.map(block => block.text ?? '').join('')
}

async function turn(sessionId: string, prompt: string, client: AgentContext) {
  log({ pid: process.pid, session: sessionId, prompt })
  const stop = new AbortController()
  cancelled.set(sessionId, stop)
  const asksForDocument = /Describe the state of this work|does not agree with what git/.test(prompt)
  const words = asksForDocument ? (documents.shift() ?? 'silent') : prompt
  const lines =
    /^(?:wait|die|refuse|fail|silent|huge)$/.test(words) || !asksForDocument ? words.split('\n') : []
  if (lines.length === 0) await say(words)
  for (const line of lines) {
    const [verb = '', ...rest] = line.split(' ')
    const about = rest.join(' ')
    if (verb === 'say') await say(about)
    if (verb === 'echo') await say(prompt)
    if (verb === 'huge') await say('x'.repeat(3_000_000))
    if (verb === 'usage') await update({ sessionUpdate: 'usage_update', used: Number(about), size: 1000 })
    if (verb === 'die') process.exit(7)
    if (verb === 'fail') throw RequestError.internalError({ why: 'asked to' }, 'the model is gone')
    if (verb === 'refuse') return { stopReason: 'refusal' as const }
    if (verb === 'run') await tool('execute', 'Bash', { command: about })
    if (verb === 'write') await tool('edit', 'Write', { file_path: about })
    if (verb === 'wait' || verb === 'work')
      await new Promise<void>(resolve => stop.signal.addEventListener('abort', () => resolve()))
    if (stop.signal.aborted) return { stopReason: 'cancelled' as const }
  }
  return { stopReason: 'end_turn' as const }

  async function say(text: string): Promise<void> {
    const half = Math.ceil(text.length / 2)
    for (const part of [text.slice(0, half), text.slice(half)])
      await update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: part } })
  }

  async function tool(
    kind: 'execute' | 'edit',
    name: string,
    rawInput: Record<string, string>,
  ): Promise<void> {
    const toolCallId = `call-${++calls}`
    const title = Object.values(rawInput).join(' ')
    await update({ sessionUpdate: 'tool_call', toolCallId, title, name, kind, status: 'pending', rawInput })
    const { outcome } = await client.request(methods.client.session.requestPermission, {
      sessionId,
      toolCall: { toolCallId, title, name, kind, rawInput },
      options: [
        { optionId: 'yes', name: 'Yes', kind: 'allow_once' },
        { optionId: 'all', name: 'Always', kind: 'allow_always' },
        { optionId: 'no', name: 'No', kind: 'reject_once' },
      ],
    })
    const ran = outcome.outcome === 'selected' && outcome.optionId !== 'no'
    const text = outcome.outcome === 'selected' ? `answered ${outcome.optionId}` : 'cancelled'
    await update({
      sessionUpdate: 'tool_call_update',
      toolCallId,
      status: ran ? 'completed' : 'failed',
      content: [{ type: 'content', content: { type: 'text', text } }],
    })
    await say(`[${text}]`)
  }

  function update(news: SessionUpdate): Promise<void> {
    return client.notify(methods.client.session.update, { sessionId, update: news })
  }
}
