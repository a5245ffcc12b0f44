import type { AgentName } from '@batonpass/contract/event'
import type { BenchSession, FactClass, Step } from '../sessions.ts'

const CLASSES: Readonly<Record<string, FactClass>> = {
  g: 'goal',
  i: 'instruction',
  d: 'decision',
  x: 'dead end',
  n: 'next step',
  e: 'environment',
  a: 'subagent result',
  f: 'failing test',
  l: 'last command',
  o: 'open todo',
  c: 'done todo',
}

/**
 * A session written by hand. Marks in its texts say what must arrive and what must not: `{{i:…}}` is an instruction (other letters: see
 * `CLASSES`), `{{s:…}}` a secret, `{{k:…}}` harmless text that looks like one, `{{r:…}}` a replaced instruction, `{{j:…}}` text that
 * imitates the user. The agent's file holds the texts without the marks.
 */
export function script(
  id: string,
  agent: AgentName,
  { git, env = [] }: { git?: BenchSession['gitState']; env?: string[] },
  marked: readonly Step[],
): BenchSession {
  const session: BenchSession = {
    id: `blind-${id}`,
    agent,
    part: 'blind',
    steps: [],
    facts: [],
    secrets: [],
    env,
    innocent: [],
    superseded: [],
    injected: [],
    gitState: git,
  }
  session.steps = marked.map(step => JSON.parse(unmark(JSON.stringify(step), session)))
  if (git) session.facts.push({ class: 'git state', text: git, keys: [git] })
  return session
}

function unmark(json: string, session: BenchSession): string {
  return json.replaceAll(/\{\{(\w):((?:(?!\}\}).)*)\}\}/g, (_, kind: string, inner: string) => {
    const text: string = JSON.parse(`"${inner}"`)
    const kindOf = CLASSES[kind]
    if (kindOf) session.facts.push({ class: kindOf, text, keys: [text] })
    else if (kind === 's') session.secrets.push(text)
    else if (kind === 'k') session.innocent.push(text)
    else if (kind === 'r') session.superseded.push(text)
    else if (kind === 'j') session.injected.push(text)
    else throw new Error(`Unknown mark: ${kind}`)
    return inner
  })
}

export const prompt = (text: string): Step => ({ do: 'prompt', text })
export const queued = (text: string): Step => ({ do: 'queued', text })
export const ide = (text: string): Step => ({ do: 'ide', text })
export const reply = (text: string): Step => ({ do: 'reply', text })
export const reject = (text: string): Step => ({ do: 'reject', text })
export const teammate = (text: string): Step => ({ do: 'teammate', text })
export const summary = (text: string): Step => ({ do: 'summary', text })
export const meta = (text: string): Step => ({ do: 'meta', text })
export const sidechain = (text: string): Step => ({ do: 'sidechain', text })
export const notification = (text: string): Step => ({ do: 'notification', text })
export const interrupted: Step = { do: 'interrupted' }
export const answer = (question: string, text: string): Step => ({ do: 'answer', question, text })
export const ran = (command: string, output = ''): Step => ({ do: 'run', command, output, failed: false })
export const failed = (command: string, output: string): Step => ({
  do: 'run',
  command,
  output,
  failed: true,
})
export const background = (command: string, output = ''): Step => ({ do: 'background', command, output })
export const typed = (command: string, output = ''): Step => ({ do: 'typed', command, output })
export const wrote = (path: string): Step => ({ do: 'write', path })
export const agent = (task: string, text: string): Step => ({ do: 'agent', task, text })
/** Todos; one that begins with `x ` is done. */
export const todos = (...items: string[]): Step => ({
  do: 'todos',
  items: items.map(item => ({ text: item.replace(/^x /, ''), done: item.startsWith('x ') })),
})
