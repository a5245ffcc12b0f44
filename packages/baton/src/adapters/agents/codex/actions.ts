import type { Action } from '@batonpass/contract/event'
import { findPatchedPaths } from '@batonpass/shell-verdict/languages/apply-patch'
import { optional, type Payload } from '../payload.ts'
import { questionAction } from './questions.ts'

/** What a Codex tool call would do. Hooks are told of its shell tools as `Bash`. */
export function actionOf(tool: string, input: Payload, cwd: string | undefined): Action {
  const mcp = /^mcp__(.+?)__(.+)$/s.exec(tool)
  if (mcp?.[1] && mcp[2]) return { kind: 'mcp', server: mcp[1], tool: mcp[2] }
  switch (tool) {
    case 'Bash': {
      const command = input.text('command')
      const patch = patchAlone(command)
      if (patch !== undefined) return { kind: 'write', paths: findPatchedPaths(patch) }
      return { kind: 'shell', command, ...optional('cwd', input.someText('workdir') ?? cwd) }
    }
    case 'apply_patch':
      return { kind: 'write', paths: findPatchedPaths(input.optionalText('command') ?? input.text('input')) }
    case 'view_image':
      return { kind: 'read', paths: [input.text('path')] }
    case 'spawn_agent':
      return { kind: 'agent', ...optional('description', input.optionalText('message')) }
    case 'request_user_input':
      return questionAction(input.raw('questions'))
    default:
      return { kind: 'other' }
  }
}

/** Codex carries out `apply_patch <<'EOF' …` itself. Only if nothing else is in the command: the rest would go unseen. */
function patchAlone(command: string): string | undefined {
  const [, end, patch] =
    /^apply_patch <<'(\w{1,20})'\n(\*\*\* Begin Patch\n[\s\S]*\n\*\*\* End Patch)\n\1\n?$/.exec(command) ?? []
  if (end === undefined || patch === undefined) return undefined
  return patch.split('\n').includes(end) ? undefined : patch
}
