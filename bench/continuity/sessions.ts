import { createHash } from 'node:crypto'
import type { AgentName } from '@batonpass/contract/event'
import * as templates from './templates.ts'

/** One step of a session, in no agent's format. */
export type Step =
  | { do: 'prompt' | 'queued' | 'ide' | 'teammate' | 'reply' | 'reject'; text: string }
  /** A summary of an earlier context; what the agent itself adds as the user; a subagent's prompt; news of a background task. */
  | { do: 'summary' | 'meta' | 'sidechain' | 'notification'; text: string }
  | { do: 'interrupted' }
  | { do: 'answer'; question: string; text: string }
  | { do: 'run'; command: string; output: string; failed: boolean }
  /** A command that stays in the background; one that the user typed. */
  | { do: 'background' | 'typed'; command: string; output: string }
  | { do: 'write'; path: string }
  | { do: 'agent'; task: string; text: string }
  | { do: 'todos'; items: { text: string; done: boolean }[] }

export type FactClass =
  | 'goal'
  | 'instruction'
  | 'failing test'
  | 'last command'
  | 'decision'
  | 'dead end'
  | 'next step'
  | 'environment'
  | 'subagent result'
  | 'git state'
  | 'open todo'
  | 'done todo'

export interface Fact {
  class: FactClass
  /** The sentence a diligent model writes. */
  text: string
  /** All of these must reach the next session. */
  keys: readonly string[]
}

export interface BenchSession {
  id: string
  agent: AgentName
  part: 'tuning' | 'held-out' | 'blind'
  steps: Step[]
  facts: Fact[]
  secrets: string[]
  env: string[]
  innocent: string[]
  superseded: string[]
  injected: string[]
  gitState: 'merge' | 'stash' | 'rebase' | 'cherry-pick' | 'submodule' | undefined
}

const AGENTS: readonly AgentName[] = ['claude-code', 'codex', 'pi']

/** The part of an item, by a fixed hash of its text. */
const partOf = (text: string): BenchSession['part'] =>
  createHash('sha256').update(`continuity ${text}`).digest().readUInt8() % 2 === 0 ? 'tuning' : 'held-out'

/** Generates the same sessions each time. */
export function generateSessions(count = 48): BenchSession[] {
  return Array.from({ length: count }, (_, i) => generateSession(`session-${i}`, AGENTS[i % 3] ?? 'pi'))
}

/** Templates of one part: half of the list, by their hash; all of them where a half would be empty. */
export function poolOf<T>(list: readonly T[], part: BenchSession['part']): readonly T[] {
  const ranked = list
    .map(item => ({ item, key: createHash('sha256').update(JSON.stringify(item)).digest('hex') }))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
    .map(({ item }) => item)
  const half = Math.floor(ranked.length / 2)
  return part === 'tuning' ? ranked.slice(0, half) : ranked.slice(half)
}

