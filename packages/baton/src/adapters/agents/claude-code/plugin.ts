import { hookArguments, LAUNCHER } from '../hook-command.ts'
import { hooks } from './hooks.ts'
import { group, timeoutOf } from './install.ts'

/** A plugin cannot know the configured wait: its hooks may take as long as the longest one (a day). */
const LONGEST_WAIT_SECONDS = 24 * 3600

/** The plugin's hooks/hooks.json. Claude Code puts the plugin's folder in place of the variable. */
export function pluginHooks(): Record<string, unknown> {
  const entries = hooks.map(point => {
    const command = `"\${CLAUDE_PLUGIN_ROOT}/bin/${LAUNCHER}" ${hookArguments('claude-code', point.event, 'plugin')}`
    const timeout = timeoutOf(point, LONGEST_WAIT_SECONDS)
    return [point.event, [group(point, { type: 'command', command, timeout })]]
  })
  return {
    description: 'Tells Baton what the session does, and brings back its answers.',
    hooks: Object.fromEntries(entries),
  }
}
