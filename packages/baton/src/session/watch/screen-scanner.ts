import type { PlaceStatus, ScreenDialog, ScreenReading } from '../../ports/driver.ts'
import { gist } from './activity.ts'
import type { WatchParts } from './parts.ts'
import type { Subject } from './subjects.ts'

/** The last observation of a place. */
export interface ScreenState {
  state: ScreenReading['state']
  lines: readonly string[]
  pid: number | undefined
  /** When the screen last showed something new, in milliseconds since the epoch. */
  activeAt: number
  lookedAt: number
  gist: string
  dialog: ScreenDialog | undefined
}

/** Observes every watched place: a cheap status for all, and the screen only where something was printed since. */
export class ScreenScanner {
  readonly #parts: Pick<WatchParts, 'drivers' | 'clock'>
  readonly #screens = new Map<string, ScreenState>()

  constructor(parts: Pick<WatchParts, 'drivers' | 'clock'>) {
    this.#parts = parts
  }

  at(place: string | undefined): ScreenState | undefined {
    return place === undefined ? undefined : this.#screens.get(place)
  }

  async take(subjects: readonly Subject[]): Promise<void> {
    const wanted = new Map(
      subjects.flatMap(({ place, agent }) => (place === undefined ? [] : [[place, agent] as const])),
    )
    for (const place of this.#screens.keys()) if (!wanted.has(place)) this.#screens.delete(place)
    for (const driver of this.#parts.drivers) {
      const places = [...wanted.keys()].filter(place => driver.reaches(place))
      const glances = places.length > 0 ? await driver.checkPlaces?.(places) : undefined
      for (let i = 0; i < places.length; i += AT_ONCE) {
        await Promise.all(
          places.slice(i, i + AT_ONCE).map(async place => {
            const glance = glances?.get(place)
            const agent = wanted.get(place)
            if (agent && this.#isNews(place, glance))
              this.#store(place, await driver.readScreen(place, agent))
          }),
        )
      }
    }
  }

  /** Shifts all times, so that the time during which the machine slept does not count as silence. */
  shift(ms: number): void {
    for (const [place, sight] of this.#screens)
      this.#screens.set(place, { ...sight, activeAt: sight.activeAt + ms, lookedAt: sight.lookedAt + ms })
  }

  #isNews(place: string, glance: PlaceStatus | undefined): boolean {
    const known = this.#screens.get(place)
    if (!known || !glance) return true
    if (glance.state !== 'there') return known.state !== glance.state
    if (known.state === 'dead' || known.state === 'gone') return true
    // Status times are whole seconds: output right after the last reading may have the same time.
    if ((glance.changedAt ?? 0) > known.lookedAt - GRAIN_MS) return true
    // A person who scrolls or types comes and goes without output from the program.
    return known.state === 'person'
  }

  #store(place: string, { state, lines, pid, dialog }: ScreenReading): void {
    const now = this.#parts.clock.now()
    const known = this.#screens.get(place)
    const newGist = gist(lines)
    const silent = known !== undefined && known.gist === newGist
    // For a terminal that is gone, keep its last lines.
    const kept = state === 'gone' && known ? known.lines : lines
    this.#screens.set(place, {
      state,
      lines: kept,
      pid,
      activeAt: silent ? Math.min(known.activeAt, now) : now,
      lookedAt: now,
      gist: newGist,
      dialog,
    })
  }
}

const AT_ONCE = 16
const GRAIN_MS = 1500