function generateSession(id: string, agent: AgentName): BenchSession {
  const part = partOf(id)
  const random = randomFrom(id)
  const pick = <T>(list: readonly T[], some: number): T[] => {
    const pool = [...poolOf(list, part)]
    return Array.from({ length: Math.min(some, pool.length) }, () => {
      const [item] = pool.splice(Math.floor(random() * pool.length), 1)
      return item as T
    })
  }
  const filler = () => fillerFrom(random)
  const steps: Step[] = []
  const session: BenchSession = {
    id,
    agent,
    part,
    steps,
    facts: [],
    secrets: [],
    env: [],
    innocent: [],
    superseded: [],
    injected: [],
    gitState: (['merge', 'stash', undefined] as const)[Math.floor(random() * 3)],
  }
  const fact = (kind: FactClass, text: string, keys: readonly string[] = [text]) =>
    session.facts.push({ class: kind, text, keys })
  const noise = (some: number) => {
    for (let i = 0; i < some; i++) steps.push(...noiseSteps(random))
  }
  const tell = (text: string, n: number) => {
    const ways = agent === 'claude-code' ? 6 : agent === 'codex' ? 4 : 2
    const way = n % ways
    if (way === 1)
      steps.push({ do: 'prompt', text: `${specification(random)}\n\n${text}\n\n${specification(random)}` })
    else if (way === 2) steps.push({ do: 'ide', text })
    else if (way === 3) steps.push({ do: 'answer', question: 'How should this be done?', text })
    else if (way === 4) steps.push({ do: 'queued', text })
    else if (way === 5) steps.push({ do: 'reject', text })
    else steps.push({ do: 'prompt', text })
    fact('instruction', text)
  }

  if (random() < 0.5) steps.push({ do: 'prompt', text: random() < 0.5 ? '/clear' : 'hi, are you there?' })
  for (const template of pick(templates.GOALS, 1)) {
    const text = filler()(template)
    steps.push({ do: 'prompt', text })
    fact('goal', text)
  }
  const replaced = pick(templates.REPLACED, 2).map(pair => {
    const fill = filler()
    return [fill(pair[0]), fill(pair[1])] as const
  })
  for (const [old] of replaced) {
    noise(1)
    steps.push({ do: 'prompt', text: old })
    session.superseded.push(old)
  }
  const [decisions, deadEnds] = [pick(templates.DECISIONS, 2), pick(templates.DEAD_ENDS, 2)]
  for (const [n, template] of pick(templates.INSTRUCTIONS, 4).entries()) {
    noise(2)
    tell(filler()(template), n + Math.floor(random() * 6))
  }
  for (const template of decisions) {
    const text = filler()(template)
    noise(1)
    steps.push({ do: 'reply', text: `${chatter(random)} ${text} ${chatter(random)}` })
    fact('decision', text)
  }
  for (const template of deadEnds) {
    const text = filler()(template)
    const name = filler()('{w}')
    steps.push({ do: 'run', command: `node try-${name}.js`, output: 'Error: failed', failed: true })
    steps.push({ do: 'reply', text: `${text}\n\n${chatter(random)}` })
    fact('dead end', text)
  }
  for (const [, fresh] of replaced) {
    noise(1)
    steps.push({ do: 'prompt', text: fresh })
    fact('instruction', fresh)
  }
  for (const template of pick(templates.SERVICES, 1)) {
    const fill = filler()
    steps.push({ do: 'run', command: fill(template.run), output: fill(template.output), failed: false })
    fact('environment', fill(template.run), template.keys.map(fill))
  }
  for (const template of pick(templates.RESULTS, agent === 'pi' ? 0 : 1)) {
    const text = filler()(template)
    steps.push({ do: 'agent', task: 'Look into it', text })
    fact('subagent result', text)
  }
  for (const template of pick(templates.SECRETS, 4)) {
    const fill = filler()
    const text = fill(template.text)
    const secret = template.text.includes('{pin}') ? fill('{pin}') : fill('{s}')
    session.secrets.push(secret)
    if (template.env) session.env.push(`${fill(template.env)}=${secret}`)
    if (template.kind === 'run') steps.push({ do: 'run', command: text, output: 'ok', failed: false })
    else steps.push({ do: template.kind, text })
  }
  for (const template of pick(templates.INNOCENT, 2)) {
    const text = filler()(template)
    session.innocent.push(text)
    steps.push({ do: 'prompt', text })
  }
  for (const { as, text: template } of pick(templates.INJECTED, 2)) {
    const text = filler()(template)
    session.injected.push(text)
    if (as === 'teammate' && agent === 'claude-code') steps.push({ do: 'teammate', text })
    else if (as === 'paste')
      steps.push({
        do: 'prompt',
        text: `What does this log mean?\n\`\`\`\n2026-01-22 14:00:00 INFO start\n${text}\n2026-01-22 14:00:02 INFO end\n\`\`\``,
      })
    else steps.push({ do: 'run', command: 'cat notes.txt', output: text, failed: false })
  }
  const todos = pick(templates.TODOS, 4).map((template, i) => ({ text: filler()(template), done: i < 2 }))
  steps.push({ do: 'todos', items: todos })
  for (const { text, done } of todos) fact(done ? 'done todo' : 'open todo', text)
  for (const template of pick(templates.FAILING, 1)) {
    const fill = filler()
    steps.push({ do: 'run', command: fill(template.command), output: fill(template.output), failed: true })
    fact('failing test', fill(template.name))
  }
  for (const template of pick(templates.LAST_RUNS, 1)) {
    const fill = filler()
    steps.push({
      do: 'run',
      command: fill(template.run),
      output: fill(template.output),
      failed: template.failed,
    })
    fact('last command', `${fill(template.run)}: ${fill(template.output)}`, [
      fill(template.run),
      fill(template.output),
    ])
  }
  for (const template of pick(templates.NEXT, 1)) {
    const text = filler()(template)
    steps.push({ do: 'reply', text })
    fact('next step', text)
  }
  if (session.gitState) fact('git state', session.gitState, [session.gitState])
  return session
}

