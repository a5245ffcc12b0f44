import type { Action } from '@batonpass/contract/event'
import type { ContextSize, TranscriptItem, TranscriptReader } from '../../../ports/transcript.ts'
import {
  amount,
  isRow,
  objectAt,
  type Row,
  rowsFromEnd,
  rowsOf,
  textAt,
  textsIn,
  timeIn,
} from '../json-lines.ts'
import { readPayload } from '../payload.ts'
import { TodoList } from '../todo-list.ts'
import { actionOf } from './actions.ts'
import { modes } from './modes.ts'

/** Claude Code's transcripts, told in our words. */
export const claudeReader: TranscriptReader = {
  agent: 'claude-code',
  knows: head => /"sessionId":"|"type":"(?:user|assistant|summary|file-history-snapshot)"/.test(head),
  async *read(path) {
    const todos = new TodoList()
    let known = { session: '', cwd: '' }
    for await (const rows of rowsOf(path, isTalk)) {
      const told: TranscriptItem[] = []
      for (const row of rows) {
        // The folder the session began in; a later `cd` does not move it.
        const about = {
          session: known.session || (textAt(row, 'sessionId') ?? ''),
          cwd: known.cwd || (textAt(row, 'cwd') ?? ''),
        }
        if (about.session !== known.session || about.cwd !== known.cwd) told.push({ kind: 'about', ...about })
        known = about
        told.push(...tellMode(row))
        if (row.isSidechain !== true) told.push(...tell(row, todos))
      }
      yield told
    }
  },
  contextSize: async path => (await measure(path))?.used,
  measure,
}

async function measure(path: string): Promise<ContextSize | undefined> {
  for await (const row of rowsFromEnd(path)) {
    if (row.isCompactSummary === true || row.subtype === 'compact_boundary') return undefined
    const message = objectAt(row, 'message')
    const usage = objectAt(message, 'usage')
    // A message that Claude Code made up itself (an error, an interrupt) carries a usage of nothing.
    if (row.type !== 'assistant' || row.isSidechain === true || !usage) continue
    const { input_tokens, cache_read_input_tokens, cache_creation_input_tokens, output_tokens } = usage
    const parts = [input_tokens, cache_read_input_tokens, cache_creation_input_tokens, output_tokens]
    const used = parts.reduce<number>((sum, part) => sum + amount(part), 0)
    const model = textAt(message, 'model')?.slice(0, 200)
    if (used > 0) return { used, ...(model ? { model } : {}) }
  }
  return undefined
}

/** Most of a transcript's bytes are copies of requests, which tell nothing new. */
const isTalk = (line: Buffer): boolean => !line.subarray(0, 32).includes('"type":"api-request')

/** Rows of their own, and the user's prompts, name the permission mode. */
function tellMode(row: Row): TranscriptItem[] {
  const native = textAt(row, 'permissionMode')
  if (native === undefined || row.isSidechain === true) return []
  return [{ kind: 'mode', mode: Object.hasOwn(modes, native) ? modes[native] : undefined }]
}

function tell(row: Row, todos: TodoList): TranscriptItem[] {
  const at = timeIn(row.timestamp)
  const content = objectAt(row, 'message')?.content
  if (row.type === 'assistant') return tellReply(row, content, todos, at)
  if (row.type !== 'user') return []
  const results = (Array.isArray(content) ? content : []).flatMap((block: unknown): TranscriptItem[] => {
    const id = isRow(block) && block.type === 'tool_result' ? textAt(block, 'tool_use_id') : undefined
    if (id === undefined || !isRow(block)) return []
    const text = textsIn(block.content).join('\n')
    const list = todos.finished(id, block.is_error === true, row.toolUseResult, text)
    return [
      { kind: 'result', id, failed: block.is_error === true, text, at },
      ...(list ? [{ kind: 'todos' as const, items: list, at }] : []),
    ]
  })
  if (results.length > 0) return results
  if (row.isMeta === true || row.isCompactSummary === true) return []
  const text = promptIn(textsIn(content).join('\n'))
  return text === undefined ? [] : [{ kind: 'prompt', text, at }]
}

function tellReply(row: Row, content: unknown, todos: TodoList, at: number | undefined): TranscriptItem[] {
  if (row.isApiErrorMessage === true || !Array.isArray(content)) return []
  const reply = textAt(objectAt(row, 'message'), 'id')
  return content.flatMap((block: unknown): TranscriptItem[] => {
    if (!isRow(block)) return []
    const text = block.type === 'text' ? textAt(block, 'text') : undefined
    if (text !== undefined) return [{ kind: 'reply', id: reply, text, at }]
    const [id, tool] = [textAt(block, 'id'), textAt(block, 'name')]
    if (block.type !== 'tool_use' || id === undefined || tool === undefined) return []
    todos.called(id, block.input)
    return [{ kind: 'call', id, tool, action: action(tool, block.input, textAt(row, 'cwd')), at }]
  })
}

function action(tool: string, input: unknown, cwd: string | undefined): Action {
  try {
    return actionOf(tool, readPayload('claude-code', { tool_input: input, cwd }))
  } catch {
    return { kind: 'other' }
  }
}

/** What the person typed; undefined for what Claude Code writes in their name. */
function promptIn(text: string): string | undefined {
  const command = between(text, 'command-name')
  if (command !== undefined && command !== '' && command.length < 100) {
    const args = between(text, 'command-args')
    const name = command.startsWith('/') ? command : `/${command}`
    return args ? `${name} ${args}` : name
  }
  const said = text.trim()
  return said === '' || NOT_SAID.test(said) ? undefined : said
}

/** Searched, not matched: in hostile text an expression could take forever. */
function between(text: string, tag: string): string | undefined {
  const from = text.indexOf(`<${tag}>`)
  const to = from < 0 ? -1 : text.indexOf(`</${tag}>`, from)
  return to < 0 ? undefined : text.slice(from + tag.length + 2, to).trim()
}

const NOT_SAID =
  /^(?:<(?:local-command|bash-|task-notification|system-reminder|user-memory|ide_)|\[Request interrupted by user|Caveat: The messages below|This session is being continued from a previous conversation)/
