import type { ToolTable } from '../tool-actions.ts'

/** Copilot CLI's tools. `create` and `edit` also come as commands of one editor, depending on the model. */
export const tools: ToolTable = {
  bash: { kind: 'shell', command: 'command' },
  view: { kind: 'read', paths: ['path'] },
  create: { kind: 'write', paths: ['path'] },
  edit: { kind: 'write', paths: ['path'] },
  str_replace: { kind: 'write', paths: ['path'] },
  insert: { kind: 'write', paths: ['path'] },
  str_replace_editor: { kind: 'write', paths: ['path'] },
  grep: { kind: 'search', paths: ['paths', 'path'], pattern: 'pattern' },
  rg: { kind: 'search', paths: ['paths', 'path'], pattern: 'pattern' },
  glob: { kind: 'search', paths: ['paths', 'path'], pattern: 'pattern' },
  web_fetch: { kind: 'web', url: 'url' },
  web_search: { kind: 'web', query: 'query' },
  task: { kind: 'agent', description: 'description' },
}
