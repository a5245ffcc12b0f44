import { wordsOfMessage } from './session-file/branch.ts'
import type { SessionMessage } from './session-file/entries.ts'

/** The conversation as a prompt for an agent that does not remember it; only the end of a long one. */
export async function replayConversation(
  newestFirst: AsyncIterable<readonly SessionMessage[]>,
  longest = MAX_LENGTH,
): Promise<string[]> {
  const parts: string[] = []
  let length = 0
  replay: for await (const messages of newestFirst)
    for (const message of messages) {
      const words = wordsOfMessage(message).trim()
      // A request for a handoff document that failed is not part of the conversation: the agent would answer it again.
      const request = message.role === 'custom' && message.customType === 'handoff-request'
      if (words === '' || message.role === 'toolResult' || request) continue
      const part = `${SPEAKERS[message.role] ?? 'Note'}: ${words.slice(-longest)}`
      length += part.length
      if (length > longest) break replay
      parts.unshift(part)
    }
  // The conversation must not close its own wrapper.
  const text = parts.join('\n\n').replaceAll(/<(\/?)(conversation-so-far)/gi, '<$1\u200b$2')
  return text === ''
    ? []
    : [
        `<conversation-so-far>\n${text}\n</conversation-so-far>\n\nThe above is the conversation so far. Continue from there.`,
      ]
}

const MAX_LENGTH = 60_000
const SPEAKERS: Readonly<Record<string, string>> = { user: 'User', assistant: 'Assistant' }
