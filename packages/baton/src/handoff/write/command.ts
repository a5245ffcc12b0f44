export interface HandoffCommand {
  focus: string | undefined
  /** The prompt must list the sections, because no slash command's text does. */
  form?: boolean
  /** Hand off only the document, not the claim's branch. */
  contextOnly?: boolean
}

/** Parses `/handoff [focus]`, with or without a namespace; undefined for every other prompt. */
export function handoffCommand(prompt: string): HandoffCommand | undefined {
  const line = prompt.slice(0, MAX_LENGTH).trim()
  if (line.startsWith(ASKED_BY_CYCLE)) return { focus: undefined, form: true, contextOnly: true }
  const [found, rest = ''] = /^\/(?:[A-Za-z0-9][\w.-]{0,63}:){0,3}handoff(?:\s+([\s\S]*))?$/.exec(line) ?? []
  if (found === undefined) return undefined
  const focus = rest.replace(/^--context(?:\s+|$)/, '').trim()
  const contextOnly = /^--context(?:\s|$)/.test(rest)
  return { focus: focus || undefined, ...(contextOnly ? { contextOnly } : {}) }
}

/** How a cycle's prompt for the document of an idle session starts. */
export const ASKED_BY_CYCLE = 'Create handoff document now - context at '

const MAX_LENGTH = 20_000
