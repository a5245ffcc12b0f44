import type { AgentEvent } from '@batonpass/contract/event'
import type { Entry } from '@batonpass/contract/journal'
import type { HealthEntry } from '@batonpass/contract/watch'
import { describe, expect, it } from 'vitest'
import { systemSmallFiles } from '../../../src/adapters/system/small-files.ts'
import type { Driver, ScreenReading } from '../../../src/ports/driver.ts'
import { readTurn } from '../../../src/work/unattended/decide-hung-turn.ts'
import { type HungTurnPorts, HungTurns } from '../../../src/work/unattended/hung-turns.ts'
import { aSession, eventId, sessionId } from '../../world/journal.ts'
import { scratch } from '../../world/scratch.ts'
import { fakeTime } from '../../world/time.ts'

const MINUTES = 60_000

/** One session in a terminal that records what is done to it; time passes only when a test says so. */
function hungWorld({ limitSec = 900 }: { limitSec?: number } = {}) {
  const folder = scratch()
  const time = fakeTime()
  const done: string[] = []
  const journal: HealthEntry[] = []
  const ended: string[] = []
  const entries: Entry[] = []
  let serial = 0
  let screen: ScreenReading['state'] = 'working'
  let activeAt = time.clock.now()
  let hasJob = true
  let isBusy = false
  let isPaused = false
  let place: string | undefined = '%1 /tmp/x'
  let session = 1
  let handOff = async (): Promise<void> => {
    done.push('fresh session')
  }
  const driver = {
    readScreen: async () => ({ state: screen, lines: [] }),
    interrupt: async () => {
      done.push('Escape')
      screen = 'waiting'
      return 'interrupted' as const
    },
    type: async (_: string, text: string) => {
      done.push(`typed: ${text.slice(0, 36)}`)
      screen = 'working'
      return 'taken' as const
    },
  } as unknown as Driver
  const ports: HungTurnPorts = {
    observe: async () => [
      { session: aSession(session, place ? { pane: place } : {}), state: screen, activeAt },
    ],
    jobOf: async () =>
      hasJob
        ? {
            name: 'issue-to-impl #42',
            end: async reason => {
              ended.push(reason)
              hasJob = false
            },
          }
        : undefined,
    entries: async () => entries,
    driverAt: () => driver,
    isBusy: async () => isBusy,
    handOff: () => handOff(),
    config: async () => ({ handsoff: { hung_sec: limitSec } }) as never,
    journal: async (_, entry) => void journal.push(entry),
    files: systemSmallFiles,
    stateDir: folder.path,
    clock: time.clock,
    timers: {
      after: (_, run) => {
        queueMicrotask(run)
        return () => {}
      },
    },
    paused: () => isPaused,
    fault: (_, cause) => {
      if (!String(cause).includes('cannot type')) throw cause
    },
  }
  let hung = new HungTurns(ports)
  return {
    done,
    journal,
    ended,
    entries,
    carryOver: (from: number, to: number) => hung.carryOver(sessionId(from), sessionId(to)),
    /** A new daemon, with nothing but the files. */
    restart: () => {
      hung = new HungTurns(ports)
    },
    set(
      next: Partial<{
        screen: ScreenReading['state']
        job: boolean
        busy: boolean
        paused: boolean
        place: string | undefined
        session: number
        handOff: () => Promise<void>
      }>,
    ) {
      if (next.screen) screen = next.screen
      if (next.job !== undefined) hasJob = next.job
      if (next.busy !== undefined) isBusy = next.busy
      if (next.paused !== undefined) isPaused = next.paused
      if ('place' in next) place = next.place
      if (next.session) session = next.session
      if (next.handOff) handOff = next.handOff
    },
    happens(type: AgentEvent['type'], more: object = {}) {
      const at = new Date(time.clock.now()).toISOString()
      activeAt = time.clock.now()
      const event = { id: eventId(++serial), at, type, session: sessionId(session), ...more }
      entries.push({ body: { kind: 'event', event, source: 'user' } } as unknown as Entry)
      return event.id
    },
    denies(event: string) {
      const reaction = { permission: { decision: 'deny', reason: 'x' } }
      entries.push({ body: { kind: 'reaction', event, reaction } } as unknown as Entry)
    },
    async passes(ms: number) {
      await time.advance(ms)
      await hung.tick()
    },
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  }
}

const tool = (id: string, more: object = {}) => ({
  tool: 'Bash',
  toolUseId: id,
  input: {},
  action: { kind: 'shell', command: 'make' },
  ...more,
})

