import type { Ask } from '@batonpass/contract/ask'
import { Config, type ConfigInput } from '@batonpass/contract/config'
import type { EventOf } from '@batonpass/contract/event'
import type { NewEntry } from '@batonpass/contract/journal'
import type { DecisionEntry } from '@batonpass/contract/permission'
import type { AskOutcome } from '../../src/ask/ask-outcome.ts'
import type { Question } from '../../src/ask/question.ts'
import type { PermissionPorts } from '../../src/permission/ports.ts'
import { permissionReactor } from '../../src/permission/reactor.ts'
import { rulesInForce } from '../../src/permission/rules-in-force.ts'
import type { Contribution } from '../../src/ports/contribution.ts'
import type { ReactionContext, Reactor } from '../../src/ports/reactor.ts'
import { sampleAsk } from '../ask/sample.ts'
import { aSession, at, eventId, sessionId } from '../world/journal.ts'
import { fakeTime } from '../world/time.ts'

export const PROJECT = '/home/dev/project'
export const HOME = '/home/dev'

let last = 0
type Common<T extends 'ToolRequested' | 'PermissionAsked'> = Partial<EventOf<T>>

const bash = (command: string) => ({
  id: eventId(++last),
  at: at(),
  agent: 'claude-code' as const,
  session: sessionId(1),
  nativeSession: 'native-1',
  cwd: PROJECT,
  tool: 'Bash',
  input: { command },
  action: { kind: 'shell' as const, command },
})

export const requested = (command: string, more: Common<'ToolRequested'> = {}): EventOf<'ToolRequested'> => ({
  ...bash(command),
  toolUseId: `toolu_${last}`,
  ...more,
  type: 'ToolRequested',
})
export const asked = (command: string, more: Common<'PermissionAsked'> = {}): EventOf<'PermissionAsked'> => ({
  ...bash(command),
  ...more,
  type: 'PermissionAsked',
})
export const finished = (of: EventOf<'ToolRequested'>, cwd = PROJECT): EventOf<'ToolFinished'> => ({
  ...of,
  id: eventId(++last),
  cwd,
  type: 'ToolFinished',
  failed: false,
  response: null,
})

export interface ReactorWorld {
  reactor: Reactor
  decisions: DecisionEntry[]
  questions: Question[]
  /** Open asks, as far as `withdraw` looks at them. */
  open: Ask[]
  withdrawn: { key: string; why: string }[]
  faults: string[]
  log: string[]
  snapshots: number
  modelCalls: number
  remember(fingerprint: string): void
  context(config?: ConfigInput, more?: Partial<ReactionContext>): ReactionContext
  /** The whole answer, late or not. */
  answer(
    event: EventOf<'ToolRequested'> | EventOf<'PermissionAsked'>,
    context?: ReactionContext,
    signal?: AbortSignal,
  ): Promise<Contribution>
}

export interface Fakes {
  person?: (question: Question, signal: AbortSignal) => Promise<AskOutcome>
  ports?: Partial<PermissionPorts>
  model?: 'allow' | 'deny' | 'ask' | 'broken'
  snapshot?: 'taken' | 'kept' | 'none' | 'broken'
}

const answeredWith = (option: 'allow-once' | 'deny', question: Question): AskOutcome => ({
  result: 'answered',
  ask: sampleAsk({ key: question.key, fingerprint: question.fingerprint }),
  option,
  by: { channel: 'telegram', who: 'Ann' },
})
export const sayYes = async (question: Question): Promise<AskOutcome> => answeredWith('allow-once', question)
export const sayNo = async (question: Question): Promise<AskOutcome> => answeredWith('deny', question)
export const nobody = async (): Promise<AskOutcome> => ({ result: 'timed-out', ask: sampleAsk() })

export function reactorWorld({
  person = nobody,
  ports = {},
  model,
  snapshot = 'none',
}: Fakes = {}): ReactorWorld {
  const { clock } = fakeTime()
  let serial = 0
  const remembered = new Set<string>()
  const world: ReactorWorld = {
    decisions: [],
    questions: [],
    open: [],
    withdrawn: [],
    faults: [],
    log: [],
    snapshots: 0,
    modelCalls: 0,
    remember: fingerprint => remembered.add(fingerprint),
    reactor: { name: 'permission', react: () => undefined },
    context: (config = {}, more = {}) => ({
      session: aSession(1),
      project: PROJECT,
      config: Config.parse(config),
      now: clock.now(),
      ...more,
    }),
    async answer(event, context = world.context(), signal = new AbortController().signal) {
      const outcome = await world.reactor.react(event, context)
      if (outcome?.now) return outcome.now
      if (!outcome?.later) throw new Error('no answer')
      return await outcome.later.run(signal)
    },
  }
  world.reactor = permissionReactor({
    asks: {
      ask: async (question, { signal }) => {
        world.questions.push(question)
        world.open.push(
          sampleAsk({ key: question.key, fingerprint: question.fingerprint, facts: question.facts }),
        )
        return await person(question, signal)
      },
      remembered: async fingerprint => remembered.has(fingerprint),
      withdraw: async (fits, why) => {
        for (const ask of world.open.filter(fits)) world.withdrawn.push({ key: ask.key, why })
        world.open = world.open.filter(ask => !fits(ask))
      },
    },
    rules: async ({ config }, besides = []) => {
      const { permissions } = config
      const all = { ...config, permissions: { ...permissions, allow: [...permissions.allow, ...besides] } }
      return rulesInForce(all, { worktree: PROJECT, home: HOME })
    },
    redact: text => text.replaceAll('hunter2', '[secret]'),
    ownBranch: async () => undefined,
    guarded: { folders: ['/home/dev/.local/state/baton'], ports: [4747], pids: [] },
    home: HOME,
    paths: { realpath: path => path },
    snapshot: async () => {
      world.snapshots++
      if (snapshot === 'broken') throw new Error('no snapshot')
      if (snapshot === 'kept') return { noUndo: 'the snapshot does not contain new.txt', isKept: true }
      return snapshot === 'taken' ? { undo: '7' } : { noUndo: 'not in a git worktree' }
    },
    bringsGuarded: async (_, commands) => commands.some(words => words.includes('evil')),
    model: model && {
      withinMs: 30_000,
      judge: async () => {
        world.modelCalls++
        if (model === 'broken') throw new Error('no model')
        return { decision: model, reason: `the model says ${model}` }
      },
    },
    write: async (entries: readonly NewEntry[]) => {
      for (const { body } of entries) if (body.kind === 'decision') world.decisions.push(body)
    },
    debug: async (_, line) => void world.log.push(line),
    fault: during => void world.faults.push(during),
    clock,
    ids: { id: length => String(++serial).padStart(length, '0') },
    ...ports,
  })
  return world
}
