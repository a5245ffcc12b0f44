import { applyEdits, modify, parse } from 'jsonc-parser'
import type { ForeignHooks } from '../../ports/agent.ts'
import { type HookLayout, ourEntries, withoutHooks } from './settings-file.ts'

/** Systems whose hooks do the same as Baton's, and what happens when both run. */
const SYSTEMS: readonly { name: string; effect: string; runs: RegExp; plugin?: RegExp }[] = [
  {
    name: 'agentize',
    effect: 'each stop counts twice, and the agent gets two prompts',
    runs: /(?:\/\.?agentize\/|\.claude-plugin\/hooks\/|\.cursor\/hooks\/(?:before-prompt-submit|before-shell-execution|stop)\.py\b)/,
    plugin: /^agentize@/,
  },
  {
    name: 'MoltNet',
    effect: 'both open the pull request, close the issue and remove .agent-claim.json',
    runs: /\bagent-sync\.sh["']?\s+(?:session-start|on-stop|on-idle)\b/,
  },
]

/** The hooks of other systems in one settings file, with the file as it would be without them. */
export function foreignHooksIn(
  path: string,
  text: string | undefined,
  entries: HookLayout['entries'],
): ForeignHooks[] {
  if (text === undefined || text.trim() === '') return []
  return SYSTEMS.flatMap(({ name, effect, runs, plugin }) => {
    const layout: HookLayout = { entries, ours: (_event, handler) => runs.test(commandOf(handler)) }
    try {
      const events = [...ourEntries({ path, text }, layout).keys()]
      const plugins = plugin ? enabledPlugins(text).filter(key => plugin.test(key)) : []
      if (events.length + plugins.length === 0) return []
      let after = withoutHooks({ path, text }, layout)
      for (const key of plugins)
        if (after !== undefined) after = applyEdits(after, modify(after, ['enabledPlugins', key], false, {}))
      return [{ system: name, effect, path, change: { path, before: text, after } }]
    } catch {
      // A settings file that cannot be read is reported elsewhere.
      return []
    }
  })
}

const commandOf = (handler: unknown): string =>
  typeof handler === 'object' &&
  handler !== null &&
  'command' in handler &&
  typeof handler.command === 'string'
    ? handler.command
    : ''

function enabledPlugins(text: string): string[] {
  const value: unknown = parse(text)
  const plugins: unknown =
    typeof value === 'object' && value !== null ? Reflect.get(value, 'enabledPlugins') : undefined
  if (typeof plugins !== 'object' || plugins === null) return []
  return Object.entries(plugins).flatMap(([key, on]) => (on === true ? [key] : []))
}
