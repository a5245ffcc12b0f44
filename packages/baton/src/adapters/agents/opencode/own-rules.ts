import { join } from 'node:path'
import type { RulePlace } from '../../../ports/agent.ts'
import { isCatchAll, mayApply, parseSettings } from '../command-rules.ts'
import { ownFolder } from '../own-folder.ts'

/**
 * Why opencode itself must see a command's own text: its rules are applied to what runs instead. A rule that asks about every
 * command does not count: where Baton allows a call, its plugin answers that question.
 */
export function whyOwnText(command: string, place: RulePlace): string | undefined {
  for (const [name, text] of settingsOf(place)) {
    const settings = parseSettings(text)
    if (settings === undefined) return `${name} cannot be read`
    const rule = permissionsIn(settings)
      .flatMap(rulesFor)
      .find(each => mayMatch(each, command))
    if (rule) return `opencode's own settings may ${rule.action} it (${name})`
  }
  return undefined
}

interface Rule {
  pattern: string
  action: unknown
}

const mayMatch = ({ pattern, action }: Rule, command: string): boolean =>
  (action === 'deny' || (action === 'ask' && !isCatchAll(pattern))) && mayApply(pattern, command)

const NAMES = ['opencode.json', 'opencode.jsonc', 'config.json']

/** All settings that may hold rules; agents written as Markdown count by their head. */
function* settingsOf({ home, env, project, cwd, read, names }: RulePlace): Generator<[string, string]> {
  const own = join(ownFolder({ home, env }, 'XDG_CONFIG_HOME', '.config'), 'opencode')
  const folders = [own, env.OPENCODE_CONFIG_DIR, '/etc/opencode', cwd, project, join(project, '.opencode')]
  for (const folder of new Set(folders)) {
    if (!folder) continue
    for (const path of NAMES.map(name => join(folder, name))) {
      const text = read(path)
      if (text !== undefined && text.trim() !== '') yield [path, text]
    }
    for (const agents of [join(folder, 'agent'), join(folder, 'agents')])
      for (const name of names(agents)) {
        const [, head = ''] = /^---\n([\s\S]*?)\n---/.exec(read(join(agents, name)) ?? '') ?? []
        if (/^permission/m.test(head) && /\b(?:deny|ask)\b/.test(head))
          yield [join(agents, name), '{ "permission": "deny" }']
      }
  }
  const file = env.OPENCODE_CONFIG
  if (file) yield [file, read(file) ?? '']
  if (env.OPENCODE_CONFIG_CONTENT) yield ['OPENCODE_CONFIG_CONTENT', env.OPENCODE_CONFIG_CONTENT]
  if (env.OPENCODE_PERMISSION) yield ['OPENCODE_PERMISSION', `{ "permission": ${env.OPENCODE_PERMISSION} }`]
}

/** What is under `permission`, for all agents or for one. */
function permissionsIn(value: unknown): unknown[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, each]) => (key === 'permission' ? [each] : permissionsIn(each)))
}

/** The rules about commands. */
function rulesFor(permission: unknown): Rule[] {
  if (typeof permission !== 'object' || permission === null) return [{ pattern: '*', action: permission }]
  return Object.entries(permission).flatMap(([tool, rules]) => {
    if (tool !== 'bash' && tool !== '*') return []
    if (typeof rules !== 'object' || rules === null) return [{ pattern: '*', action: rules }]
    return Object.entries(rules).map(([pattern, action]) => ({ pattern, action }))
  })
}
