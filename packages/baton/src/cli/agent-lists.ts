import { join } from 'node:path'
import { parseSettings, settingAt, textsIn } from '../adapters/agents/command-rules.ts'
import { ownFolder } from '../adapters/agents/own-folder.ts'
import type { Environment } from '../config/places.ts'
import { claudeRule, commandRule, type ListDecision, type Rule, wildcardCommand } from './listed-rules.ts'

/** An entry of an agent's own list. Without a rule, Baton has none that means the same, or that allows no more. */
export interface ListedRule {
  decision: ListDecision
  rule: Rule | undefined
  /** The entry as it is written, and the file it is in. */
  text: string
  source: string
}

export interface ListPlace {
  home: string
  env: Environment
  read(path: string): string | undefined
  /** The names in a folder; none if there is no such folder. */
  names(folder: string): readonly string[]
}

/** The allow, deny and ask lists in the user's own settings of their agents. Those of a project do not count: anyone may write them. */
export function readAgentLists(place: ListPlace): ListedRule[] {
  return [claude, cursor, gemini, opencode, codex].flatMap(read => read(place))
}

const DECISIONS = ['allow', 'deny', 'ask'] as const

function claude({ home, env, read }: ListPlace): ListedRule[] {
  const source = join(ownFolder({ home, env }, 'CLAUDE_CONFIG_DIR', '.claude'), 'settings.json')
  const settings = parseSettings(read(source) ?? '')
  return DECISIONS.flatMap(decision =>
    textsIn(settingAt(settings, 'permissions', decision)).map(text => ({
      decision,
      rule: claudeRule(decision, text),
      text,
      source,
    })),
  )
}

/** `Shell(git)` is git with anything. */
function cursor({ home, read }: ListPlace): ListedRule[] {
  const source = join(home, '.cursor/cli-config.json')
  const settings = parseSettings(read(source) ?? '')
  return (['allow', 'deny'] as const).flatMap(decision =>
    textsIn(settingAt(settings, 'permissions', decision)).map(text => {
      const [, prefix] = /^Shell\((.+)\)$/s.exec(text) ?? []
      const rule = prefix ? commandRule(decision, { prefix }) : undefined
      return { decision, rule, text, source }
    }),
  )
}

/** `run_shell_command(git status)` is what starts so. */
function gemini({ home, env, read }: ListPlace): ListedRule[] {
  const source = join(ownFolder({ home, env }, 'GEMINI_CLI_HOME', ''), '.gemini/settings.json')
  const settings = parseSettings(read(source) ?? '')
  const lists = [
    [
      'allow',
      [...textsIn(settingAt(settings, 'tools', 'allowed')), ...textsIn(settingAt(settings, 'allowedTools'))],
    ],
    [
      'deny',
      [...textsIn(settingAt(settings, 'tools', 'exclude')), ...textsIn(settingAt(settings, 'excludeTools'))],
    ],
  ] as const
  return lists.flatMap(([decision, texts]) =>
    texts.map(text => {
      const [, prefix] = /^(?:run_shell_command|ShellTool)\((.+)\)$/s.exec(text) ?? []
      const rule = prefix ? commandRule(decision, { prefix }) : undefined
      return { decision, rule, text, source }
    }),
  )
}

function opencode({ home, env, read }: ListPlace): ListedRule[] {
  const source = join(ownFolder({ home, env }, 'XDG_CONFIG_HOME', '.config'), 'opencode/opencode.json')
  const bash = settingAt(parseSettings(read(source) ?? ''), 'permission', 'bash')
  if (typeof bash !== 'object' || bash === null) return []
  return Object.entries(bash).flatMap(([pattern, action]: [string, unknown]) => {
    const decision = DECISIONS.find(each => each === action)
    // A rule about every command says how opencode starts out, not what the user decided about one.
    if (!decision || /^\**$/.test(pattern)) return []
    const rule = commandRule(decision, wildcardCommand(pattern))
    return { decision, rule, text: `bash ${pattern}`, source }
  })
}

const CODEX: Readonly<Record<string, ListDecision>> = { allow: 'allow', prompt: 'ask', forbidden: 'deny' }

/** `prefix_rule(pattern = ["git", "push"], decision = "prompt")`. What has alternatives inside a pattern stays with Codex. */
function codex({ home, env, read, names }: ListPlace): ListedRule[] {
  const folder = join(ownFolder({ home, env }, 'CODEX_HOME', '.codex'), 'rules')
  return names(folder)
    .filter(name => name.endsWith('.rules'))
    .flatMap(name => {
      const source = join(folder, name)
      const plain = (read(source) ?? '').replace(/^\s*#.*$/gm, '')
      return plain.split(/(?=\bprefix_rule\s*\()/).flatMap(call => {
        const [, word = ''] = /decision\s*=\s*["'](\w+)["']/.exec(call) ?? []
        const decision = CODEX[word]
        const [, list = ''] = /pattern\s*=\s*\[([^[\]]*)\]/.exec(call) ?? []
        const words = [...list.matchAll(/["']([^"']*)["']/g)].map(([, each = '']) => each)
        if (!decision) return []
        const prefix = words.join(' ')
        if (words.length === 0 || words.some(each => /\s/.test(each)))
          return { decision, rule: undefined, text: call.trim(), source }
        return { decision, rule: commandRule(decision, { prefix }), text: `prefix_rule ${prefix}`, source }
      })
    })
}
