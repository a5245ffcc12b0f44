import type { AgentEvent } from '@batonpass/contract/event'
import type { Session } from '@batonpass/contract/session'
import { MAX_SESSION_NAME } from '@batonpass/contract/session-name'
import { userPromptText } from './transcript/collect-facts.ts'
import { isBuiltInCommand, readUserWords } from './transcript/user-words.ts'

type Name = Pick<Session, 'name' | 'namedBy'>

/** The name after an event: a person's prompt that asks for something. `redact` sees the whole prompt, before it is cut. */
export function nameAfterEvent(event: AgentEvent, redact: (text: string) => string): Name | undefined {
  if (event.type !== 'PromptSubmitted' || event.automatic || event.subagent) return undefined
  return nameAfterPrompt(redact(event.prompt))
}

/** The name after a person's prompt; undefined if the prompt asks for nothing, or Baton sent it. */
export function nameAfterPrompt(prompt: string): Name | undefined {
  const said = userPromptText(prompt)
  const words = readUserWords(said).text || commandWords(said)
  const name = shortName(words)
  return name === '' ? undefined : { name, namedBy: 'prompt' }
}

/** A claimed issue says better what a session is for than its first prompt; a person says it best. */
export function nameAfterIssue(session: Name, issue: number, title: string): Name | undefined {
  const name = shortName(title ? `#${issue} ${title}` : `#${issue}`)
  return session.namedBy === 'person' || session.name === name ? undefined : { name, namedBy: 'issue' }
}

/** A session that continues another one keeps its name, unless a person named it. */
export function inheritedName(from: Name, to: Name): Name {
  if (from.name === undefined || to.namedBy === 'person') return {}
  return { name: from.name, ...(from.namedBy ? { namedBy: from.namedBy } : {}) }
}

/** One line of at most 60 characters that ends with a whole word. */
export function shortName(text: string): string {
  const line = text
    .replaceAll(/\[pasted text: \d+ lines\]/g, ' ')
    .replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim()
  const letters = [...line]
  if (letters.length <= MAX_SESSION_NAME) return line
  const cut = letters.slice(0, MAX_SESSION_NAME - 1).join('')
  const words = cut.replace(/\s+\S*$/u, '')
  return `${words.length >= MAX_SESSION_NAME / 2 ? words : cut.trimEnd()}…`
}

/** `/baton:issue-to-impl 42` is called `issue-to-impl 42`; commands of the agent itself name nothing. */
function commandWords(said: string): string {
  const [, command, rest = ''] = /^\/(?:[\w.-]+:)?([A-Za-z][\w.-]{0,80})(?:\s+([\s\S]*))?$/.exec(said) ?? []
  return command === undefined || isBuiltInCommand(said) ? '' : `${command} ${rest}`
}
