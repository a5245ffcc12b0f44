import type { ToolCall, ToolCallContent, ToolCallUpdate } from '@agentclientprotocol/sdk'
import type { Action } from '@batonpass/contract/event'
import type { BackendEvent } from '../../ports/backend.ts'
import type { AcpLaunch } from '../../ports/launch.ts'

type Call = Extract<BackendEvent, { kind: 'call' }>

/** Merges an update into what is known about a call. */
export function callOf(
  update: ToolCall | ToolCallUpdate,
  before: Call | undefined,
  inputOf?: AcpLaunch['inputOf'],
): Call {
  const input = isFilled(update.rawInput) ? update.rawInput : (toldIn(update, inputOf) ?? before?.input ?? {})
  const tool = toolName(update) ?? before?.tool ?? update.kind ?? 'tool'
  const title = (update.title ?? before?.title ?? tool).slice(0, 500)
  const action = actionOf(update, tool, input)
  return {
    kind: 'call',
    id: update.toolCallId,
    tool,
    title,
    input,
    action: action.kind === 'other' && before ? before.action : action,
  }
}

function toldIn(
  { kind, title, content }: ToolCall | ToolCallUpdate,
  inputOf: AcpLaunch['inputOf'],
): Readonly<Record<string, unknown>> | undefined {
  const text = (content ?? []).flatMap(textOf).join('\n')
  return title ? inputOf?.({ kind: kind ?? undefined, title, text }) : undefined
}

/** The result of a finished call, as text. */
export function resultOf(update: ToolCallUpdate): Extract<BackendEvent, { kind: 'result' }> | undefined {
  if (update.status !== 'completed' && update.status !== 'failed') return undefined
  const text = (update.content ?? []).flatMap(textOf).join('\n')
  const raw = typeof update.rawOutput === 'string' ? update.rawOutput : outputIn(update.rawOutput)
  const code = exitCodeIn(update.rawOutput)
  return {
    kind: 'result',
    id: update.toolCallId,
    failed: update.status === 'failed' || (code !== undefined && code !== 0),
    text: (raw ?? text).slice(-MAX_RESULT_LENGTH),
  }
}

const MAX_RESULT_LENGTH = 50_000

/**
 * Uses the agent's own kind of the call. A call that does not fit its kind is `other`, which only a person can allow: a tool
 * that claims to read but contains a command cannot be judged by rules.
 */
function actionOf(
  { kind, locations, content }: ToolCallUpdate | ToolCall,
  tool: string,
  input: unknown,
): Action {
  const given = isObject(input) ? input : {}
  const command = commandIn(given)
  if (kind === 'execute' && command !== undefined) {
    const cwd = textAt(given, 'cwd') ?? textAt(given, 'workdir')
    return { kind: 'shell', command, ...(cwd ? { cwd } : {}) }
  }
  const mcp = /^mcp__([^_].*?)__(.+)$/.exec(tool)
  if (mcp?.[1] && mcp[2]) return { kind: 'mcp', server: mcp[1], tool: mcp[2] }
  if (command !== undefined) return { kind: 'other' }
  const named = ['file_path', 'filePath', 'path', 'notebook_path', 'abs_path'].flatMap(
    key => textAt(given, key) ?? [],
  )
  const diffs = (content ?? []).flatMap(each => (each.type === 'diff' ? each.path : []))
  const paths = [...new Set([...(locations ?? []).map(({ path }) => path), ...named, ...diffs])]
  switch (kind) {
    case 'edit':
    case 'delete':
    case 'move':
      return paths.length > 0 ? { kind: 'write', paths } : { kind: 'other' }
    case 'read':
      return paths.length > 0 ? { kind: 'read', paths } : { kind: 'other' }
    case 'search': {
      const pattern = textAt(given, 'pattern') ?? textAt(given, 'query')
      return { kind: 'search', paths, ...(pattern ? { pattern } : {}) }
    }
    case 'fetch': {
      const [url, query] = [textAt(given, 'url'), textAt(given, 'query')]
      return { kind: 'web', ...(url ? { url } : {}), ...(query ? { query } : {}) }
    }
    default:
      return { kind: 'other' }
  }
}

/** A command as one line; a list of words is quoted so that a shell reads the same words. */
function commandIn(given: Record<string, unknown>): string | undefined {
  const { command } = given
  if (typeof command === 'string' && command !== '') return command
  if (!Array.isArray(command) || command.length === 0 || !command.every(word => typeof word === 'string'))
    return undefined
  const words: string[] = command
  const [shell = '', option = '', script] = words
  if (
    /(?:^|\/)(?:ba|z|da)?sh$/.test(shell) &&
    /^-l?c$/.test(option) &&
    script !== undefined &&
    words.length === 3
  )
    return script
  return words
    .map(word => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`))
    .join(' ')
}

function toolName({ name, _meta }: ToolCall | ToolCallUpdate): string | undefined {
  if (name) return name.slice(0, 200)
  const claude = isObject(_meta?.claudeCode) ? textAt(_meta.claudeCode, 'toolName') : undefined
  return claude?.slice(0, 200)
}

function textOf(content: ToolCallContent): string[] {
  return content.type === 'content' && content.content.type === 'text' ? [content.content.text] : []
}

function outputIn(raw: unknown): string | undefined {
  if (!isObject(raw)) return undefined
  const parts = ['aggregated_output', 'formatted_output', 'output', 'stdout', 'stderr'].flatMap(
    key => textAt(raw, key) ?? [],
  )
  return parts[0]
}

function exitCodeIn(raw: unknown): number | undefined {
  if (!isObject(raw)) return undefined
  const metadata = isObject(raw.metadata) ? raw.metadata : {}
  const code = raw.exit_code ?? raw.exitCode ?? metadata.exit
  return typeof code === 'number' ? code : undefined
}

const textAt = (row: Record<string, unknown>, key: string): string | undefined => {
  const value = row[key]
  return typeof value === 'string' && value !== '' ? value : undefined
}

const isFilled = (value: unknown): boolean => isObject(value) && Object.keys(value).length > 0

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
