import type { RulePlace } from '../../../ports/agent.ts'
import { settingAt } from '../command-rules.ts'
import { settingsOf } from './own-rules.ts'

const MOST_RULES = 20
const LONGEST_RULE = 500

/** The rules that "Yes, and don't ask again for …" would add to a settings file, from the dialog's `permission_suggestions`. */
export function offeredRules(suggestions: unknown): string[] | undefined {
  if (!Array.isArray(suggestions)) return undefined
  const rules = suggestions.flatMap(suggestion => {
    const isKept =
      settingAt(suggestion, 'type') === 'addRules' &&
      settingAt(suggestion, 'behavior') === 'allow' &&
      // Rules of the session are in no file.
      /Settings$/.test(String(settingAt(suggestion, 'destination')))
    const added = isKept ? settingAt(suggestion, 'rules') : undefined
    return Array.isArray(added) ? added.map(ruleText) : []
  })
  const isWhole = rules.every(rule => rule !== undefined && rule.length <= LONGEST_RULE)
  return rules.length > 0 && rules.length <= MOST_RULES && isWhole ? (rules as string[]) : undefined
}

/** As Claude Code writes it: `Bash(npm run *)`. */
function ruleText(rule: unknown): string | undefined {
  const tool = settingAt(rule, 'toolName')
  const content = settingAt(rule, 'ruleContent')
  if (typeof tool !== 'string' || tool === '') return undefined
  return typeof content === 'string' ? `${tool}(${content})` : tool
}

/** The allow rules in the settings files that apply to a session. */
export function listedAllows(place: RulePlace): ReadonlySet<string> {
  const lists = [...settingsOf(place)].map(({ settings }) => settingAt(settings, 'permissions', 'allow'))
  return new Set(lists.flatMap(list => (Array.isArray(list) ? list.map(String) : [])))
}
