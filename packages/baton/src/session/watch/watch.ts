import type { Config } from '@batonpass/contract/config'
import type { SessionId } from '@batonpass/contract/ids'
import type { HealthCheck, Spawn, WatchState } from '@batonpass/contract/watch'
import { stateByEvents } from './activity.ts'
import { assess, type Finding, hasStalled, type Seen } from './assess.ts'
import { Leftovers } from './leftovers.ts'
import type { WatchParts } from './parts.ts'
import { WatchRecord } from './record.ts'
import { type Subject, subjects } from './subjects.ts'
import { type Sight, Survey } from './survey.ts'

/** A subject with what was seen of it. */
export interface Watched extends Subject, Seen {}

/** Keeps an eye on every session: what each is doing, and what is wrong. Nothing here stands in a hook's way. */
export class Watch {
  readonly #parts: WatchParts
  readonly #survey: Survey
  readonly #record: WatchRecord
  readonly #leftovers: Leftovers
  /** Those that were seen to live. */
  readonly #alive = new Set<SessionId>()
  /** Since when a session's process or terminal has been missed. */
  readonly #missing = new Map<SessionId, number>()
  #watched: readonly Watched[] = []
  #running: Promise<void> | undefined
  #stale = false
  #last: { at: number; elapsed: number } | undefined

  constructor(parts: WatchParts) {
    this.#parts = parts
    this.#survey = new Survey(parts)
    this.#record = new WatchRecord(parts)
    this.#leftovers = new Leftovers(parts, this.#record)
  }

  /** To be called every few seconds; does nothing before its time. */
  async tick(): Promise<void> {
    const { watch } = await this.#parts.configOf(undefined)
    // A little early is in time: timers are not exact.
    await this.look(watch.interval_sec * 1000 - 500)
  }

