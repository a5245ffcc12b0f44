export interface HandoffCommand {
  focus: string | undefined
}

/** What a person asks for with `/handoff [focus]`, in any namespaced form; undefined for every other prompt. */
export function handoffCommand(prompt: string): HandoffCommand | undefined {
  const line = prompt.slice(0, LONGEST).trim()
  const [found, rest = ''] = /^\/(?:[A-Za-z0-9][\w.-]{0,63}:){0,3}handoff(?:\s+([\s\S]*))?$/.exec(line) ?? []
  if (found === undefined) return undefined
  const focus = rest.replace(/^--context(?:\s+|$)/, '').trim()
  return { focus: focus || undefined }
}

const LONGEST = 20_000
