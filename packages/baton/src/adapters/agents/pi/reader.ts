import type { Action } from '@batonpass/contract/event'
import type { TranscriptItem, TranscriptReader } from '../../../ports/transcript.ts'
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
import { TodoList } from '../todo-list.ts'

/**
 * Session files of pi and oh-my-pi, versions 1 to 3. From version 2 on they are trees: only the way from the last entry
 * to the root is the conversation; what was tried on other branches is not told.
 */
export const piReader: TranscriptReader = {
  agent: 'pi',
  knows: head => /^\s*\{"type":"session"/.test(head),
  async *read(path) {
    const branch = await branchOf(path)
    const todos = new TodoList()
    for await (const rows of rowsOf(path))
      yield rows.flatMap(row => {
        const id = textAt(row, 'id')
        if (row.type === 'session') return [{ kind: 'about' as const, session: id, cwd: textAt(row, 'cwd') }]
        return branch && (id === undefined || !branch.has(id)) ? [] : tell(row, todos)
      })
  },
  async contextSize(path) {
    for await (const row of rowsFromEnd(path)) {
      if (row.type === 'compaction') return undefined
      const message = objectAt(row, 'message')
      const usage = objectAt(message, 'usage')
      if (row.type !== 'message' || message?.role !== 'assistant' || !usage) continue
      const parts = [usage.input, usage.output, usage.cacheRead, usage.cacheWrite]
      const size = amount(usage.totalTokens) || parts.reduce<number>((sum, part) => sum + amount(part), 0)
      if (size > 0) return size
    }
    return undefined
  },
}

/** The entries from the last one to the root; undefined in a file without a tree (version 1). */
async function branchOf(path: string): Promise<ReadonlySet<string> | undefined> {
  const parents = new Map<string, string | undefined>()
  let leaf: string | undefined
  for await (const rows of rowsOf(path))
    for (const row of rows) {
      const id = textAt(row, 'id')
      if (row.type === 'session' || id === undefined) continue
      parents.set(id, textAt(row, 'parentId'))
      leaf = id
    }
  if (leaf === undefined) return undefined
  const branch = new Set<string>()
  // A file that leads in a circle ends where it meets itself.
  for (let id: string | undefined = leaf; id !== undefined && !branch.has(id); id = parents.get(id))
    branch.add(id)
  return branch
}

export function tell(row: Row, todos: TodoList): TranscriptItem[] {
  const message = objectAt(row, 'message')
  const at = timeIn(row.timestamp) ?? timeIn(message?.timestamp)
  const summary =
    row.type === 'compaction' || row.type === 'branch_summary' ? textAt(row, 'summary') : undefined
  if (summary) return [{ kind: 'summary', text: summary, at }]
  if (row.type !== 'message' || !message) return []
  const text = textsIn(message.content).join('\n')
  switch (message.role) {
    case 'user':
      return text.trim() === '' ? [] : [{ kind: 'prompt', text: text.trim(), at }]
    case 'assistant':
      return tellReply(message, textAt(row, 'id'), todos, at)
    case 'toolResult': {
      const id = textAt(message, 'toolCallId')
      if (id === undefined) return []
      const list = todos.finished(id, message.isError === true, message.details, text)
      return [
        { kind: 'result', id, failed: message.isError === true, text, at },
        ...(list ? [{ kind: 'todos' as const, items: list, at }] : []),
      ]
    }
    case 'bashExecution': {
      // The person ran a command themselves, with `!`.
      const [id, command] = [textAt(row, 'id') ?? `bash-${at}`, textAt(message, 'command')]
      if (command === undefined) return []
      const failed = typeof message.exitCode === 'number' && message.exitCode !== 0
      return [
        { kind: 'call', id, tool: 'bash', action: { kind: 'shell', command }, at },
        { kind: 'result', id, failed, text: textAt(message, 'output') ?? '', at },
      ]
    }
    default:
      return []
  }
}

function tellReply(
  message: Row,
  entry: string | undefined,
  todos: TodoList,
  at: number | undefined,
): TranscriptItem[] {
  const blocks: unknown[] = Array.isArray(message.content) ? message.content : []
  const text = textsIn(message.content).join('\n')
  const calls = blocks.flatMap((block): TranscriptItem[] => {
    const [id, tool] = isRow(block) ? [textAt(block, 'id'), textAt(block, 'name')] : []
    if (!isRow(block) || block.type !== 'toolCall' || id === undefined || tool === undefined) return []
    todos.called(id, block.arguments)
    return [{ kind: 'call', id, tool, action: actionOf(tool, block.arguments), at }]
  })
  return [...(text === '' ? [] : [{ kind: 'reply' as const, id: entry, text, at }]), ...calls]
}

function actionOf(tool: string, input: unknown): Action {
  const given = isRow(input) ? input : {}
  const path = textAt(given, 'path') ?? textAt(given, 'file_path')
  const command = textAt(given, 'command')
  if (tool === 'bash' && command !== undefined) return { kind: 'shell', command }
  if ((tool === 'write' || tool === 'edit') && path !== undefined) return { kind: 'write', paths: [path] }
  if (tool === 'read' && path !== undefined) return { kind: 'read', paths: [path] }
  return { kind: 'other' }
}
