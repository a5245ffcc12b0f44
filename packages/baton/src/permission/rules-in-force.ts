import type { Config } from '@batonpass/contract/config'
import type { PermissionRule } from '@batonpass/contract/permission'
import type { CommandRule } from '@batonpass/contract/workflow'
import { compileRules, type RuleSet, type RuleSource } from './rules/compile.ts'

/** A running workflow's own permissions: they lift an ask, never a deny. */
export interface ActiveWorkflow {
  name: string
  permissions: readonly CommandRule[]
}

export interface RulesPlace {
  worktree: string
  home: string
}

/** Compiles a configuration's rules once and remembers them as long as that configuration is in force. */
export function rulesKeeper(): (config: Config, place: RulesPlace, workflow?: ActiveWorkflow) => RuleSet {
  const kept = new WeakMap<Config, Map<string, RuleSet>>()
  return (config, place, workflow) => {
    const sets = kept.get(config) ?? new Map<string, RuleSet>()
    kept.set(config, sets)
    const key = JSON.stringify([place, workflow])
    const set = sets.get(key) ?? rulesInForce(config, place, workflow)
    sets.set(key, set)
    return set
  }
}

/** The rules of a configuration, which was checked when it was read, and of a running workflow. */
export function rulesInForce(
  { permission, permissions, sandbox }: Pick<Config, 'permission' | 'permissions'> & Partial<Config>,
  place: RulesPlace,
  workflow?: ActiveWorkflow,
): RuleSet {
  const { allow, deny, ask, projects = [] } = permissions
  const sources: RuleSource[] = [
    { name: 'permissions', layer: 'user', allow, deny, ask },
    ...ofProject(projects, place).map(own => ({
      name: `permissions.projects ${own.project}`,
      layer: 'user' as const,
      allow: own.allow,
    })),
    HANDOFF,
  ]
  if (workflow && workflow.permissions.length > 0) {
    sources.push({
      name: `workflow ${workflow.name}`,
      layer: 'workflow',
      allow: workflow.permissions.map(ruleOf),
    })
  }
  return compileRules(sources, { ...place, preset: permission.preset, hosts: hostsFor(sandbox, place) })
}

/** Hosts of the settings that count in this project. */
function hostsFor(sandbox: Config['sandbox'] | undefined, place: RulesPlace): string[] {
  if (!sandbox) return []
  return [...sandbox.hosts, ...ofProject(sandbox.projects, place).flatMap(({ hosts }) => hosts)]
}

const ofProject = <T extends { project: string }>(all: readonly T[], { worktree, home }: RulesPlace): T[] =>
  all.filter(({ project }) => project.replace(/^~(?=\/)/, home) === worktree)

/** Baton asks for these documents itself; being ignored by git, no snapshot would cover them. */
const HANDOFF: RuleSource = {
  name: 'builtin handoff',
  layer: 'user',
  allow: [{ tool: ['Write', 'Edit'], paths: '.bmad/handoffs/handoff-*.md' }],
}

/** A workflow's command rule in the words of permission rules. */
function ruleOf({ words, options, never }: CommandRule): PermissionRule {
  const [program = '', ...rest] = words
  return {
    program,
    ...(rest.length > 0 ? { subcommand: rest.join(' ') } : {}),
    ...(options.length > 0 ? { flags: [...options] } : {}),
    ...(never.length > 0 ? { without: [...never] } : {}),
  }
}
