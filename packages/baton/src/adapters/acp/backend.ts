import {
  type AgentCapabilities,
  type ClientConnection,
  client,
  type McpServer,
  methods,
  ndJsonStream,
  PROTOCOL_VERSION,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionUpdate,
  type StopReason,
} from '@agentclientprotocol/sdk'
import { BatonError } from '@batonpass/contract/errors'
import type { AgentName } from '@batonpass/contract/event'
import type {
  Backend,
  BackendEvent,
  ConsentAnswer,
  ConsentRequest,
  PromptOptions,
  TurnEnd,
} from '../../ports/backend.ts'
import type { ToolServer } from '../../ports/driver.ts'
import { agentErrorText } from './agent-error.ts'
import { type AgentProgram, type ProgramStart, startProgram } from './program.ts'
import { callOf, resultOf } from './tool-call.ts'

export interface HostOrder extends ProgramStart {
  agent: AgentName
  /** Tools for every conversation of the agent. */
  tools?: ToolServer | undefined
  /** Baton's own version, reported to the agent. */
  version?: string
  /** Decides about a tool call; aborted when the agent withdraws its question. */
  consent(consent: ConsentRequest, signal: AbortSignal): Promise<ConsentAnswer>
  /** Called when another conversation is open; the caller that requested it waits for this. If it throws, it is not opened. */
  began?(conversation: { nativeSession: string; pid: number }): Promise<void>
  /** Called when the program has ended. */
  ended?(): Promise<void>
}

const START_MS = 90_000
const MAX_CALLS = 500
const MAX_REFUSALS = 20

/** Starts an agent's program and talks to it over the Agent Client Protocol. */
export async function hostAgent(order: HostOrder): Promise<Backend> {
  const program = await startProgram(order)
  const host = new AcpBackend(order, program)
  try {
    await host.greet()
    return host
  } catch (cause) {
    await host.close()
    throw cause
  }
}

class AcpBackend implements Backend {
  readonly agent: AgentName
  readonly pid: number
  readonly gone: Promise<string>
  nativeSession: string | undefined
  readonly #order: HostOrder
  readonly #program: AgentProgram
  readonly #connection: ClientConnection
  readonly #listeners = new Set<(heard: BackendEvent) => void>()
  readonly #calls = new Map<string, Extract<BackendEvent, { kind: 'call' }>>()
  #can: AgentCapabilities = {}
  /** Calls that wait for permission. */
  readonly #asked = new Map<string, AbortController>()
  /** True while the agent replays an earlier conversation, which must not be reported again. */
  #muted = false
  #stopped = false
  /** The call whose denial ends the turn, with the reason. */
  #refused: { call: Extract<BackendEvent, { kind: 'call' }>; why: string | undefined } | undefined

  constructor(order: HostOrder, program: AgentProgram) {
    this.#order = order
    this.#program = program
    this.agent = order.agent
    this.pid = program.pid
    this.gone = program.gone.then(async said => {
      await order.ended?.()
      return said
    })
    this.#connection = client({ name: 'baton' })
      .onRequest(methods.client.session.requestPermission, ({ params, signal }) =>
        this.#permit(params, signal),
      )
      .onNotification(methods.client.session.update, ({ params }) => {
        if (params.sessionId === this.nativeSession && !this.#muted) this.#hear(params.update)
      })
      .connect(ndJsonStream(program.input, program.output))
    this.#connection.closed.catch(() => {})
  }

  async greet(): Promise<void> {
    const answer = await this.#ask('start', signal =>
      this.#connection.agent.request(
        methods.agent.initialize,
        {
          protocolVersion: PROTOCOL_VERSION,
          clientInfo: { name: 'baton', version: this.#order.version ?? '0' },
          // The agent reads, writes and runs commands itself; it asks only for permission.
          clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
        },
        { cancellationSignal: signal, stopWaitingOnCancel: true },
      ),
    )
    this.#can = answer.agentCapabilities ?? {}
  }

