import type { Action } from '@batonpass/contract/event'
import { optional, type Payload } from '../payload.ts'
import { actionBy, type ToolTable } from '../tool-actions.ts'
import { questionAction } from './questions.ts'

const tools: ToolTable = {
  run_shell_command: { kind: 'shell', command: 'command', cwd: 'dir_path' },
  read_file: { kind: 'read', paths: ['file_path'] },
  read_many_files: { kind: 'read', paths: ['paths', 'include'] },
  write_file: { kind: 'write', paths: ['file_path'] },
  replace: { kind: 'write', paths: ['file_path'] },
  list_directory: { kind: 'search', paths: ['dir_path'] },
  glob: { kind: 'search', paths: ['dir_path'], pattern: 'pattern' },
  grep_search: { kind: 'search', paths: ['dir_path'], pattern: 'pattern' },
  search_file_content: { kind: 'search', paths: ['dir_path'], pattern: 'pattern' },
  google_web_search: { kind: 'web', query: 'query' },
  invoke_agent: { kind: 'agent', description: 'agent_name' },
}

/** What a Gemini CLI tool call would do; `whole` is the hook's payload, which names the MCP server. */
export function actionOf(tool: string, whole: Payload): Action {
  if (whole.has('mcp_context')) {
    const mcp = whole.inside('mcp_context')
    return {
      kind: 'mcp',
      server: mcp.someText('server_name') ?? 'unknown',
      tool: mcp.someText('tool_name') ?? tool,
    }
  }
  const input = whole.inside('tool_input')
  // The address is somewhere in its instruction.
  if (tool === 'web_fetch') {
    const urls = (input.optionalText('prompt') ?? '').match(/https?:\/\/[^\s"'<>)]{1,2000}/g) ?? []
    return urls.length === 1 ? { kind: 'web', ...optional('url', urls[0]) } : { kind: 'web' }
  }
  if (tool === 'ask_user') return questionAction(input.raw('questions'))
  return actionBy(tools, tool, input, whole.someText('cwd'))
}
