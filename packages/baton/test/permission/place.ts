import type { PermissionRule } from '@batonpass/contract/permission'
import type { PathPorts } from '@batonpass/shell-verdict/paths/resolve'
import { judge } from '../../src/permission/judge.ts'
import type { PermissionRequest } from '../../src/permission/judge-context.ts'
import { compileRules, type RuleSource } from '../../src/permission/rules/compile.ts'

export const PLACE = { cwd: '/work/tree', worktree: '/work/tree', home: '/home/me' }
export const GUARDED = { folders: ['/home/me/.baton'], ports: [4747], pids: [4242] }

export const STANDARD = compileRules([], PLACE)

export function request(command: string, more: Partial<PermissionRequest> = {}): PermissionRequest {
  return { tool: 'Bash', input: { command }, ...PLACE, guarded: GUARDED, branch: 'issue-7', ...more }
}

export function check(command: string, more: Partial<PermissionRequest> = {}, ports?: PathPorts) {
  return judge(request(command, more), STANDARD, ports)
}

export function withRules(
  rules: { allow?: PermissionRule[]; deny?: PermissionRule[]; ask?: PermissionRule[] },
  more: RuleSource[] = [],
) {
  return compileRules([{ name: 'mine', layer: 'user', ...rules }, ...more], PLACE)
}
