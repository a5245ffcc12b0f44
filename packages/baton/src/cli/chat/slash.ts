/** What may be typed after a slash. Everything else with a slash is the agent's own. */
export const SLASH = [
  { name: 'handoff', hint: '[focus]', help: 'Write a handoff document and continue in a new session' },
  { name: 'new', hint: '', help: 'Start an empty session' },
  { name: 'resume', hint: '[session]', help: 'Resume an earlier session' },
  { name: 'fork', hint: '', help: 'Continue in a copy of this session' },
  { name: 'sessions', hint: '', help: 'List the sessions of this folder' },
  { name: 'status', hint: '', help: 'Show agent, session, context and file' },
  { name: 'help', hint: '', help: 'Show this' },
  { name: 'exit', hint: '', help: 'Leave (Ctrl-D)' },
] as const
type SlashName = (typeof SLASH)[number]['name']

/** One of our commands with its words; undefined for a prompt. */
export function slashOf(line: string): { name: SlashName; rest: string } | undefined {
  const [found, word = '', rest = ''] = /^\/([a-z]+)(?:\s+([\s\S]*))?$/.exec(line.trim()) ?? []
  const name = SLASH.find(each => each.name === word)?.name
  return found === undefined || name === undefined ? undefined : { name, rest: rest.trim() }
}

/** What a half-typed line may become. */
export function complete(line: string, sessions: readonly string[]): string[] {
  const resume = /^\/resume\s+(\S*)$/.exec(line)
  if (resume) return sessions.filter(id => id.startsWith(resume[1] ?? '')).map(id => `/resume ${id}`)
  if (!/^\/[a-z]*$/.test(line)) return []
  return SLASH.map(({ name, hint }) => `/${name}${hint ? ' ' : ''}`).filter(each => each.startsWith(line))
}
