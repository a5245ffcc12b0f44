import { Config } from '@batonpass/contract/config'
import type { Cycle } from '@batonpass/contract/cycle'
import { Session } from '@batonpass/contract/session'
import { describe, expect, it } from 'vitest'
import { Cycles } from '../../../src/handoff/cycle/cycles.ts'
import type { CyclePorts } from '../../../src/handoff/cycle/ports.ts'
import type { Driver } from '../../../src/ports/driver.ts'
import { sessionId } from '../../world/journal.ts'
import { fakeTime } from '../../world/time.ts'

/** Many idle sessions in several projects; none of them ever answers. */
function world(count: number, settings: object) {
  const time = fakeTime()
  const kept = new Map<string, Cycle>()
  const typed: { place: string; at: number }[] = []
  const told: string[] = []
  const config = Config.parse({ cycle: settings })
  const driver: Driver = {
    kind: 'tmux',
    reaches: () => true,
    readScreen: async () => ({ state: 'waiting', lines: [] }),
    type: async place => {
      typed.push({ place, at: time.clock.elapsed() })
      return 'taken'
    },
    interrupt: async () => 'idle',
    clear: async () => 'taken',
    start: () => Promise.reject(new Error('not here')),
    kill: async () => false,
  }
  let ids = 0
  const ports: CyclePorts = {
    store: {
      put: async cycle => Boolean(kept.set(cycle.id, cycle)),
      open: async () => [...kept.values()],
      recent: async () => [...kept.values()],
      forget: async () => 0,
    },
    driverAt: () => driver,
    documents: {
      request: async () => '',
      ready: async () => {},
      writeNow: async () => {},
      settled: async () => undefined,
      release: async () => {},
      drop: async () => {},
      wanted: async () => undefined,
    },
    read: () => Promise.reject(new Error('none')),
    session: async () => undefined,
    sessionsAt: async () => [],
    alive: () => true,
    carryOver: [],
    asks: { ask: () => new Promise(() => {}), tell: async ({ text }) => void told.push(text) },
    config: async () => config,
    journal: async () => {},
    fault: (during, cause) => expect.fail(`${during}: ${cause}`),
    clock: time.clock,
    timers: time.timers,
    ids: { id: length => String(++ids).padStart(length, '0') },
  }
  const cycles = new Cycles(ports)
  const session = (n: number, percent: number) => {
    const at = new Date(time.clock.now()).toISOString()
    return Session.parse({
      id: sessionId(n),
      agent: 'claude-code',
      nativeSession: `native-${n}`,
      project: `/project-${n % 3}`,
      pane: `%${n} /t`,
      startedAt: at,
      lastSeenAt: at,
      lastEvent: 'TurnEnded',
      events: 9,
      context: { used: 1, size: 100, percent, zone: 'trigger', at },
    })
  }
  const begin = async () => {
    for (let n = 1; n <= count; n++)
      await cycles.considerSession(session(n, 85 + n), config, time.clock.now())
  }
  const tick = async () => {
    await time.advance(5000)
    await cycles.tick()
    await cycles.idle()
  }
  return { cycles, begin, tick, typed, kept, session, config, time, told }
}

describe('many full sessions at once', () => {
  it('are handed off a few at a time, the fullest first, and not all at once', async () => {
    const { begin, tick, typed, cycles } = world(6, { at_once: 2, stagger_sec: 20 })
    await begin()
    expect(cycles.list()).toHaveLength(6)
    for (let n = 0; n < 10; n++) await tick()
    expect(typed.map(({ place }) => place)).toEqual(['%6 /t', '%5 /t'])
    const [first, second] = typed
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(20_000)
    // One ends, so the next one starts.
    await cycles.cancelCycle(sessionId(6), 'a person called it off')
    for (let n = 0; n < 5; n++) await tick()
    expect(typed.map(({ place }) => place)).toEqual(['%6 /t', '%5 /t', '%4 /t'])
  })

  it('start one cycle each, however often they are measured', async () => {
    const { begin, cycles, session, config, time } = world(2, {})
    await begin()
    await Promise.all([1, 2, 3].map(() => cycles.considerSession(session(1, 90), config, time.clock.now())))
    expect(cycles.list()).toHaveLength(2)
  })

  it('that no driver reaches are left alone', async () => {
    const { cycles, session, config, time } = world(0, {})
    const { pane, ...outside } = session(1, 99)
    expect(await cycles.considerSession(outside, config, time.clock.now())).toBeUndefined()
    await expect(cycles.handOffNow(outside, time.clock.now())).rejects.toMatchObject({ code: 'not_allowed' })
  })
})
