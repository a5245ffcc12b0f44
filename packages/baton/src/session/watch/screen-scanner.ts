import type { PlaceStatus, ScreenReading } from '../../ports/driver.ts'
import { gist } from './activity.ts'
import type { WatchParts } from './parts.ts'
import type { Subject } from './subjects.ts'

/** What was last seen at a place. */
export interface ScreenState {
  state: ScreenReading['state']
  lines: readonly string[]
  pid: number | undefined
  /** When the screen last said something new, in milliseconds since the epoch. */
  activeAt: number
  lookedAt: number
  gist: string
}

/** Looks at every place under watch: all at a glance, and closer only where something was printed since. */
export class ScreenScanner {
  readonly #parts: Pick<WatchParts, 'drivers' | 'clock'>
  readonly #sights = new Map<string, ScreenState>()

  constructor(parts: Pick<WatchParts, 'drivers' | 'clock'>) {
    this.#parts = parts
  }

  at(place: string | undefined): ScreenState | undefined {
    return place === undefined ? undefined : this.#sights.get(place)
  }

  async take(subjects: readonly Subject[]): Promise<void> {
    const wanted = new Map(
      subjects.flatMap(({ place, agent }) => (place === undefined ? [] : [[place, agent] as const])),
    )
    for (const place of this.#sights.keys()) if (!wanted.has(place)) this.#sights.delete(place)
    for (const driver of this.#parts.drivers) {
      const places = [...wanted.keys()].filter(place => driver.reaches(place))
      const glances = places.length > 0 ? await driver.checkPlaces?.(places) : undefined
      for (let i = 0; i < places.length; i += AT_ONCE) {
        await Promise.all(
          places.slice(i, i + AT_ONCE).map(async place => {
            const glance = glances?.get(place)
            const agent = wanted.get(place)
            if (agent && this.#isNews(place, glance)) this.#keep(place, await driver.readScreen(place, agent))
          }),
        )
      }
    }
  }

  /** After the machine slept, silence in between counts for nobody. */
  shift(ms: number): void {
    for (const [place, sight] of this.#sights)
      this.#sights.set(place, { ...sight, activeAt: sight.activeAt + ms, lookedAt: sight.lookedAt + ms })
  }

  #isNews(place: string, glance: PlaceStatus | undefined): boolean {
    const known = this.#sights.get(place)
    if (!known || !glance) return true
    if (glance.state !== 'there') return known.state !== glance.state
    if (known.state === 'dead' || known.state === 'gone') return true
    // Times at a glance are whole seconds: what was printed right after a look may bear the same one.
    if ((glance.changedAt ?? 0) > known.lookedAt - GRAIN_MS) return true
    // Somebody who reads back or types comes and goes without a word from the program.
    return known.state === 'person'
  }

  #keep(place: string, { state, lines, pid }: ScreenReading): void {
    const now = this.#parts.clock.now()
    const known = this.#sights.get(place)
    const told = gist(lines)
    const silent = known !== undefined && known.gist === told
    // Of a terminal that is gone, what it showed last is what is left.
    const kept = state === 'gone' && known ? known.lines : lines
    this.#sights.set(place, {
      state,
      lines: kept,
      pid,
      activeAt: silent ? Math.min(known.activeAt, now) : now,
      lookedAt: now,
      gist: told,
    })
  }
}

const AT_ONCE = 16
const GRAIN_MS = 1500
