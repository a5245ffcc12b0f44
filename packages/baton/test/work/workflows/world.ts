import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Config } from '@batonpass/contract/config'
import type { AgentEvent, EventOf, EventType } from '@batonpass/contract/event'
import { EventId } from '@batonpass/contract/ids'
import type { Reaction } from '@batonpass/contract/reaction'
import type { Session } from '@batonpass/contract/session'
import type { WorkflowEntry, WorkflowState } from '@batonpass/contract/workflow'
import { systemSmallFiles } from '../../../src/adapters/system/small-files.ts'
import { toReaction } from '../../../src/engine/merge.ts'
import { react } from '../../../src/engine/react.ts'
import type { WorktreeFacts } from '../../../src/ports/git.ts'
import { sessionId } from '../../../src/session/id.ts'
import { BUILTIN } from '../../../src/work/workflows/catalogue.ts'
import { HandsOff } from '../../../src/work/workflows/hands-off.ts'
import type { Announcement, WorkflowPorts } from '../../../src/work/workflows/ports.ts'
import { workflowReactor } from '../../../src/work/workflows/reactor.ts'
import { runsInMemory } from '../../../src/work/workflows/run.ts'
import { StateFiles } from '../../../src/work/workflows/state-files.ts'
import { scratch } from '../../world/scratch.ts'

type Input<T extends EventType> = Partial<Omit<EventOf<T>, 'type'>>

let ids = 0

/** An event with defaults for everything that does not matter. */
export function event<T extends EventType>(type: T, native: string, rest: Input<T> = {}): EventOf<T> {
  const defaults: Record<string, object> = {
    TurnEnded: { continued: false, outcome: 'completed' },
    ToolFinished: { tool: 'Bash', input: {}, action: { kind: 'other' }, failed: false, response: null },
    PromptSubmitted: { prompt: '' },
    TurnFailed: { error: 'unknown' },
    Idle: { kind: 'idle' },
    SessionEnded: { reason: 'other' },
  }
  return {
    id: EventId.parse(`evt_${String(++ids).padStart(20, '0')}`),
    at: '2026-11-15T12:00:00.000Z',
    agent: 'claude-code',
    session: sessionId('claude-code', native),
    nativeSession: native,
    type,
    ...defaults[type],
    ...rest,
  } as unknown as EventOf<T>
}

export const shell = (
  native: string,
  command: string,
  output = '',
  failed = false,
): EventOf<'ToolFinished'> =>
  event('ToolFinished', native, {
    tool: 'Bash',
    input: { command },
    action: { kind: 'shell', command },
    failed,
    response: { stdout: output, stderr: '' },
  })

export const write = (native: string, path: string, content: string): EventOf<'ToolFinished'> =>
  event('ToolFinished', native, {
    tool: 'Write',
    input: { file_path: path, content },
    action: { kind: 'write', paths: [path] },
  })

export interface World extends AsyncDisposable {
  project: string
  handsOff: HandsOff
  ports: WorkflowPorts
  journal: WorkflowEntry[]
  announced: Announcement[]
  faults: unknown[]
  /** What git says from now on. */
  worktree: WorktreeFacts | undefined
  now: number
  config: Config
  tell: (event: AgentEvent) => Promise<Reaction>
  /** A stop; with work before it unless told otherwise. */
  stop: (native: string, rest?: Input<'TurnEnded'> & { idle?: boolean }) => Promise<Reaction>
  stateFile: (native: string) => string
  state: (native: string) => WorkflowState
  edit: (native: string, text: string | object | undefined) => void
}

export function world(config: object = {}, ports: Partial<WorkflowPorts> = {}): World {
  const folder = scratch('bw-')
  const project = folder.path
  const journal: WorkflowEntry[] = []
  const announced: Announcement[] = []
  const faults: unknown[] = []
  let steps = 0
  const all: WorkflowPorts = {
    files: new StateFiles(systemSmallFiles, undefined),
    runs: runsInMemory(),
    workflows: async () => BUILTIN,
    git: { worktree: async () => made.worktree, exclude: async () => {}, remoteUrl: async () => undefined },
    transcriptsOf: () => undefined,
    forgeFor: async () => undefined,
    busyElsewhere: async () => false,
    claimOf: async () => undefined,
    showProof: async () => {},
    config: async () => made.config,
    supervisor: undefined,
    driverAt: () => undefined,
    tell: async () => {},
    journal: async (_, entry) => void journal.push(entry),
    announce: async announcement => void announced.push(announcement),
    fault: (_, cause) => void faults.push(cause),
    ...ports,
  }
  const handsOff = new HandsOff(all)
  const reactor = workflowReactor(all, handsOff)
  const stateFile = (native: string) => join(project, '.tmp/hooked-sessions', `${native}.json`)
  const made: World = {
    project,
    handsOff,
    ports: all,
    journal,
    announced,
    faults,
    worktree: undefined,
    now: Date.UTC(2026, 10, 15, 12),
    config: Config.parse(config),
    async tell(told) {
      made.now += 1000
      const session: Session = {
        id: told.session,
        agent: told.agent,
        nativeSession: told.nativeSession,
        startedAt: told.at,
        lastSeenAt: told.at,
        lastEvent: told.type,
        events: 1,
        pane: '%1',
      }
      const context = { session, project, config: made.config, now: made.now, attended: true }
      const reacting = await react([reactor], told, context, (_, cause) => void faults.push(cause))
      const merged = reacting.waiting ? await reacting.rest(new AbortController().signal) : reacting.merged
      return toReaction(merged)
    },
    async stop(native, { idle = false, ...rest } = {}) {
      if (!idle) await made.tell(write(native, `src/part-${++steps}.ts`, `step ${steps}`))
      return made.tell(event('TurnEnded', native, rest))
    },
    stateFile,
    state: native => JSON.parse(readFileSync(stateFile(native), 'utf8')),
    edit: (native, text) =>
      text === undefined
        ? rmSync(stateFile(native))
        : writeFileSync(stateFile(native), typeof text === 'string' ? text : JSON.stringify(text)),
    [Symbol.asyncDispose]: async () => folder.remove(),
  }
  return made
}
