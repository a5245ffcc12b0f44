import type { Action } from '@batonpass/contract/event'
import type { TranscriptItem } from '../../../ports/transcript.ts'
import { amount, isRow, objectAt, type Row, textAt, timeIn } from '../json-lines.ts'
import { type LineForm, lineReader, lineTranscripts } from '../line-transcripts.ts'
import { readPayload } from '../payload.ts'
import { TodoList } from '../todo-list.ts'
import { actionBy } from '../tool-actions.ts'
import { tools } from './actions.ts'

/** Copilot CLI's events.jsonl: `{type, data, timestamp}` a line. */
const form: LineForm = {
  agent: 'copilot',
  knows: head => /^\s*\{"type":"session\.start"/.test(head),
  begin() {
    const todos = new TodoList()
    return { tell: row => tell(row, todos), spent }
  },
  measured(row) {
    if (row.type === 'session.compaction_complete') return 'smaller'
    const usage = row.type === 'session.usage_record' ? objectAt(objectAt(row, 'data'), 'usage') : undefined
    if (!usage) return undefined
    const [size, model] = [amount(usage.maxPromptTokens), textAt(usage, 'model')]
    return {
      used: amount(usage.inputTokens) + amount(usage.outputTokens),
      ...(size > 0 ? { size } : {}),
      ...(model ? { model } : {}),
    }
  },
  error: row => (row.type === 'session.error' ? textAt(objectAt(row, 'data'), 'message') : undefined),
}

export const reader = lineReader(form)
export const transcripts = lineTranscripts(form)

function spent(row: Row) {
  const usage = row.type === 'session.usage_record' ? objectAt(objectAt(row, 'data'), 'usage') : undefined
  const id = textAt(usage, 'apiCallId') ?? textAt(row, 'id')
  if (!usage || id === undefined) return undefined
  const cacheRead = amount(usage.cacheReadTokens)
  return {
    id,
    usage: {
      model: textAt(usage, 'model')?.slice(0, 100) ?? '',
      input: Math.max(0, amount(usage.inputTokens) - cacheRead),
      output: amount(usage.outputTokens),
      cacheRead,
      cacheWrite: amount(usage.cacheWriteTokens),
    },
  }
}

function tell(row: Row, todos: TodoList): TranscriptItem[] {
  const data = objectAt(row, 'data')
  const at = timeIn(row.timestamp)
  if (!data) return []
  switch (row.type) {
    case 'session.start':
      return [
        {
          kind: 'about',
          session: textAt(data, 'sessionId'),
          cwd: textAt(objectAt(data, 'context'), 'cwd'),
          at,
        },
      ]
    case 'user.message': {
      const text = textAt(data, 'content')?.trim()
      return text ? [{ kind: 'prompt', text, at }] : []
    }
    case 'assistant.message': {
      const text = textAt(data, 'content')
      const calls: unknown[] = Array.isArray(data.toolRequests) ? data.toolRequests : []
      return [
        ...(text ? [{ kind: 'reply' as const, id: textAt(data, 'messageId'), text, at }] : []),
        ...calls.flatMap((call): TranscriptItem[] => tellCall(call, todos, at)),
      ]
    }
    case 'tool.execution_complete': {
      const id = textAt(data, 'toolCallId')
      if (id === undefined) return []
      const text =
        textAt(objectAt(data, 'result'), 'content') ?? textAt(objectAt(data, 'error'), 'message') ?? ''
      const code = objectAt(data, 'shellExecution')?.exitCode
      const failed = data.success === false || (typeof code === 'number' && code !== 0)
      const list = todos.finished(id, failed, undefined, text)
      return [
        { kind: 'result', id, failed, text, at },
        ...(list ? [{ kind: 'todos' as const, items: list, at }] : []),
      ]
    }
    default:
      return []
  }
}

function tellCall(call: unknown, todos: TodoList, at: number | undefined): TranscriptItem[] {
  const [id, tool] = isRow(call) ? [textAt(call, 'toolCallId'), textAt(call, 'name')] : []
  if (!isRow(call) || id === undefined || tool === undefined) return []
  todos.called(id, call.arguments)
  return [{ kind: 'call', id, tool, action: action(tool, call.arguments), at }]
}

function action(tool: string, input: unknown): Action {
  try {
    const fields = readPayload('Copilot CLI', { input: isRow(input) ? input : {} }).inside('input')
    return actionBy(tools, tool, fields, undefined)
  } catch {
    return { kind: 'other' }
  }
}