describe('a turn that hangs', () => {
  it('gets Escape and a prompt, then a fresh session, then the job ends; each once, also across daemons', async () => {
    await using world = hungWorld()
    world.happens('PromptSubmitted')
    await world.passes(14 * MINUTES)
    expect(world.done).toEqual([])
    await world.passes(1 * MINUTES)
    expect(world.done).toEqual(['Escape', 'typed: This is an automatic prompt from Bat'])
    world.happens('PromptSubmitted')
    world.restart()
    await world.passes(14 * MINUTES)
    expect(world.journal).toHaveLength(1)
    await world.passes(1 * MINUTES)
    world.restart()
    await world.passes(1 * MINUTES)
    expect(world.done.slice(2)).toEqual(['Escape', 'fresh session'])

    await world.carryOver(1, 2)
    world.set({ session: 2, screen: 'working' })
    world.happens('PromptSubmitted')
    await world.passes(15 * MINUTES)
    world.happens('PromptSubmitted')
    await world.passes(15 * MINUTES)
    await world.passes(15 * MINUTES)
    expect(world.done.slice(4)).toEqual(['Escape', 'typed: This is an automatic prompt from Bat', 'Escape'])
    expect(world.ended).toEqual([
      'the agent stopped answering: no output for 15 minutes, and no tool is running, also after Baton interrupted it',
    ])
    expect(world.journal.map(({ status, action }) => `${status} ${action}`)).toEqual([
      'warning interrupted the turn and told the agent to continue',
      'warning moves the work to a fresh session',
      'warning interrupted the turn and told the agent to continue',
      'critical interrupted the turn and ended the job',
    ])
  })

  it('is nudged again only after progress', async () => {
    await using world = hungWorld()
    world.happens('PromptSubmitted')
    await world.passes(15 * MINUTES)
    world.happens('PromptSubmitted')
    await world.passes(1 * MINUTES)
    world.happens('ToolRequested', tool('a'))
    world.happens('ToolFinished', tool('a', { failed: false }))
    await world.passes(15 * MINUTES)
    expect(world.done.filter(each => each === 'Escape')).toHaveLength(2)
    expect(world.done).not.toContain('fresh session')
  })

  it('ends the job when there can be no fresh session', async () => {
    await using world = hungWorld()
    world.set({ handOff: () => Promise.reject(new Error('cannot type')) })
    world.happens('PromptSubmitted')
    await world.passes(15 * MINUTES)
    world.happens('PromptSubmitted')
    await world.passes(15 * MINUTES)
    await world.passes(15 * MINUTES)
    expect(world.ended).toHaveLength(1)
    expect(world.journal).toHaveLength(2)
  })
})

type World = ReturnType<typeof hungWorld>
const NOT_HUNG: [string, (world: World) => void][] = [
  ['a tool runs', w => w.happens('ToolRequested', tool('a'))],
  [
    'one of two tools still runs',
    w => {
      w.happens('ToolRequested', tool('a'))
      w.happens('ToolRequested', tool('b'))
      w.happens('ToolFinished', tool('a', { failed: false }))
    },
  ],
  [
    'a tool of a subagent runs',
    w => {
      w.happens('ToolRequested', tool('a', { subagent: { id: 's' } }))
      w.happens('TurnEnded', { running: 0 })
      w.happens('PromptSubmitted')
    },
  ],
  ['a tool without an id runs', w => w.happens('ToolRequested', { tool: 'Bash', input: {} })],
  ['a question is open', w => w.set({ busy: true })],
  ['the agent waits for a background task', w => w.happens('TurnEnded', { running: 1 })],
  ['the agent waits for a turn that it scheduled', w => w.happens('TurnEnded', { scheduled: 1 })],
  ['a usage limit ended the turn', w => w.happens('TurnFailed', { error: 'rate_limit' })],
  ['the session waits for input', w => w.set({ screen: 'waiting' })],
  ['the agent shows a dialog', w => w.set({ screen: 'dialog' })],
  ['a person types', w => w.set({ screen: 'person' })],
  ['no job runs, or its run is parked', w => w.set({ job: false })],
  ['Baton is paused', w => w.set({ paused: true })],
  ['Baton cannot reach its terminal', w => w.set({ place: undefined })],
]

describe('nothing happens while', () => {
  it.each(NOT_HUNG)('%s', async (_, prepare) => {
    await using world = hungWorld()
    world.happens('PromptSubmitted')
    prepare(world)
    await world.passes(20 * MINUTES)
    await world.passes(20 * MINUTES)
    expect(world.done).toEqual([])
    expect(world.journal).toEqual([])
    expect(world.ended).toEqual([])
  })

  it('the setting is 0', async () => {
    await using world = hungWorld({ limitSec: 0 })
    world.happens('PromptSubmitted')
    await world.passes(24 * 60 * MINUTES)
    expect(world.done).toEqual([])
  })
})

describe('a tool counts as finished when', () => {
  const turns: [string, (world: World) => void][] = [
    ['it was denied by Baton', w => w.denies(w.happens('ToolRequested', tool('a')))],
    [
      'the agent’s own rules denied it',
      w => {
        w.happens('ToolRequested', tool('a'))
        w.happens('ToolDenied', tool('a', { reason: 'x' }))
      },
    ],
    [
      'it was interrupted, and a new prompt came',
      w => {
        w.happens('ToolRequested', tool('a'))
        w.happens('PromptSubmitted')
      },
    ],
    [
      'the subagent that ran it has ended',
      w => {
        w.happens('ToolRequested', tool('a', { subagent: { id: 's' } }))
        w.happens('SubagentEnded', { subagent: { id: 's' } })
      },
    ],
    ['it is a command that the broker performs', w => w.happens('ToolRequested', tool('broker_1'))],
  ]
  it.each(turns)('%s', async (_, prepare) => {
    await using world = hungWorld()
    world.happens('PromptSubmitted')
    prepare(world)
    expect(readTurn(world.entries).runningTools).toBe(0)
    await world.passes(16 * MINUTES)
    expect(world.done[0]).toBe('Escape')
  })
})
