import type { Action } from '@batonpass/contract/event'
import type { TranscriptItem, Transcripts } from '../../../ports/transcript.ts'
import { amount, isRow, objectAt, parsed, type Row, textAt, timeIn } from '../json-lines.ts'
import { type LineForm, lineReader, lineTranscripts } from '../line-transcripts.ts'
import { readPayload } from '../payload.ts'
import { TodoList } from '../todo-list.ts'
import { actionOf } from './actions.ts'

/** Gemini CLI's chat files: a line for the session, then messages; a message that changed is written again, whole. */
const form: LineForm = {
  agent: 'gemini',
  knows: head => /^\s*\{"sessionId":"[^"\n]{1,128}","projectHash":"/.test(head),
  begin() {
    const todos = new TodoList()
    const told = new Set<string>()
    return { tell: row => tell(row, todos, told), spent }
  },
  measured(row) {
    const tokens = row.type === 'gemini' ? objectAt(row, 'tokens') : undefined
    if (!tokens) return undefined
    const model = textAt(row, 'model')
    return {
      used: amount(tokens.total) || amount(tokens.input) + amount(tokens.output),
      ...(model ? { model } : {}),
    }
  },
  error: row => (row.type === 'error' ? textsOf(row.content) : undefined),
}

export const reader = lineReader(form)
export const transcripts: Transcripts = { ...lineTranscripts(form), failsSilently: true }

function spent(row: Row) {
  const tokens = row.type === 'gemini' ? objectAt(row, 'tokens') : undefined
  const id = textAt(row, 'id')
  if (!tokens || id === undefined) return undefined
  const cacheRead = amount(tokens.cached)
  return {
    id,
    usage: {
      model: textAt(row, 'model')?.slice(0, 100) ?? '',
      input: Math.max(0, amount(tokens.input) - cacheRead),
      output: amount(tokens.output) + amount(tokens.thoughts),
      cacheRead,
      cacheWrite: 0,
    },
  }
}

function tell(row: Row, todos: TodoList, told: Set<string>): TranscriptItem[] {
  const at = timeIn(row.timestamp)
  const once = (key: string): boolean => !told.has(key) && Boolean(told.add(key))
  const session = textAt(row, 'sessionId')
  if (session !== undefined) return [{ kind: 'about', session, at }]
  const id = textAt(row, 'id') ?? ''
  const text = textsOf(row.content).trim()
  if (row.type === 'user') {
    const said = withoutContext(text)
    // A prompt that is shown as another one was written by a hook.
    return said !== '' && row.displayContent === undefined && once(`user ${id}`)
      ? [{ kind: 'prompt', text: said, at }]
      : []
  }
  if (row.type !== 'gemini') return []
  const calls: unknown[] = Array.isArray(row.toolCalls) ? row.toolCalls : []
  return [
    ...(text !== '' && once(`reply ${id}`) ? [{ kind: 'reply' as const, id, text, at }] : []),
    ...calls.flatMap((call): TranscriptItem[] => (isRow(call) ? tellCall(call, todos, once, at) : [])),
  ]
}

function tellCall(
  call: Row,
  todos: TodoList,
  once: (key: string) => boolean,
  at: number | undefined,
): TranscriptItem[] {
  const [id, tool] = [textAt(call, 'id'), textAt(call, 'name')]
  if (id === undefined || tool === undefined) return []
  const asked: TranscriptItem[] = once(`call ${id}`)
    ? [{ kind: 'call', id, tool, action: action(tool, call.args), at }]
    : []
  if (!['success', 'error', 'cancelled'].includes(String(call.status)) || !once(`result ${id}`)) return asked
  const failed = call.status !== 'success'
  const text = resultText(call.result)
  todos.called(id, call.args)
  const list = todos.finished(id, failed, undefined, text)
  return [
    ...asked,
    {
      kind: 'result',
      id,
      failed: failed || /^(?:Exit Code|Error): (?!0\b)/m.test(text.slice(0, 2000)),
      // Gemini CLI labels the first line of a command's output.
      text: text.replace(/^Output: /m, '').replace(SUBAGENT_ENDED, ''),
      at,
    },
    ...(tool === 'ask_user' && !failed ? answersIn(call.args, text) : []).map(
      (words): TranscriptItem => ({ kind: 'prompt', text: words, to: 'question', at }),
    ),
    ...(list ? [{ kind: 'todos' as const, items: list, at }] : []),
  ]
}

/** What Gemini CLI puts before a subagent's report. */
const SUBAGENT_ENDED = /^Subagent '[^'\n]{1,200}' finished\.\nTermination Reason: [^\n]{0,200}\nResult:\n/

/** What the user answered, with the questions. The answers are numbered like the questions. */
function answersIn(asked: unknown, output: string): string[] {
  const questions: unknown[] = isRow(asked) && Array.isArray(asked.questions) ? asked.questions : []
  const result = parsed(output)
  return Object.entries((isRow(result) && objectAt(result, 'answers')) || {}).flatMap(([n, answer]) => {
    if (typeof answer !== 'string' || answer.trim() === '') return []
    const question = questions[Number(n)]
    const about = isRow(question) ? textAt(question, 'question')?.slice(0, 300) : undefined
    return [`${answer}${about ? ` (answer to: ${about})` : ''}`]
  })
}

function resultText(result: unknown): string {
  const parts: unknown[] = Array.isArray(result) ? result : []
  return parts
    .flatMap(part => {
      const response = isRow(part) ? objectAt(objectAt(part, 'functionResponse'), 'response') : undefined
      return textAt(response, 'output') ?? textAt(response, 'error') ?? []
    })
    .join('\n')
}

function action(tool: string, input: unknown): Action {
  try {
    return actionOf(tool, readPayload('Gemini CLI', { tool_input: isRow(input) ? input : {} }))
  } catch {
    return { kind: 'other' }
  }
}

/** Gemini CLI's own words about the folder, and what hooks said at the start, are no person's. */
function withoutContext(text: string): string {
  if (text.startsWith('<session_context>')) return ''
  const end = text.startsWith('<hook_context>') ? text.indexOf('</hook_context>') : -1
  return end < 0 ? text : text.slice(end + '</hook_context>'.length).trim()
}

function textsOf(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content.flatMap((part: unknown) => (isRow(part) ? (textAt(part, 'text') ?? []) : [])).join('\n')
}
