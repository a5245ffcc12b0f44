import { Config } from '@batonpass/contract/config'
import type { AgentEvent, EventOf } from '@batonpass/contract/event'
import type { SessionId } from '@batonpass/contract/ids'
import type { Session } from '@batonpass/contract/session'
import type { StageEntry } from '@batonpass/contract/work'
import { systemGit } from '../../../src/adapters/git/git.ts'
import { systemFolders } from '../../../src/adapters/system/folders.ts'
import { systemSmallFiles } from '../../../src/adapters/system/small-files.ts'

import type { Driver, TypeResult } from '../../../src/ports/driver.ts'
import type { GrantFacts } from '../../../src/ports/grant-facts.ts'
import type { ReactionContext } from '../../../src/ports/reactor.ts'
import type { WritableForge } from '../../../src/ports/writable-forge.ts'
import { callTool } from '../../../src/work/packs/paw/tools.ts'
import type { StagePorts } from '../../../src/work/stages/ports.ts'
import { StageMemory } from '../../../src/work/stages/stage-memory.ts'
import { Stages } from '../../../src/work/stages/stages.ts'
import { WorkItems } from '../../../src/work/stages/work-items.ts'
import { aSession, at, sessionId } from '../../world/journal.ts'
import { scratch } from '../../world/scratch.ts'

/** Staged work on real files, with a terminal that only records what is typed into it. */
export function stageWorld({
  start = true,
  forge,
  grantFacts,
}: {
  start?: boolean
  forge?: WritableForge
  grantFacts?: GrantFacts
} = {}) {
  const folder = scratch()
  const project = `${folder.path}/project`
  const sessions = new Map<string, Session>()
  const entries: StageEntry[] = []
  const told: string[] = []
  const typed: string[] = []
  const started: string[] = []
  const faults: unknown[] = []
  let now = Date.now()
  let answer: TypeResult = 'taken'
  let paused = false
  const driver: Driver = {
    kind: 'tmux',
    reaches: place => place.startsWith('%'),
    readScreen: async () => ({ state: 'waiting', lines: [] }),
    type: async (_, text) => {
      typed.push(text)
      return answer
    },
    clear: async place => {
      typed.push('/clear')
      stages.passing.sessionStarted(place)
      return answer
    },
    interrupt: async () => 'idle',
    start: async () => ({ place: '%9 /tmp/x' }),
    kill: async () => false,
  }
  const ports: StagePorts = {
    items: new WorkItems(systemSmallFiles, systemFolders),
    files: systemSmallFiles,
    memory: new StageMemory(systemSmallFiles, `${folder.path}/state`),
    git: systemGit,
    ...(grantFacts ? { grantFacts } : {}),
    timers: {
      after: (ms, run) => {
        const timer = setTimeout(run, Math.min(ms, 1))
        return () => clearTimeout(timer)
      },
    },
    now: () => now,
    home: `${folder.path}/home`,
    canonical: path => path,
    session: async id => sessions.get(id),
    driverAt: place => (driver.reaches(place) ? driver : undefined),
    forgeFor: async () => forge,
    askForReviews: async (_, pull, logins) => forge?.requestReviews(pull, logins),
    ...(start
      ? {
          start: async order => {
            started.push(order.prompt)
            return { place: '%9 /tmp/x', attach: `tmux attach -t ${order.title}` }
          },
        }
      : {}),
    commandFor: (_, where, prompt) => `cd ${where} && claude ${JSON.stringify(prompt)}`,
    handOff: async () => '.bmad/handoffs/handoff-2026-01-01-00-00.md',
    journal: async (_, entry) => void entries.push(entry),
    announce: async (_, text) => void told.push(text),
    fault: (_, cause) => void faults.push(cause),
    paused: () => paused,
  }
  const stages: Stages = new Stages(ports)
  const about = (n: number) => ({
    id: `evt_${'0'.repeat(20)}`,
    at: at(),
    agent: 'claude-code',
    session: sessionId(n),
    nativeSession: `native-${n}`,
  })
  const event = <T extends AgentEvent['type']>(n: number, type: T, more: object): EventOf<T> =>
    ({ ...about(n), type, ...more }) as unknown as EventOf<T>
  const context = (n: number): ReactionContext => ({
    session: sessions.get(sessionId(n)) ?? aSession(n),
    project,
    config: Config.parse({}),
    now,
  })

  return {
    project,
    ports,
    stages,
    entries,
    told,
    typed,
    started,
    faults,
    write: (name: string, text: string) => folder.write(`project/${name}`, text),
    later: (ms: number) => {
      now += ms
    },
    pause: (on: boolean) => {
      paused = on
    },
    answers: (next: TypeResult) => {
      answer = next
    },
    session(n: number, parts: Partial<Session> = {}): SessionId {
      const session = aSession(n, { project, ...parts })
      sessions.set(session.id, session)
      return session.id
    },
    said: (n: number, prompt: string) => stages.prompted(event(n, 'PromptSubmitted', { prompt }), context(n)),
    stopped: (n: number, lastMessage = '') =>
      stages.turnEnded(
        event(n, 'TurnEnded', { continued: false, outcome: 'completed', lastMessage }),
        context(n),
      ),
    ended: (n: number) => stages.sessionEnded(event(n, 'SessionEnded', { reason: 'exit' }), context(n)),
    calls: (n: number, tool: string, input: object) =>
      stages.callers.note(
        event(n, 'ToolRequested', {
          tool: `mcp__baton__${tool}`,
          input,
          action: { kind: 'mcp', server: 'baton', tool },
        }),
        project,
        now,
      ),
    tool: async (name: string, args: Record<string, unknown>, opensChats = false) =>
      callTool(stages, ports, name, args, { project, opensChats }),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  }
}
