import { createHash } from 'node:crypto'
import type { AgentEvent, EventOf } from '@batonpass/contract/event'
import { z } from 'zod'
import { readTest, textOf } from '../../session/transcript/test-runs.ts'

/** What an agent did since its last stop, to tell progress from repetition. Holds digests, not contents. */
export const Evidence = z.object({
  /** Requested calls, and finished calls (`tools`): the difference was refused. */
  asked: z.number().int().default(0),
  tools: z.number().int().default(0),
  failed: z.number().int().default(0),
  /** Digests of successful calls: those that only read (`looks`) and those that changed something (`acts`). */
  looks: z.array(z.string()).default([]),
  acts: z.array(z.string()).default([]),
  /** Digests of the written files, and of the edits. */
  written: z.array(z.string()).default([]),
  edits: z.array(z.string()).default([]),
  /** The last test run. */
  test: z
    .object({
      command: z.string(),
      passed: z.boolean(),
      failing: z.number().int().optional(),
      signature: z.string(),
    })
    .optional(),
  /** How many todos are done. */
  todo: z.number().int().optional(),
  /** What was created on the forge: `pull-request URL`, `issue URL`, `board`, `label`, `pushed`. */
  marks: z.array(z.string()).default([]),
  /** The last tool call, to name in messages about what is stuck. */
  last: z.string().optional(),
})
export type Evidence = z.infer<typeof Evidence>

export const NO_EVIDENCE: Evidence = Evidence.parse({})

const MAX_ITEMS = 200

/** Adds one event to the evidence. */
export function observe(evidence: Evidence, event: AgentEvent): Evidence {
  if (event.type === 'ToolRequested') return { ...evidence, asked: evidence.asked + 1, last: nameOf(event) }
  if (event.type !== 'ToolFinished') return evidence
  const seen: Evidence = {
    ...evidence,
    tools: evidence.tools + 1,
    failed: evidence.failed + (event.failed ? 1 : 0),
    last: nameOf(event),
  }
  const todo = todoDone(event.input)
  if (todo !== undefined) return { ...seen, todo: todo.whole ? todo.done : (evidence.todo ?? 0) + todo.done }
  const { action } = event
  if (action.kind === 'write') {
    if (event.failed) return seen
    const written = action.paths.map(digest)
    const edit = digest(`${action.paths.join('\0')}\0${stable(event.input)}`)
    return { ...seen, written: more(seen.written, ...written), edits: more(seen.edits, edit) }
  }
  if (action.kind !== 'shell') {
    if (event.failed || (action.kind === 'other' && event.input === null)) return seen
    const call = digest(`${event.tool}\0${stable(event.input)}`)
    return action.kind === 'mcp' || action.kind === 'agent'
      ? { ...seen, acts: more(seen.acts, call) }
      : { ...seen, looks: more(seen.looks, call) }
  }
  const test = readTest(action.command, event.failed, event.response)
  if (test) return { ...seen, test: { ...test, signature: digest(test.signature) } }
  if (event.failed || isIdle(action.command)) return seen
  const call = digest(normal(action.command))
  const marked = { ...seen, marks: more(seen.marks, ...marksOf(action.command, event.response)) }
  return isLook(action.command)
    ? { ...marked, looks: more(seen.looks, call) }
    : { ...marked, acts: more(seen.acts, call) }
}

/** What a successful command created on the forge. */
export function marksOf(command: string, response: unknown): string[] {
  const output = textOf(response)
  const marks: string[] = []
  if (/\bgh\s+pr\s+create\b/.test(command)) {
    const url = /https?:\/\/[^\s"'<>]+\/pull\/\d{1,9}\b/.exec(output)?.[0]
    if (url) marks.push(`pull-request ${url}`)
  }
  if (/\bgh\s+issue\s+(create|edit|comment)\b/.test(command)) {
    const url = /https?:\/\/[^\s"'<>]+\/issues\/\d{1,9}\b/.exec(output)?.[0]
    const plan = /\[plan\]|\bplan\b|--body-file|-F\b/i.test(command) && !/\bissue\s+comment\b/.test(command)
    if (url) marks.push(`${plan ? 'plan' : 'issue'} ${url}`)
  }
  if (
    /\bgh\s+(project\s+(create|link)|api\s+graphql)\b/.test(command) &&
    /createProjectV2|linkProjectV2|\bproject\s+create\b/.test(command)
  )
    marks.push('board')
  const label = /\bgh\s+label\s+create\s+(?:"([^"]+)"|'([^']+)'|(\S+))/.exec(command)
  if (label) marks.push(`label ${label[1] ?? label[2] ?? label[3]}`)
  if (/\bgit\s+push\b/.test(command)) marks.push(`pushed ${digest(output)}`)
  return marks.map(mark => mark.slice(0, 300))
}

export const digest = (text: string): string =>
  createHash('sha256').update(text).digest('base64url').slice(0, 12)

/** Recognizes todo lists by their shape, because every agent names its todo tool differently. */
function todoDone(input: unknown): { done: number; whole: boolean } | undefined {
  if (typeof input !== 'object' || input === null) return undefined
  const list: unknown = Reflect.get(input, 'todos')
  const isDone = (item: unknown) =>
    typeof item === 'object' &&
    item !== null &&
    /^(completed|done)$/.test(String(Reflect.get(item, 'status')))
  if (Array.isArray(list)) return { done: list.filter(isDone).length, whole: true }
  if ('taskId' in input) return { done: isDone(input) ? 1 : 0, whole: false }
  return undefined
}

/** Replaces numbers: they change between polls without meaning anything new. */
const normal = (command: string): string => command.replaceAll(/\d+/g, '0').replaceAll(/\s+/g, ' ').trim()

const IDLE = /^(?:sleep|echo|true|false|:|date|pwd|whoami|clear|printf|wait|uptime)\b/
const LOOK =
  /^(?:ls|cat|head|tail|less|more|grep|egrep|rg|ag|find|fd|tree|wc|stat|file|which|type|env|printenv|jq|awk|sed\s+-n|diff|cmp|du|df|ps|cd|git\s+(?:status|log|diff|show|branch|remote|rev-parse|blame|ls-files|fetch|describe|reflog)|gh\s+(?:pr|issue|run|repo|workflow|project|label)\s+(?:view|list|status|checks|watch|diff)|gh\s+auth\s+status|npm\s+(?:ls|view|outdated)|node\s+--version)\b/

/** Approximate on purpose: this only weighs evidence and never decides what may run. */
const partsOf = (command: string): string[] =>
  command
    .split(/\|\||&&|[;|\n]/)
    .map(part => part.trim())
    .filter(Boolean)
const isIdle = (command: string): boolean => {
  const parts = partsOf(command)
  return parts.every(part => IDLE.test(part) && !part.includes('>'))
}
const isLook = (command: string): boolean =>
  partsOf(command).every(part => (LOOK.test(part) || IDLE.test(part)) && !/(?:^|[^0-9&2])>/.test(part))

function nameOf(event: EventOf<'ToolFinished' | 'ToolRequested'>): string {
  const { action } = event
  const what = action.kind === 'shell' ? action.command : 'paths' in action ? action.paths.join(' ') : ''
  return `${event.tool} ${what}`.replaceAll(/\s+/g, ' ').trim().slice(0, 80)
}

const more = (list: readonly string[], ...items: string[]): string[] =>
  [...new Set([...list, ...items])].slice(-MAX_ITEMS)

function stable(input: unknown): string {
  try {
    return JSON.stringify(input)?.slice(0, 20_000) ?? ''
  } catch {
    return ''
  }
}
