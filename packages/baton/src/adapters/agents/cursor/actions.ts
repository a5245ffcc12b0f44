import type { Action } from '@batonpass/contract/event'
import { optional, type Payload } from '../payload.ts'

/** What a Cursor tool call would do, by the generic hooks' tool names. `input` reads the call's own arguments. */
export function actionOf(tool: string, input: Payload, cwd: string | undefined): Action {
  if (tool.startsWith('MCP:')) return mcpAction(tool, undefined)
  switch (tool) {
    case 'Shell': {
      const folder = input.someText('working_directory') ?? input.someText('cwd') ?? cwd
      return { kind: 'shell', command: input.text('command'), ...optional('cwd', folder) }
    }
    case 'Read':
    case 'ReadFile':
      return { kind: 'read', paths: paths(input) }
    case 'Write':
    case 'Edit':
    case 'MultiEdit':
    case 'StrReplace':
    case 'ApplyPatch':
    case 'Delete':
    case 'EditNotebook':
      return { kind: 'write', paths: paths(input) }
    case 'Glob':
    case 'Grep':
    case 'LS':
    case 'ListDir':
    case 'SemanticSearch':
      return {
        kind: 'search',
        paths: paths(input),
        ...optional('pattern', input.optionalText('pattern') ?? input.optionalText('query')),
      }
    case 'WebFetch':
    case 'WebSearch':
      return {
        kind: 'web',
        ...optional('url', input.optionalText('url')),
        ...optional('query', input.optionalText('search_term') ?? input.optionalText('query')),
      }
    case 'Task':
      return { kind: 'agent', ...optional('description', input.optionalText('description')) }
    default:
      return { kind: 'other' }
  }
}

/** `MCP:server:tool`, `MCP:tool` or the bare tool. A server Cursor does not name is `unknown`, which no rule allows. */
export function mcpAction(tool: string, server: string | undefined): Action {
  const name = tool.startsWith('MCP:') ? tool.slice(4) : tool
  const colon = name.indexOf(':')
  if (colon > 0) return { kind: 'mcp', server: name.slice(0, colon), tool: name.slice(colon + 1) }
  return { kind: 'mcp', server: server ?? 'unknown', tool: name }
}

function paths(input: Payload): string[] {
  const fields = ['file_path', 'path', 'target_file', 'target_notebook', 'target_directory']
  return fields.flatMap(field => input.someText(field) ?? [])
}