  async begin(): Promise<string> {
    const { sessionId } = await this.#ask('begin a conversation', signal =>
      this.#connection.agent.request(
        methods.agent.session.new,
        { cwd: this.#order.cwd, mcpServers: this.#tools() },
        { cancellationSignal: signal, stopWaitingOnCancel: true },
      ),
    )
    await this.#opened(sessionId)
    return sessionId
  }

  async #opened(nativeSession: string): Promise<void> {
    const before = this.nativeSession
    this.nativeSession = nativeSession
    try {
      await this.#order.began?.({ nativeSession, pid: this.pid })
      this.#calls.clear()
    } catch (cause) {
      this.nativeSession = before
      throw cause
    }
  }

  #tools(): McpServer[] {
    const { tools } = this.#order
    return tools ? [{ name: tools.name, command: tools.command, args: [...tools.args], env: [] }] : []
  }

  async resume(nativeSession: string): Promise<boolean> {
    const { loadSession, sessionCapabilities } = this.#can
    const order = { sessionId: nativeSession, cwd: this.#order.cwd, mcpServers: this.#tools() }
    this.#muted = true
    try {
      if (sessionCapabilities?.resume)
        await this.#connection.agent.request(methods.agent.session.resume, order)
      else if (loadSession) await this.#connection.agent.request(methods.agent.session.load, order)
      else return false
      await this.#opened(nativeSession)
      return true
    } catch (cause) {
      if (this.#connection.signal.aborted) throw await this.#dead(cause)
      return false
    } finally {
      this.#muted = false
    }
  }

  async prompt(text: string, { before = [] }: PromptOptions = {}): Promise<TurnEnd> {
    const sessionId = this.nativeSession ?? (await this.begin())
    this.#stopped = false
    let end = await this.#turn(sessionId, [...before, text].join('\n\n'))
    const { endsWhenRefused } = this.#order.launch
    for (let n = 0; n < MAX_REFUSALS && end === endsWhenRefused; n++) {
      if (!this.#refused || this.#stopped) break
      const prompt = refusalWords(this.#refused)
      this.#tell({ kind: 'continued', prompt })
      end = await this.#turn(sessionId, prompt)
    }
    return end
  }

  async #turn(sessionId: string, text: string): Promise<TurnEnd> {
    this.#refused = undefined
    try {
      const { stopReason } = await this.#connection.agent.request(methods.agent.session.prompt, {
        sessionId,
        prompt: [{ type: 'text', text }],
      })
      return ENDS[stopReason]
    } catch (cause) {
      throw await this.#failed('answer', cause)
    }
  }

  async cancel(): Promise<void> {
    this.#stopped = true
    if (this.nativeSession === undefined || this.#connection.signal.aborted) return
    // Open questions belong to the turn, and must be answered before it can end.
    for (const asked of this.#asked.values()) asked.abort()
    await this.#connection.agent
      .notify(methods.agent.session.cancel, { sessionId: this.nativeSession })
      .catch(() => {})
  }

  listen(listener: (heard: BackendEvent) => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  async close(): Promise<void> {
    this.#connection.close()
    await this.#program.end()
    await this.gone
  }

  #hear(update: SessionUpdate): void {
    switch (update.sessionUpdate) {
      case 'agent_message_chunk':
        if (update.content.type === 'text')
          this.#tell({ kind: 'text', text: update.content.text, message: update.messageId ?? undefined })
        return
      case 'agent_thought_chunk':
        if (update.content.type === 'text') this.#tell({ kind: 'thought', text: update.content.text })
        return
      case 'tool_call':
      case 'tool_call_update': {
        this.#tell(this.#know(update))
        const result = resultOf(update)
        // A call that has ended was answered in another way, such as by the agent's own hook.
        if (result) this.#asked.get(result.id)?.abort()
        if (result) this.#tell(result)
        return
      }
      case 'usage_update':
        if (update.used >= 0)
          this.#tell({
            kind: 'usage',
            used: Math.floor(update.used),
            size: update.size > 0 ? update.size : undefined,
          })
        return
      case 'plan':
        this.#tell({
          kind: 'todos',
          items: update.entries.map(({ content, status }) => ({
            text: content,
            done: status === 'completed',
          })),
        })
        return
    }
  }

  #know(update: Parameters<typeof callOf>[0]): Extract<BackendEvent, { kind: 'call' }> {
    const call = callOf(update, this.#calls.get(update.toolCallId), this.#order.launch.inputOf)
    this.#calls.set(call.id, call)
    const [oldest] = this.#calls.keys()
    if (this.#calls.size > MAX_CALLS && oldest !== undefined) this.#calls.delete(oldest)
    return call
  }

  #tell(heard: BackendEvent): void {
    for (const listener of this.#listeners) listener(heard)
  }

  /** Only an explicit `allow` allows; any failure denies. */
  async #permit(
    { sessionId, toolCall, options }: RequestPermissionRequest,
    signal: AbortSignal,
  ): Promise<RequestPermissionResponse> {
    const always = options.some(({ kind }) => kind === 'allow_always')
    const call = this.#know(toolCall)
    const settled = new AbortController()
    this.#asked.set(call.id, settled)
    const over = AbortSignal.any([signal, settled.signal, this.#connection.signal])
    const stopped = new Promise<undefined>(resolve => {
      over.addEventListener('abort', () => resolve(undefined), { once: true })
    })
    const asked = this.#order.consent({ nativeSession: sessionId, call, always }, over)
    const answer = await Promise.race([asked.catch((): ConsentAnswer => 'deny'), stopped])
    if (this.#asked.get(call.id) === settled) this.#asked.delete(call.id)
    if (answer === undefined) return { outcome: { outcome: 'cancelled' } }
    const why = typeof answer === 'object' ? answer.deny : undefined
    const word = typeof answer === 'object' ? 'deny' : answer
    this.#refused = word === 'deny' ? { call, why } : undefined
    const wanted = WANTED[word]
    const option = wanted
      .map(kind => options.find(each => each.kind === kind))
      .find(each => each !== undefined)
    return { outcome: option ? { outcome: 'selected', optionId: option.optionId } : { outcome: 'cancelled' } }
  }

  async #ask<T>(what: string, request: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const late = AbortSignal.timeout(START_MS)
    try {
      return await request(late)
    } catch (cause) {
      if (late.aborted) throw new BatonError('timed_out', `The agent did not ${what} in time`, { cause })
      throw await this.#failed(what, cause)
    }
  }

  async #failed(what: string, cause: unknown): Promise<BatonError> {
    if (this.#connection.signal.aborted) return this.#dead(cause)
    return new BatonError('model_failed', `The agent could not ${what}: ${agentErrorText(cause)}`, { cause })
  }

  async #dead(cause: unknown): Promise<BatonError> {
    const said = await Promise.race([
      this.#program.gone,
      new Promise<string>(resolve => setTimeout(resolve, 500, '')),
    ])
    const last = said.split('\n').filter(Boolean).slice(-3).join('\n')
    return new BatonError('model_failed', `The agent has ended${last ? `: ${last}` : ''}`, { cause })
  }
}

const ENDS: Record<StopReason, TurnEnd> = {
  end_turn: 'ended',
  cancelled: 'cancelled',
  refusal: 'refused',
  max_tokens: 'limit',
  max_turn_requests: 'limit',
}

const WANTED: Record<
  Extract<ConsentAnswer, string>,
  readonly RequestPermissionRequest['options'][number]['kind'][]
> = {
  allow: ['allow_once'],
  always: ['allow_always', 'allow_once'],
  deny: ['reject_once', 'reject_always'],
}

/** What Baton tells the agent about a denied call that ended its turn. The call's title is the agent's own text. */
const refusalWords = ({ call, why }: { call: { title: string }; why: string | undefined }): string =>
  `That call was refused${why ? `: ${why}` : ''} (${call.title.slice(0, 200)}). Do not try it again in another form. Continue in another way, or say what you need.`
