import type { AskRules, RememberedRule } from '@batonpass/contract/ask'

/** A text as a pattern that matches it and nothing else. */
export const escapePattern = (text: string): string => text.replaceAll(/[\\^$.|?*+()[\]{}]/g, '\\$&')

/** The rule in one line, for people. */
export function ruleText(rule: RememberedRule, scope: keyof AskRules): string {
  if ('tool' in rule) return `WebFetch ${rule.pattern}`
  const { command, folder } = rule
  if (!folder) return `"${command}" in any folder`
  return `"${command}" in ${folder === '.' ? (scope === 'project' ? "the project's folder" : 'its folder') : folder}`
}
