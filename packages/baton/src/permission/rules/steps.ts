import type { PermissionStep } from '@batonpass/contract/permission'
import { ENDS_CONTAINMENT, isContainerClient } from '../container-clients.ts'
import type { RuleSet } from './compile.ts'
import type { CompiledRule, Subject } from './match.ts'

/** The person's own rules: deny, then the workflow's allow over their ask, then their allow. */
export function spokenBy(rules: RuleSet, about: Subject): CompiledRule | undefined {
  const first = (list: readonly CompiledRule[]) => list.find(rule => rule.matches(about))
  return first(rules.deny) ?? first(rules.workflow) ?? first(rules.ask) ?? first(rules.allow)
}

const SAYS = { allow: 'allows it', deny: 'denies it', ask: 'asks about it' } as const

export function ruleStep(rule: CompiledRule, part: string): PermissionStep {
  const said = rule.reason ?? `the rule ${rule.name} ${SAYS[rule.decision]}`
  const ends = rule.decision === 'allow' && isContainerClient(part)
  const reason = ends ? `${said}; ${ENDS_CONTAINMENT}` : said
  const { name, decision, isExact, isOutside } = rule
  return {
    rule: name,
    decision,
    part,
    reason,
    ...(isExact ? { exact: true } : {}),
    ...(isOutside && decision === 'allow' ? { outside: true } : {}),
  }
}

export function secretStep({ preset, presetName }: RuleSet, part: string, secret: string): PermissionStep {
  return {
    rule: `preset ${presetName} secrets`,
    decision: preset.secretRead,
    part,
    reason: `it touches ${secret}`,
  }
}
