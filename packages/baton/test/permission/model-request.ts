import type { PermissionEffects, PermissionJudgement } from '@batonpass/contract/permission'
import type { ModelRequest } from '../../src/permission/model-question.ts'

/** A judgement that leaves the request to the rest of the chain. */
export function undecided(
  { part = 'frobnicate --all', reason = 'frobnicate is not listed' } = {},
  effects: Partial<PermissionEffects> = {},
): PermissionJudgement {
  return {
    decision: 'undecided',
    reason,
    trail: [{ rule: 'builtin', decision: 'undecided', part, reason }],
    effects: { reads: [], writes: [], hosts: [], network: false, outside: true, unknown: [], ...effects },
    reversible: false,
    final: false,
    understood: true,
  }
}

export function shellRequest(command: string, changes: Partial<ModelRequest> = {}): ModelRequest {
  return {
    tool: 'Bash',
    input: { command },
    cwd: '/work/app',
    worktree: '/work/app',
    judgement: undecided({ part: command }),
    ...changes,
  }
}
