import type { BackendEvent } from '../../ports/backend.ts'
import type { SessionMessage } from './entries.ts'

type Call = Extract<BackendEvent, { kind: 'call' }>
interface Block {
  type: string
  [key: string]: unknown
}

export interface ReplyStamp {
  agent: string
  now: number
}

/** Builds the messages of a conversation from the agent's updates. Pure: the caller passes the time. */
export class ReplyBuilder {
  #blocks: Block[] = []
  #message: string | undefined
  /** Tool calls of the unfinished reply, with the ids of the entries that each one became. */
  #calls = new Map<string, { name: string; ids: string[] }>()
  #size: number | undefined
  #lists = 0

  /** Adds an update and returns the messages that are now complete. */
  take(heard: BackendEvent, stamp: ReplyStamp): SessionMessage[] {
    switch (heard.kind) {
      case 'text': {
        const next =
          heard.message !== undefined && this.#message !== undefined && heard.message !== this.#message
        const whole = next ? this.end(stamp, 'stop') : []
        this.#message = heard.message ?? this.#message
        this.#write('text', 'text', heard.text)
        return whole
      }
      case 'thought':
        this.#write('thinking', 'thinking', heard.text)
        return []
      case 'call':
        this.#call(heard)
        return []
      case 'result': {
        const { name, ids } = this.#calls.get(heard.id) ?? { name: 'tool', ids: [] }
        if (ids.length === 0) return []
        this.#calls.delete(heard.id)
        return [...this.end(stamp, 'toolUse'), ...ids.map(id => resultOf(id, name, heard, stamp))]
      }
      case 'todos': {
        const id = `todos-${stamp.now}-${++this.#lists}`
        const todos = heard.items.map(({ text, done }) => ({
          content: text,
          status: done ? 'completed' : 'pending',
        }))
        this.#blocks.push({ type: 'toolCall', id, name: 'todo', arguments: { todos } })
        const result = { kind: 'result', id, failed: false, text: '' } as const
        return [...this.end(stamp, 'toolUse'), resultOf(id, 'todo', result, stamp)]
      }
      case 'usage':
        this.#size = heard.used
        return []
      case 'continued':
        return this.end(stamp, 'stop')
    }
  }

  /** Completes the unfinished reply; returns nothing if it is empty. */
  end({ agent, now }: ReplyStamp, stopReason: 'stop' | 'toolUse' | 'aborted' | 'error'): SessionMessage[] {
    const content = this.#blocks
    this.#blocks = []
    this.#message = undefined
    if (content.length === 0) return []
    const usage = {
      input: 0,
      output: 0,
      cacheRead: 0,
      cacheWrite: 0,
      totalTokens: this.#size ?? 0,
      cost: NO_COST,
    }
    return [
      {
        role: 'assistant',
        content,
        api: 'acp',
        provider: 'baton',
        model: agent,
        usage,
        stopReason,
        timestamp: now,
      },
    ]
  }

  /** Drops calls that never finished; called at the end of a turn. */
  forgetCalls(): void {
    this.#calls.clear()
  }

  #write(type: string, key: string, text: string): void {
    const last = this.#blocks.at(-1)
    if (last?.type === type) last[key] = `${last[key]}${text}`
    else this.#blocks.push({ type, [key]: text })
  }

  /** Adds or updates a call. An update may add details until the call has finished. */
  #call(call: Call): void {
    const made = entriesOf(call)
    const known = this.#calls.get(call.id)
    const at = this.#blocks.findIndex(({ id }) => id === call.id)
    if (known && at < 0) return
    if (at < 0) this.#blocks.push(...made)
    else this.#blocks.splice(at, known?.ids.length ?? 1, ...made)
    this.#calls.set(call.id, { name: String(made[0]?.name), ids: made.map(({ id }) => String(id)) })
  }
}

const NO_COST = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 }

/** A call in terms of pi's own tools, so that programs that read pi's files understand it; one entry per file. */
function entriesOf({ id, tool, input, action }: Call): Block[] {
  const toolCall = (name: string, args: unknown, nth = 0): Block => ({
    type: 'toolCall',
    id: nth === 0 ? id : `${id}#${nth}`,
    name,
    arguments: args,
  })
  if (action.kind === 'shell') return [toolCall('bash', { command: action.command })]
  if (action.kind === 'write') return action.paths.map((path, i) => toolCall('edit', { path }, i))
  if (action.kind === 'read') return action.paths.map((path, i) => toolCall('read', { path }, i))
  return [toolCall(tool, input)]
}

const resultOf = (
  toolCallId: string,
  toolName: string,
  { failed, text }: Extract<BackendEvent, { kind: 'result' }>,
  { now }: ReplyStamp,
): SessionMessage => ({
  role: 'toolResult',
  toolCallId,
  toolName,
  content: [{ type: 'text', text }],
  isError: failed,
  timestamp: now,
})
