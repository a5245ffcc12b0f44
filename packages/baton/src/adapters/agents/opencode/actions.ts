import type { Action } from '@batonpass/contract/event'
import { findPatchedPaths } from '@batonpass/shell-verdict/languages/apply-patch'
import type { Payload } from '../payload.ts'
import { actionBy, type ToolTable } from '../tool-actions.ts'
import { questionAction } from './questions.ts'

const tools: ToolTable = {
  bash: { kind: 'shell', command: 'command', cwd: 'workdir' },
  read: { kind: 'read', paths: ['filePath'] },
  write: { kind: 'write', paths: ['filePath'] },
  edit: { kind: 'write', paths: ['filePath'] },
  multiedit: { kind: 'write', paths: ['filePath'] },
  list: { kind: 'search', paths: ['path'] },
  glob: { kind: 'search', paths: ['path'], pattern: 'pattern' },
  grep: { kind: 'search', paths: ['path'], pattern: 'pattern' },
  webfetch: { kind: 'web', url: 'url' },
  websearch: { kind: 'web', query: 'query' },
  task: { kind: 'agent', description: 'description' },
}

/** What an opencode tool call would do. An MCP server's tools come without the server's name, so they are `other`. */
export function actionOf(tool: string, input: Payload, cwd: string | undefined): Action {
  if (tool === 'apply_patch' || tool === 'patch')
    return { kind: 'write', paths: findPatchedPaths(input.text('patchText')) }
  if (tool === 'question') return questionAction({ questions: input.raw('questions') })
  return actionBy(tools, tool, input, cwd)
}
