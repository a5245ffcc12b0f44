import { Config } from '@batonpass/contract/config'
import type { Session } from '@batonpass/contract/session'
import type { HealthEntry, SpawnEntry } from '@batonpass/contract/watch'
import type { Driver, PlaceStatus, ScreenReading } from '../../../src/ports/driver.ts'
import type { RunningProcess } from '../../../src/ports/processes.ts'
import type { WatchParts } from '../../../src/session/watch/parts.ts'
import { Spawns } from '../../../src/session/watch/spawns.ts'
import { Watch } from '../../../src/session/watch/watch.ts'
import { type LocalStore, openSqlite } from '../../../src/store/sqlite.ts'
import { aSession, at } from '../../world/journal.ts'

/** A machine whose clock, terminals and processes do as the test says. */
export interface WatchWorld extends AsyncDisposable {
  parts: WatchParts
  store: LocalStore
  watch: Watch
  spawns: Spawns
  sessions: Session[]
  screens: Map<string, ScreenReading & { changedAt?: number }>
  looks: string[]
  processes: RunningProcess[]
  /** When a process began, in milliseconds since the epoch. */
  began: Map<number, number>
  /** Sessions that were found to be over. */
  lost: string[]
  /** Sessions that wait for a person's answer. */
  asking: Set<string>
  entries: (HealthEntry | SpawnEntry)[]
  news: string[]
  /** Lets time pass, and looks around afterwards. */
  pass(seconds: number): Promise<void>
  /** What a screen shows from now on. */
  show(place: string, state: ScreenReading['state'], ...lines: string[]): void
  /** The daemon restarts: only stored state counts. */
  restart(): void
}

export const PLACE = '%1 /tmp/s'
export const workingSession = (parts: Partial<Session> = {}): Session =>
  aSession(1, { pane: PLACE, lastEvent: 'ToolRequested', lastSeenAt: at(0), ...parts })

export async function watchWorld(config: object = {}): Promise<WatchWorld> {
  const store = await openSqlite(':memory:')
  const settings = Config.parse(config)
  let now = Date.parse(at(0))
  let elapsed = 1000
  let ids = 0
  const world = {
    screens: new Map(),
    looks: [],
    processes: [],
    began: new Map(),
    lost: [],
    asking: new Set(),
    entries: [],
    news: [],
    sessions: [],
  } as unknown as WatchWorld
  const driver: Driver = {
    kind: 'tmux',
    reaches: place => place.startsWith('%'),
    async readScreen(place) {
      world.looks.push(place)
      return world.screens.get(place) ?? { state: 'gone', lines: [] }
    },
    async checkPlaces(places) {
      const glanceAt = (place: string): PlaceStatus => {
        const { state, pid, changedAt } = world.screens.get(place) ?? { state: 'gone' as const }
        return state === 'gone' || state === 'dead' ? { state } : { state: 'there', pid, changedAt }
      }
      return new Map(places.map(place => [place, glanceAt(place)]))
    },
    type: async () => 'taken',
    interrupt: async () => 'idle',
    clear: async () => 'taken',
    async start({ title }) {
      const place = `%${world.screens.size + 10} /tmp/s`
      world.screens.set(place, {
        state: 'waiting',
        lines: [title],
        pid: 700 + world.screens.size,
        changedAt: now,
      })
      return { place, pid: world.screens.get(place)?.pid }
    },
    async kill(place) {
      return world.screens.delete(place)
    },
  }
  const parts: WatchParts = {
    store: store.watch,
    liveSessions: async () => world.sessions.filter(({ endedAt }) => endedAt === undefined),
    async lost({ id }, why) {
      world.lost.push(`${id} ${why}`)
      world.sessions = world.sessions.map(each => (each.id === id ? { ...each, endedAt: at(0) } : each))
    },
    asking: () => world.asking,
    drivers: [driver],
    processes: {
      alive: pid => world.processes.some(one => one.pid === pid),
      born: async pid => world.processes.find(one => one.pid === pid)?.born,
      since: async pid => world.began.get(pid),
      table: async () => world.processes,
    },
    self: 1,
    clock: { now: () => now, elapsed: () => elapsed },
    ids: { id: length => String(++ids).padStart(length, '0') },
    configOf: async () => settings,
    journal: async (_, entry) => void world.entries.push(entry),
    tell: async ({ text }) => void world.news.push(text),
    redact: value => JSON.parse(JSON.stringify(value).replaceAll('hunter2', '[redacted]')),
    content: () => settings.journal.content,
    fault: (during, cause) => {
      throw new Error(during, { cause })
    },
  }
  return Object.assign(world, {
    parts,
    store,
    watch: new Watch(parts),
    spawns: new Spawns(parts),
    async pass(seconds: number) {
      now += seconds * 1000
      elapsed += seconds * 1000
      await world.watch.look(0)
    },
    show(place: string, state: ScreenReading['state'], ...lines: string[]) {
      world.screens.set(place, { state, lines, pid: 500, changedAt: now })
    },
    restart() {
      world.watch = new Watch(parts)
    },
    [Symbol.asyncDispose]: () => store.close(),
  })
}
