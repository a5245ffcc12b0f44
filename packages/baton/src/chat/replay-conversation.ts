import { wordsOfMessage } from './session-file/branch.ts'
import type { SessionMessage } from './session-file/entries.ts'

/** What an agent is told that has no memory of the conversation, which comes newest first; its end, where it is long. */
export async function replayConversation(
  newestFirst: AsyncIterable<readonly SessionMessage[]>,
  longest = MAX_LENGTH,
): Promise<string[]> {
  const parts: string[] = []
  let length = 0
  telling: for await (const messages of newestFirst)
    for (const message of messages) {
      const words = wordsOfMessage(message).trim()
      if (words === '' || message.role === 'toolResult') continue
      const part = `${SPEAKERS[message.role] ?? 'Note'}: ${words.slice(-longest)}`
      length += part.length
      if (length > longest) break telling
      parts.unshift(part)
    }
  // The conversation must not end its own wrapper.
  const text = parts.join('\n\n').replaceAll(/<(\/?)(conversation-so-far)/gi, '<$1\u200b$2')
  return text === ''
    ? []
    : [
        `<conversation-so-far>\n${text}\n</conversation-so-far>\n\nThe above is what was said before. Go on from there.`,
      ]
}

const MAX_LENGTH = 60_000
const SPEAKERS: Readonly<Record<string, string>> = { user: 'User', assistant: 'Assistant' }
