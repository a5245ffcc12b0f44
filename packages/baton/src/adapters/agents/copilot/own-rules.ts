import { join } from 'node:path'
import type { RulePlace } from '../../../ports/agent.ts'
import { mayApply, parseSettings, settingAt, valuesOf } from '../command-rules.ts'
import { ownFolder } from '../own-folder.ts'

/** Why Copilot CLI itself must see a command's own text: its rules are applied to what runs instead. */
export function whyOwnText(
  command: string,
  { home, env, args, project, read }: RulePlace,
): string | undefined {
  const denied = valuesOf('--deny-tool', args).find(rule => {
    const [, inner] = /^\s*["']?shell(?:\((.*)\))?["']?\s*$/s.exec(rule) ?? [undefined, undefined]
    return /^\s*["']?shell/.test(rule) && mayApply(inner ?? '', command)
  })
  if (denied !== undefined) return `Copilot CLI was started with --deny-tool ${denied}`
  const own = ownFolder({ home, env }, 'COPILOT_HOME', '.copilot')
  const files = ['config.json', 'settings.json'].flatMap(name => [
    join(own, name),
    join(project, '.github/copilot', name),
  ])
  for (const file of files) {
    const text = read(file)
    const settings = text === undefined ? {} : parseSettings(text)
    if (settings === undefined) return `${file} cannot be read`
    const sandbox = settingAt(settings, 'sandbox')
    if (sandbox === true || settingAt(sandbox, 'enabled') === true)
      return `Copilot CLI's own sandbox is on (${file})`
  }
  return undefined
}
