import type { Decoded } from '../../../ports/agent.ts'
import { pluginDecode } from '../plugin-protocol.ts'
import { actionOf } from './actions.ts'

const plain = pluginDecode('opencode', actionOf)

/** What Baton's plugin says, as our event. */
export function decode(json: unknown, argument: string | undefined): Decoded {
  const decoded = plain(json, argument)
  if ('ignored' in decoded || decoded.event.type !== 'PromptSubmitted') return decoded
  return { ...decoded, event: { ...decoded.event, prompt: unquoted(decoded.event.prompt) } }
}

/** `opencode run` puts a prompt that holds a blank into quotes. */
function unquoted(prompt: string): string {
  const quoted = prompt.length > 1 && prompt.startsWith('"') && prompt.endsWith('"')
  return quoted ? prompt.slice(1, -1).replaceAll('\\"', '"') : prompt
}
