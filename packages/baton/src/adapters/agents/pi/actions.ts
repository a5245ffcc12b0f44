import type { Action } from '@batonpass/contract/event'
import type { Payload } from '../payload.ts'
import { actionBy, type ToolTable } from '../tool-actions.ts'

const tools: ToolTable = {
  bash: { kind: 'shell', command: 'command' },
  read: { kind: 'read', paths: ['path', 'file_path'] },
  write: { kind: 'write', paths: ['path', 'file_path'] },
  edit: { kind: 'write', paths: ['path', 'file_path'] },
  grep: { kind: 'search', paths: ['path'], pattern: 'pattern' },
  find: { kind: 'search', paths: ['path'], pattern: 'pattern' },
  ls: { kind: 'search', paths: ['path'] },
}

export const actionOf = (tool: string, input: Payload, cwd: string | undefined): Action =>
  actionBy(tools, tool, input, cwd)