  /** What is under watch, as seen no longer than that ago. */
  async look(maxAgeMs = FRESH_MS): Promise<readonly Watched[]> {
    const age = this.#last ? this.#parts.clock.elapsed() - this.#last.elapsed : Number.POSITIVE_INFINITY
    if (age >= maxAgeMs || this.#stale) {
      // One that runs already may have begun before the change.
      if (this.#stale) await this.#running
      this.#running ??= this.#round().finally(() => {
        this.#running = undefined
      })
    }
    await this.#running
    return this.#watched
  }

  /** What holds now, of every check. */
  standing(): HealthCheck[] {
    return this.#record.standing()
  }

  /** Something was started or ended: what was seen before is old. */
  outdated(): void {
    this.#stale = true
  }

  /** Writes down what somebody else found, such as how a handoff went. */
  note(about: Pick<Subject, 'id' | 'agent' | 'project'>, finding: Finding, action?: string): HealthCheck {
    return this.#record.add(about, finding, action)
  }

  async #round(): Promise<void> {
    this.#stale = false
    const { store, clock } = this.#parts
    this.#mindSleep()
    const spawns = store.spawns({ kinds: ['run', 'watch'] })
    const all = subjects(await this.#parts.liveSessions(), spawns)
    await this.#survey.take(all)
    const configs = new Map<string | undefined, Promise<Pick<Config, 'health'>>>()
    const watched: Watched[] = []
    for (const subject of all) {
      const config = configs.get(subject.project) ?? this.#parts.configOf(subject.project)
      configs.set(subject.project, config)
      const { health } = await config
      const seen = this.#seen(subject)
      const now = clock.now()
      const state = health.enabled && hasStalled(seen, health, now) ? 'stalled' : seen.state
      watched.push({ ...subject, ...seen, state })
      this.#follow(subject, seen, state)
      this.#record.session({ ...subject, ...seen, state })
      if (!health.enabled) continue
      // Of one that was never seen alive here, as after a restart of the machine, nobody wants to be woken.
      const tell = health.tell && this.#alive.has(subject.id)
      await this.#record.findings(subject, assess(seen, health, now), tell)
    }
    this.#watched = watched
    this.#forget(new Set(all.map(({ id }) => id)))
    await this.#leftovers.look(watched)
  }

  #seen(subject: Subject): Seen {
    const { session, spawn, place, pid } = subject
    const found = this.#survey.at(place)
    // tmux gives numbers of panes out again: another program there is not the one that was started.
    const replaced =
      spawn?.kind === 'run' && spawn.pid && found?.pid && found.pid !== spawn.pid && place?.startsWith('%')
    const sight: Sight | undefined = found && replaced ? { ...found, state: 'gone' } : found
    const heard = session ? Date.parse(session.lastSeenAt) : Date.parse(spawn?.started_at ?? '')
    const activeAt = Math.max(sight?.activeAt ?? 0, heard || 0)
    const lines = sight?.lines ?? []
    const said: WatchState = session ? stateByEvents(session) : 'unknown'
    if (sight?.state === 'dead') return { state: 'dead', lines, activeAt, died: true }
    // Whoever hosts an agent knows better: one that is just started again has another number soon.
    const hosted = place?.startsWith('hosted ') === true && sight !== undefined
    const ended = !hosted && session !== undefined && pid !== undefined && !this.#parts.processes.alive(pid)
    // A number that never was alive here is one of another machine or container.
    if (ended && !sight && !this.#alive.has(subject.id))
      return { state: 'unknown', lines, activeAt, died: false }
    if (sight?.state === 'gone' || ended) {
      const state = sight?.state === 'gone' ? 'gone' : 'dead'
      return { state, lines, activeAt, died: session !== undefined && this.#outlasted(session.id) }
    }
    this.#missing.delete(subject.id)
    this.#alive.add(subject.id)
    const known = sight && sight.state !== 'unknown' ? sight.state : said
    return { state: known, lines, activeAt, died: false }
  }

  /** What Baton started moves on with what is seen of it. One that failed stays for as long as its terminal does. */
  #follow({ session, spawn, id, agent, project }: Subject, { died }: Seen, state: WatchState): void {
    if (!spawn) return
    const gone = state === 'gone' || (state === 'dead' && spawn.place === null)
    const next: Spawn = {
      ...spawn,
      session: session?.id ?? spawn.session,
      project: spawn.project ?? project ?? null,
      status: statusOf(spawn, state, died),
      ended_at: gone ? new Date(this.#parts.clock.now()).toISOString() : null,
    }
    if (next.session === spawn.session && next.status === spawn.status && next.ended_at === spawn.ended_at)
      return
    this.#parts.store.putSpawn(next)
    const over = next.status === 'failed' || next.status === 'completed'
    if (!over || next.status === spawn.status) return
    const detail = next.status === 'failed' ? 'it failed' : 'it is over'
    void this.#parts
      .journal(
        { id, agent, project },
        { kind: 'spawn', what: 'ended', spawn: spawn.id, title: spawn.title, detail },
      )
      .catch(cause => this.#parts.fault('journalling an end', cause))
  }

  #forget(current: ReadonlySet<SessionId>): void {
    for (const id of this.#alive) if (!current.has(id)) this.#alive.delete(id)
    for (const id of this.#missing.keys()) if (!current.has(id)) this.#missing.delete(id)
    this.#record.only(current)
  }

  /** The goodbye of one that ended well may still be on its way. */
  #outlasted(id: SessionId): boolean {
    const now = this.#parts.clock.elapsed()
    const since = this.#missing.get(id) ?? now
    this.#missing.set(id, since)
    return now - since >= GOODBYE_MS
  }

  /** A machine that slept, or whose clock was set, has lost no output. */
  #mindSleep(): void {
    const now = { at: this.#parts.clock.now(), elapsed: this.#parts.clock.elapsed() }
    if (this.#last) {
      const jump = now.at - this.#last.at - (now.elapsed - this.#last.elapsed)
      const gap = now.at - this.#last.at
      if (Math.abs(jump) > JUMP_MS) this.#survey.shift(jump)
      else if (gap > SLEPT_MS) this.#survey.shift(gap)
    }
    this.#last = now
  }
}

function statusOf({ status }: Spawn, state: WatchState, died: boolean): Spawn['status'] {
  if (state === 'gone' || state === 'dead')
    return died || state === 'dead' || status === 'failed' ? 'failed' : 'completed'
  return state === 'stalled' ? 'stalled' : 'running'
}

const FRESH_MS = 1500
const JUMP_MS = 5000
const GOODBYE_MS = 10_000
const SLEPT_MS = 5 * 60_000