/** A session between two handoffs that does little: nothing of it replaces an earlier fact. */
export function idleSession(id: string, agent: AgentName): BenchSession {
  const steps: Step[] = [
    { do: 'prompt', text: 'continue' },
    { do: 'reply', text: 'I am reading the code.' },
    { do: 'run', command: 'ls', output: 'src', failed: false },
  ]
  const nothing = {
    facts: [],
    secrets: [],
    env: [],
    innocent: [],
    superseded: [],
    injected: [],
    gitState: undefined,
  }
  return { id, agent, part: 'tuning', steps, ...nothing }
}

function noiseSteps(random: () => number): Step[] {
  const name = fillerFrom(random)('{w}')
  const path = `src/${name}.ts`
  return [
    { do: 'reply', text: chatter(random) },
    { do: 'run', command: `cat ${path}`, output: specification(random), failed: false },
    { do: 'write', path },
  ]
}

const CHATTER = [
  'I am looking at the code now.',
  'Let me read the file first.',
  'The tests are next to the source.',
  'This part is straightforward.',
  'I see how it is wired.',
]
const chatter = (random: () => number): string => CHATTER[Math.floor(random() * CHATTER.length)] ?? ''

const specification = (random: () => number): string =>
  Array.from({ length: 6 }, () => {
    const fill = fillerFrom(random)
    return fill('The {w} part reads {n} values and passes them to {f}, where they are sorted by name.')
  }).join(' ')

/** Fills a template; the same placeholder gets the same value within one filler. */
function fillerFrom(random: () => number): (template: string) => string {
  const letters = (some: number, from = 'bcdfghklmnprstvz') =>
    Array.from({ length: some }, (_, i) =>
      i % 2 === 0 ? from[Math.floor(random() * from.length)] : 'aeiou'[Math.floor(random() * 5)],
    ).join('')
  const [w, v, hex] = [letters(8), letters(7), () => Math.floor(random() * 16).toString(16)]
  const n = String(1000 + Math.floor(random() * 8999))
  const s = `${letters(5).replace(/^./, c => c.toUpperCase())}${Math.floor(random() * 90 + 10)}${'!#-_'[Math.floor(random() * 4)]}${letters(4)}`
  const values: Record<string, string> = {
    w,
    v,
    V: v.replace(/^./, c => c.toUpperCase()),
    W: w.toUpperCase(),
    n,
    N: `${n}${n}`,
    f: `src/${w}/${v}.ts`,
    h: Array.from({ length: 40 }, hex).join(''),
    s,
    pin: String(1000 + Math.floor(random() * 8999)),
  }
  return template => template.replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? name)
}

/** Numbers from a seed, the same each time. */
export function randomFrom(seed: string): () => number {
  let n = 0
  return () => createHash('sha256').update(`${seed} ${n++}`).digest().readUInt32BE() / 2 ** 32
}
