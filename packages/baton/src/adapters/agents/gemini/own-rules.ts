import { join } from 'node:path'
import type { RulePlace } from '../../../ports/agent.ts'
import { mayApply, parseSettings, settingAt, textsIn, valuesOf } from '../command-rules.ts'
import { ownFolder } from '../own-folder.ts'

const TOOLS = /^(?:run_shell_command|ShellTool)(?:\((.*)\))?$/s

/** Why Gemini CLI itself must see a command's own text: its rules are applied to what runs instead. */
export function whyOwnText(command: string, place: RulePlace): string | undefined {
  const { home, env, project, args, read } = place
  if (env.SANDBOX || env.GEMINI_SANDBOX || args.some(word => /^(?:-s|--sandbox)\b/.test(word)))
    return "Gemini CLI's own sandbox is on"
  if (valuesOf('--policy', args).length + valuesOf('--admin-policy', args).length > 0)
    return 'Gemini CLI has policies of its own (--policy)'
  const folders = [
    join(ownFolder({ home, env }, 'GEMINI_CLI_HOME', ''), '.gemini'),
    join(project, '.gemini'),
    '/etc/gemini-cli',
  ]
  for (const folder of folders) {
    const file = join(folder, 'settings.json')
    const text = read(file)
    const settings = text === undefined ? {} : parseSettings(text)
    if (settings === undefined) return `${file} cannot be read`
    if (settingAt(settings, 'tools', 'sandbox')) return `Gemini CLI's own sandbox is on (${file})`
    const excluded = [settingAt(settings, 'tools', 'exclude'), settingAt(settings, 'excludeTools')]
    const rule = excluded.flatMap(textsIn).find(each => isAbout(each, command))
    if (rule !== undefined) return `Gemini CLI's own settings exclude it (${rule})`
    const core = [settingAt(settings, 'tools', 'core'), settingAt(settings, 'coreTools')].flatMap(textsIn)
    if (core.some(each => TOOLS.exec(each)?.[1] !== undefined))
      return `Gemini CLI's own settings list the commands that may run (${file})`
    const policy = policyIn(join(folder, 'policies'), command, place)
    if (policy !== undefined) return `a policy of Gemini CLI may apply (${policy})`
  }
  return undefined
}

function isAbout(rule: string, command: string): boolean {
  const found = TOOLS.exec(rule)
  return found !== null && mayApply(found[1] ?? '', command)
}

/** The first policy file that may refuse the command or ask about it. */
function policyIn(folder: string, command: string, { names, read }: RulePlace): string | undefined {
  return names(folder)
    .filter(name => name.endsWith('.toml'))
    .map(name => join(folder, name))
    .find(path => (read(path) ?? '').split(/^\s*\[\[\s*rule\s*\]\]/m).some(rule => mayForbid(rule, command)))
}

function mayForbid(rule: string, command: string): boolean {
  if (!/decision\s*=\s*["'](?:deny|ask_user)["']/.test(rule)) return false
  if (!/run_shell_command|\*/.test(rule) && /toolName/.test(rule)) return false
  const [, prefixes] = /commandPrefix\s*=\s*(\[[^\]]*\]|"[^"]*"|'[^']*')/.exec(rule) ?? []
  const words = prefixes?.match(/"[^"]*"|'[^']*'/g)?.map(quoted => quoted.slice(1, -1))
  return words === undefined || words.some(word => mayApply(word, command))
}
