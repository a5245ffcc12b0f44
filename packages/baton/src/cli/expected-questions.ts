import type { Config } from '@batonpass/contract/config'
import type { AgentName, PermissionMode } from '@batonpass/contract/event'
import { readerOf } from '../adapters/agents/readers.ts'
import { recentTranscripts } from '../adapters/agents/recent-transcripts.ts'
import { findWorktreeRoot } from '../config/project.ts'
import type { ToolEvent } from '../permission/ask-for.ts'
import type { TranscriptItem } from '../ports/transcript.ts'
import type { Io } from './io.ts'
import { configOf, type LocalJudge, localJudge } from './local-judge.ts'
import { sandboxFinder } from './local-sandbox.ts'
import { outlook, snapshotThen, unreportedCall } from './outlook.ts'

type Undecided = Config['permission']['undecided']

/** How often Baton would have asked in the user's last sessions, by the value of `permission.undecided`. */
export interface ExpectedQuestions extends Record<Undecided, number> {
  sessions: number
  calls: number
}

const MOST_SESSIONS = 20
const LONGEST_MS = 10_000
const PROGRESS_MS = 1000

/**
 * Replays the tool calls of the user's last sessions through the rules in force, without a model. Stops after ten seconds
 * and counts the sessions replayed until then; says what it does if that takes longer than a second.
 */
export async function countQuestions(
  io: Io,
  preset?: Config['permission']['preset'],
): Promise<ExpectedQuestions> {
  const count: ExpectedQuestions = { sessions: 0, calls: 0, respect: 0, ask: 0, defer: 0 }
  const signal = AbortSignal.any([io.signal, AbortSignal.timeout(LONGEST_MS)])
  const began = performance.now()
  const transcripts = await recentTranscripts(io, MOST_SESSIONS, signal)
  const judges = new Map<string, Judge>()
  const findSandbox = sandboxFinder(io)
  let told = false
  for (const { agent, path } of transcripts) {
    if (!told && performance.now() - began > PROGRESS_MS) {
      told = true
      io.stderr.write('Counting the questions in your last sessions …\n')
    }
    const one = await replay(agent, path, { judges, findSandbox, preset, io, signal })
    if (signal.aborted) break
    if (one.calls === 0) continue
    count.sessions++
    for (const key of ['calls', 'respect', 'ask', 'defer'] as const) count[key] += one[key]
  }
  return count
}

/** "In your last 20 sessions Baton would have asked 7 times instead of 143."; undefined without a session to count. */
export function questionsLine(count: ExpectedQuestions, chosen: Undecided): string | undefined {
  if (count.sessions === 0) return undefined
  const sessions = count.sessions === 1 ? 'In your last session' : `In your last ${count.sessions} sessions`
  const asked = `${sessions} Baton would have asked ${times(count[chosen])}`
  return chosen === 'ask' ? `${asked}.` : `${asked} instead of ${count.ask}.`
}

const times = (count: number): string => (count === 1 ? 'once' : `${count} times`)

export const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`

interface Judge {
  config: Config
  rules: LocalJudge
}

interface Replay {
  judges: Map<string, Judge>
  findSandbox: ReturnType<typeof sandboxFinder>
  preset: Config['permission']['preset'] | undefined
  io: Io
  signal: AbortSignal
}

type Tally = Omit<ExpectedQuestions, 'sessions'>

/** One transcript's calls. A transcript that cannot be read has none. */
async function replay(
  agent: AgentName,
  path: string,
  { judges, findSandbox, preset, io, signal }: Replay,
): Promise<Tally> {
  const tally: Tally = { calls: 0, respect: 0, ask: 0, defer: 0 }
  let [cwd, mode]: [string, PermissionMode | undefined] = [io.home, undefined]
  try {
    for await (const piece of readerOf(agent)?.read(path) ?? []) {
      for (const told of piece) {
        if (signal.aborted) return tally
        if (told.kind === 'about') cwd = told.cwd || cwd
        if (told.kind === 'mode') mode = told.mode
        if (told.kind !== 'call') continue
        const project = findWorktreeRoot(cwd)
        const judge = judges.get(project) ?? (await judgeIn(project, preset, io))
        judges.set(project, judge)
        const event = eventOf(agent, told, cwd, mode)
        const judgement = judge.rules.call(event)
        tally.calls++
        for (const undecided of ['respect', 'ask', 'defer'] as const) {
          const config = { ...judge.config, permission: { ...judge.config.permission, undecided } }
          const place = { project, config, findSandbox, snapshot: snapshotThen }
          const { decision } = await outlook(event, judgement, place, io)
          if (decision === 'ask') tally[undecided]++
        }
      }
    }
  } catch {
    // It is an estimate: what was read until then counts.
  }
  return tally
}

async function judgeIn(project: string, preset: Replay['preset'], io: Io): Promise<Judge> {
  const { config: inForce } = await configOf(project, io)
  const config = preset ? { ...inForce, permission: { ...inForce.permission, preset } } : inForce
  return { config, rules: localJudge(config, project, io) }
}

/** A call from a transcript as the hook would have reported it. */
const eventOf = (
  agent: AgentName,
  { id, tool, action }: Extract<TranscriptItem, { kind: 'call' }>,
  cwd: string,
  mode: PermissionMode | undefined,
): ToolEvent =>
  unreportedCall({
    agent,
    cwd,
    tool,
    input: inputOf(action),
    action,
    toolUseId: id,
    ...(mode ? { mode } : {}),
  })

/** The part of Claude Code's tool inputs that rules look at. */
function inputOf(action: ToolEvent['action']): object {
  switch (action.kind) {
    case 'shell':
      return { command: action.command }
    case 'read':
    case 'write':
      return action.paths[0] === undefined ? {} : { file_path: action.paths[0] }
    case 'search':
      return action.paths[0] === undefined ? {} : { path: action.paths[0] }
    case 'web':
      return { ...(action.url ? { url: action.url } : {}), ...(action.query ? { query: action.query } : {}) }
    default:
      return {}
  }
}
