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
    const tools = new Map<string, string>()
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
        if (row.isSidechain !== true) told.push(...tell(row, todos, tools))
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

function tell(row: Row, todos: TodoList, tools: Map<string, string>): TranscriptItem[] {
  const at = timeIn(row.timestamp)
  const content = objectAt(row, 'message')?.content
  if (row.type === 'assistant') return tellReply(row, content, todos, tools, at)
  if (row.type === 'queue-operation' || row.type === 'attachment') return tellQueued(row, at)
  if (row.type !== 'user') return []
  const results = (Array.isArray(content) ? content : []).flatMap((block: unknown): TranscriptItem[] => {
    const id = isRow(block) && block.type === 'tool_result' ? textAt(block, 'tool_use_id') : undefined
    if (id === undefined || !isRow(block)) return []
    const text = textsIn(block.content).join('\n')
    const list = todos.finished(id, block.is_error === true, row.toolUseResult, text)
    const tool = tools.get(id) ?? ''
    tools.delete(id)
    return [
      { kind: 'result', id, failed: block.is_error === true, text, at },
      ...answersIn(tool, block.is_error === true, row.toolUseResult, text).map(
        (words): TranscriptItem => ({ kind: 'prompt', text: words, to: 'question', at }),
      ),
      ...reasonIn(tool, block.is_error === true, row.toolUseResult, text).map(
        (words): TranscriptItem => ({ kind: 'prompt', text: words, to: 'tool', at }),
      ),
      ...(list ? [{ kind: 'todos' as const, items: list, at }] : []),
    ]
  })
  if (results.length > 0) return results
  if (row.isCompactSummary === true) return [{ kind: 'summary', text: textsIn(content).join('\n'), at }]
  const origin = textAt(objectAt(row, 'origin'), 'kind')
  if (row.isMeta === true || (origin !== undefined && origin !== 'human')) return []
  const text = promptIn(textsIn(content).join('\n'))
  return text === undefined ? [] : [{ kind: 'prompt', text, at }]
}

/** A prompt that the user typed while Claude Code was working. */
function tellQueued(row: Row, at: number | undefined): TranscriptItem[] {
  const attachment = objectAt(row, 'attachment')
  const mode = textAt(attachment, 'commandMode')
  const queued =
    row.type === 'queue-operation'
      ? row.operation === 'enqueue' && row.content
      : attachment?.type === 'queued_command' &&
        (mode === undefined || mode === 'prompt') &&
        attachment.prompt
  const text = queued ? promptIn(textsIn(queued).join('\n')) : undefined
  return text === undefined ? [] : [{ kind: 'prompt', text, to: 'tool', at }]
}

/** What the user answered to the agent's questions, with the questions. */
function answersIn(tool: string, failed: boolean, result: unknown, text: string): string[] {
  if (tool !== 'AskUserQuestion' || failed) return []
  const answers = isRow(result) ? objectAt(result, 'answers') : undefined
  const pairs = answers
    ? Object.entries(answers).map(([question, answer]) => [question, String(answer)] as const)
    : [...text.slice(0, 20_000).matchAll(/"([^"\n]{1,500})"="([^"\n]{1,2000})"/g)].map(
        ([, question = '', answer = '']) => [question, answer] as const,
      )
  return pairs.flatMap(([question, answer]) =>
    answer === '' ? [] : `${answer} (answer to: ${question.slice(0, 300)})`,
  )
}

const REJECTED =
  /^(?:Error: )?The user doesn't want to (?:proceed with this tool use|take this action)[^\n]{0,400}the user said:\s*/

/** Why the user rejected a tool call. A tool's own output could imitate the sentence, so only errors that begin with it count. */
function reasonIn(tool: string, failed: boolean, result: unknown, text: string): string[] {
  const found = failed ? REJECTED.exec(text.slice(0, 1000)) : null
  if (
    !found ||
    typeof result !== 'string' ||
    (tool.startsWith('mcp__') && !result.startsWith('User rejected'))
  )
    return []
  const [reason = ''] = text.slice(found[0].length).split("\n\nNote: The user's next message may contain")
  return reason.trim() === '' ? [] : [reason.trim()]
}

function tellReply(
  row: Row,
  content: unknown,
  todos: TodoList,
  tools: Map<string, string>,
  at: number | undefined,
): TranscriptItem[] {
  if (row.isApiErrorMessage === true || !Array.isArray(content)) return []
  const reply = textAt(objectAt(row, 'message'), 'id')
  return content.flatMap((block: unknown): TranscriptItem[] => {
    if (!isRow(block)) return []
    const text = block.type === 'text' ? textAt(block, 'text') : undefined
    if (text !== undefined) return [{ kind: 'reply', id: reply, text, at }]
    const [id, tool] = [textAt(block, 'id'), textAt(block, 'name')]
    if (block.type !== 'tool_use' || id === undefined || tool === undefined) return []
    todos.called(id, block.input)
    tools.set(id, tool)
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
  const said = withoutAdded(text).trim()
  return said === '' || NOT_SAID.test(said) ? undefined : said
}

/** Blocks that Claude Code, an editor or another agent adds to the user's words. */
const ADDED = [
  'ide_opened_file',
  'ide_selection',
  'ide_diagnostics',
  'system-reminder',
  'teammate-message',
  'agent-message',
  'cross-session-message',
  'task-notification',
  'channel',
] as const

function withoutAdded(text: string): string {
  let left = text
  for (const tag of ADDED) if (left.includes(`<${tag}`)) left = withoutTag(left, tag)
  return left
}

function withoutTag(text: string, tag: string): string {
  const kept: string[] = []
  let at = 0
  for (let from = text.indexOf(`<${tag}`); from >= 0; from = text.indexOf(`<${tag}`, at)) {
    const after = from + tag.length + 1
    const opens = /[\s>]/.test(text[after] ?? '')
    const end = opens ? text.indexOf(`</${tag}>`, after) : after
    kept.push(text.slice(at, opens ? from : after))
    // What is not closed reaches to the end.
    if (end < 0) return kept.join('')
    at = opens ? end + tag.length + 3 : after
  }
  return [...kept, text.slice(at)].join('')
}

/** Searched, not matched: in hostile text an expression could take forever. */
function between(text: string, tag: string): string | undefined {
  const from = text.indexOf(`<${tag}>`)
  const to = from < 0 ? -1 : text.indexOf(`</${tag}>`, from)
  return to < 0 ? undefined : text.slice(from + tag.length + 2, to).trim()
}

const NOT_SAID =
  /^(?:<(?:local-command|bash-|task-notification|system-reminder|user-memory|ide_)|\[Request interrupted by user|Caveat: The messages below|This session is being continued from a previous conversation)/
