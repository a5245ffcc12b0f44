import type { AskRules, RememberedRule } from '@batonpass/contract/ask'

/** A text as a pattern that matches it and nothing else. */
export const escapePattern = (text: string): string => text.replaceAll(/[\\^$.|?*+()[\]{}]/g, '\\$&')

/** The rule in one line, for people. */
export function ruleText(rule: RememberedRule, scope: keyof AskRules): string {
  if ('tool' in rule) {
    // A pattern for exactly one address is read as that address.
    const text = rule.pattern.replace(/^\^|\$$/g, '').replaceAll(/\\(\W)/g, '$1')
    return `WebFetch ${rule.pattern === `^${escapePattern(text)}$` ? text : rule.pattern}`
  }
  const { command, folder } = rule
  if (!folder) return `"${command}" in any folder`
  return `"${command}" in ${folder === '.' ? (scope === 'project' ? "the project's folder" : 'its folder') : folder}`
}
