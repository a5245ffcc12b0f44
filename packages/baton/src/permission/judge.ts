import type { PermissionJudgement } from '@batonpass/contract/permission'
import { LEXICAL_PATHS, type PathPorts } from '@batonpass/shell-verdict/paths/resolve'
import { judgeCommand } from './judge-command.ts'
import type { JudgeContext, PermissionRequest } from './judge-context.ts'
import { judgeTool } from './judge-tool.ts'
import { guardedDefaults } from './paths/protected.ts'
import type { RuleSet } from './rules/compile.ts'

/** Decides from rules and analysis alone. Never throws: what goes wrong becomes `ask`. */
export function judge(
  request: PermissionRequest,
  rules: RuleSet,
  ports: PathPorts = LEXICAL_PATHS,
): PermissionJudgement {
  try {
    const context: JudgeContext = {
      request,
      rules,
      paths: ports,
      guarded: request.guarded ?? guardedDefaults(request.home),
      worktree: ports.realpath(request.worktree),
    }
    const command = shellCommand(request)
    return command === undefined ? judgeTool(context) : judgeCommand(command, context)
  } catch (error) {
    const reason = `the judgement failed (${error instanceof Error ? error.message : String(error)}), so a person decides`
    return {
      decision: 'ask',
      reason,
      trail: [{ rule: 'error', decision: 'ask', part: request.tool, reason }],
      effects: { reads: [], writes: [], hosts: [], network: false, outside: true, unknown: [reason] },
      reversible: false,
      final: false,
      understood: false,
    }
  }
}

/** Claude Code's Bash and Cursor's Shell are one tool. */
function shellCommand(request: PermissionRequest): string | undefined {
  if (request.tool !== 'Bash' && request.tool !== 'Shell') return undefined
  const input = request.input
  const command =
    typeof input === 'object' && input !== null && 'command' in input ? input.command : undefined
  if (typeof command !== 'string') throw new Error('a shell request without a command')
  return command
}
