import type { Action } from '@batonpass/contract/event'
import type { Todo, TranscriptItem, Transcripts } from '../../../ports/transcript.ts'
import { amount, isRow, objectAt, parsed, type Row, textAt, timeIn } from '../json-lines.ts'
import { type LineForm, lineReader, lineTranscripts } from '../line-transcripts.ts'
import { readPayload } from '../payload.ts'
import { actionOf } from './actions.ts'

/** Codex's rollout files: `{timestamp, type, payload}` a line. */
const form: LineForm = {
  agent: 'codex',
  knows: head => /^\s*\{[^\n]{0,300}"type":"session_meta"/.test(head),
  begin() {
    let model = ''
    const questions = new Map<string, string>()
    return {
      tell: row => tell(row, questions),
      spent(row) {
        const payload = objectAt(row, 'payload')
        if (row.type === 'turn_context') model = textAt(payload, 'model')?.slice(0, 100) ?? model
        const [usage, id] = [objectAt(payload, 'usage'), textAt(payload, 'response_id')]
        if (row.type !== 'token_usage_record' || !usage || id === undefined) return undefined
        const cacheRead = amount(usage.cached_input_tokens)
        const input = Math.max(0, amount(usage.input_tokens) - cacheRead)
        return { id, usage: { model, input, output: amount(usage.output_tokens), cacheRead, cacheWrite: 0 } }
      },
    }
  },
  measured(row) {
    if (row.type === 'compacted') return 'smaller'
    const payload = objectAt(row, 'payload')
    const info =
      row.type === 'event_msg' && payload?.type === 'token_count' ? objectAt(payload, 'info') : undefined
    const last = objectAt(info, 'last_token_usage')
    if (!last) return undefined
    const size = amount(info?.model_context_window)
    return {
      used: amount(last.total_tokens) || amount(last.input_tokens) + amount(last.output_tokens),
      ...(size > 0 ? { size } : {}),
    }
  },
  error(row) {
    const payload = objectAt(row, 'payload')
    if (row.type !== 'event_msg') return undefined
    // The end of a turn that failed.
    if (payload?.type === 'task_complete') return textAt(objectAt(payload, 'error'), 'message')
    return payload?.type === 'error' ? textAt(payload, 'message') : undefined
  },
}

export const reader = lineReader(form)
export const transcripts: Transcripts = { ...lineTranscripts(form), failsSilently: true }

/** `questions`: the open questions to the user, by their call. */
function tell(row: Row, questions: Map<string, string>): TranscriptItem[] {
  const payload = objectAt(row, 'payload')
  const at = timeIn(row.timestamp)
  if (!payload) return []
  if (row.type === 'session_meta')
    return [{ kind: 'about', session: textAt(payload, 'id'), cwd: textAt(payload, 'cwd'), at }]
  if (row.type === 'compacted') {
    const text = textAt(payload, 'message')
    return text ? [{ kind: 'summary', text, at }] : []
  }
  if (row.type !== 'response_item') return []
  const id = textAt(payload, 'call_id')
  switch (payload.type) {
    case 'message':
      return tellMessage(payload, at)
    case 'function_call':
    case 'custom_tool_call':
      if (id !== undefined && payload.name === 'request_user_input')
        questions.set(id, textAt(payload, 'arguments')?.slice(0, 20_000) ?? '')
      return id === undefined ? [] : tellCall(payload, id, at)
    case 'function_call_output':
    case 'custom_tool_call_output': {
      if (id === undefined) return []
      const text = typeof payload.output === 'string' ? payload.output : textsOf(payload.output)
      const asked = questions.get(id)
      questions.delete(id)
      return [
        { kind: 'result', id, failed: FAILED.test(text.slice(0, 500)), text, at },
        ...(asked === undefined ? [] : answersIn(asked, text)).map(
          (words): TranscriptItem => ({ kind: 'prompt', text: words, to: 'question', at }),
        ),
      ]
    }
    default:
      return []
  }
}

const FAILED =
  /exited with code (?!0\b)-?\d|^Exit code: (?!0\b)|blocked by PreToolUse hook|"exit_code":\s*[1-9]/m

/** What the user answered, with the questions. */
function answersIn(asked: string, output: string): string[] {
  const [questions, answers] = [parsed(asked), objectAt(asRow(parsed(output)), 'answers')]
  const list: unknown[] = isRow(questions) && Array.isArray(questions.questions) ? questions.questions : []
  return Object.entries(answers ?? {}).flatMap(([id, answer]) => {
    const given: unknown = isRow(answer) ? answer.answers : answer
    const words = (Array.isArray(given) ? given : [given]).filter(
      each => typeof each === 'string' && each !== '',
    )
    const question = list.find(each => isRow(each) && each.id === id)
    const about = isRow(question) ? textAt(question, 'question')?.slice(0, 300) : undefined
    return words.length === 0 ? [] : [`${words.join(', ')}${about ? ` (answer to: ${about})` : ''}`]
  })
}

const asRow = (value: unknown): Row | undefined => (isRow(value) ? value : undefined)

function tellMessage(payload: Row, at: number | undefined): TranscriptItem[] {
  const text = textsOf(payload.content).trim()
  if (text === '') return []
  if (payload.role === 'assistant') return [{ kind: 'reply', id: textAt(payload, 'id'), text, at }]
  // What Codex itself, its hooks and the project's instructions say is stored as the user's words, too.
  if (payload.role !== 'user' || NOT_SAID.test(text)) return []
  const own = requestIn(text)
  return own === '' ? [] : [{ kind: 'prompt', text: own, at }]
}

/** The editor extension puts the open files before the user's words. */
function requestIn(text: string): string {
  const heading = '## My request for Codex:'
  const from = text.startsWith('# Context from my IDE setup:') ? text.indexOf(heading) : -1
  return from < 0 ? text : text.slice(from + heading.length).trim()
}

const NOT_SAID =
  /^(?:<(?:environment_context|user_instructions|hook_prompt|turn_aborted|user_shell_command|skill|subagent_notification|user_action|collaboration_mode)\b|# AGENTS\.md instructions)/

function tellCall(payload: Row, id: string, at: number | undefined): TranscriptItem[] {
  const tool = textAt(payload, 'name') ?? 'unknown'
  const input = payload.type === 'custom_tool_call' ? { command: payload.input } : parsed(payload.arguments)
  const todos = tool === 'update_plan' && isRow(input) ? plan(input.plan) : undefined
  return [
    { kind: 'call', id, tool, action: action(tool, input), at },
    ...(todos ? [{ kind: 'todos' as const, items: todos, at }] : []),
  ]
}

/** The shell tools by their own names; hooks are told of them as `Bash`. */
function action(tool: string, input: unknown): Action {
  const given = isRow(input) ? input : {}
  const words = given.cmd ?? given.command
  const command = Array.isArray(words) ? words.map(String).join(' ') : words
  const shell = ['exec_command', 'shell_command', 'shell', 'local_shell'].includes(tool)
  try {
    const fields = readPayload('Codex', { input: { ...given, command } }).inside('input')
    return actionOf(shell ? 'Bash' : tool, fields, undefined)
  } catch {
    return { kind: 'other' }
  }
}

function plan(steps: unknown): readonly Todo[] | undefined {
  if (!Array.isArray(steps)) return undefined
  return steps.flatMap((step: unknown) => {
    const text = isRow(step) ? textAt(step, 'step') : undefined
    return text === undefined || !isRow(step) ? [] : [{ text, done: step.status === 'completed' }]
  })
}

function textsOf(content: unknown): string {
  if (!Array.isArray(content)) return ''
  return content.flatMap((part: unknown) => (isRow(part) ? (textAt(part, 'text') ?? []) : [])).join('\n')
}
