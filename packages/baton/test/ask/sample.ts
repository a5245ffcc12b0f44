import type { Ask } from '@batonpass/contract/ask'
import { AskId, SessionId } from '@batonpass/contract/ids'
import type { NewEntry } from '@batonpass/contract/journal'
import { systemIds } from '../../src/adapters/system/ids.ts'
import { Asks, type AsksParts } from '../../src/ask/asks.ts'
import { fingerprintOf } from '../../src/ask/fingerprint.ts'
import type { Question } from '../../src/ask/question.ts'
import type { AnswerHandler, Channel } from '../../src/ports/channel.ts'
import { type LocalStore, openSqlite } from '../../src/store/sqlite.ts'
import { type FakeTime, fakeTime } from '../world/time.ts'

export const SESSION = SessionId.parse('ses_0123456789abcdef')

export function sampleQuestion(command: string, more: Partial<Question> = {}): Question {
  const asked = { session: SESSION, tool: 'Bash', input: { command }, cwd: '/work' }
  return {
    kind: 'permission',
    title: 'Bash',
    detail: command,
    facts: {
      session: SESSION,
      nativeSession: 'native-1',
      agent: 'claude-code',
      project: '/work',
      tool: 'Bash',
      cwd: '/work',
    },
    key: `evt_${command.replace(/\W/g, '')}`,
    fingerprint: fingerprintOf(asked),
    ...more,
  }
}

export function sampleAsk(more: Partial<Ask> = {}): Ask {
  const { options: _, ...question } = sampleQuestion('rm -rf build')
  return {
    ...question,
    id: AskId.parse('ask_0123456789abcdefghij'),
    options: ['allow-once', 'allow-session', 'deny', 'deny-with-reason'],
    createdAt: '2026-01-01T00:00:00.000Z',
    expiresAt: '2026-01-01T00:01:00.000Z',
    state: 'open',
    ...more,
  }
}

/** A channel that shows asks in a list. */
export interface ListChannel extends Channel {
  shown: Ask[]
  settled: Ask[]
  answering(): AnswerHandler
}

export function listChannel(name: string, show: () => Promise<boolean> = async () => true): ListChannel {
  const shown: Ask[] = []
  const settled: Ask[] = []
  let given: AnswerHandler | undefined
  return {
    name,
    shown,
    settled,
    answering: () => {
      if (!given) throw new Error('not started')
      return given
    },
    start: async answering => {
      given = answering
    },
    stop: async () => {},
    show: async ask => {
      const seen = await show()
      if (seen) shown.push(ask)
      return seen
    },
    settle: async ask => {
      settled.push(ask)
    },
  }
}

export interface AskWorld extends AsyncDisposable {
  time: FakeTime
  store: LocalStore
  entries: NewEntry[]
  faults: string[]
  /** A daemon's asks; called again for the next daemon on the same store. */
  begin(channels?: readonly Channel[], more?: Partial<AsksParts>): Promise<Asks>
}

export async function askWorld(): Promise<AskWorld> {
  const time = fakeTime()
  const store = await openSqlite(':memory:')
  const entries: NewEntry[] = []
  const faults: string[] = []
  return {
    time,
    store,
    entries,
    faults,
    async begin(channels = [], more = {}) {
      const asks = new Asks({
        store: store.asks,
        channels,
        record: async added => entries.push(...added),
        fault: (during, cause) => faults.push(`${during}: ${cause instanceof Error ? cause.message : cause}`),
        clock: time.clock,
        timers: time.timers,
        ids: systemIds,
        ...more,
      })
      await asks.start()
      return asks
    },
    [Symbol.asyncDispose]: () => store.close(),
  }
}
