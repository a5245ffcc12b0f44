export interface HandoffCommand {
  focus: string | undefined
  /** The sections have to be named, because no command's own text does. */
  form?: boolean
  /** Only the document: a claim's branch is not handed off with it. */
  contextOnly?: boolean
}

/** What a person asks for with `/handoff [focus]`, in any namespaced form; undefined for every other prompt. */
export function handoffCommand(prompt: string): HandoffCommand | undefined {
  const line = prompt.slice(0, MAX_LENGTH).trim()
  if (line.startsWith(ASKED_BY_CYCLE)) return { focus: undefined, form: true, contextOnly: true }
  const [found, rest = ''] = /^\/(?:[A-Za-z0-9][\w.-]{0,63}:){0,3}handoff(?:\s+([\s\S]*))?$/.exec(line) ?? []
  if (found === undefined) return undefined
  const focus = rest.replace(/^--context(?:\s+|$)/, '').trim()
  const contextOnly = /^--context(?:\s|$)/.test(rest)
  return { focus: focus || undefined, ...(contextOnly ? { contextOnly } : {}) }
}

/** How a cycle asks for the document of a session that is at rest. */
export const ASKED_BY_CYCLE = 'Create handoff document now - context at '

const MAX_LENGTH = 20_000
