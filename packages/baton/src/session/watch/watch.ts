import type { Config } from '@batonpass/contract/config'
import type { SessionId } from '@batonpass/contract/ids'
import type { Session } from '@batonpass/contract/session'
import type { HealthCheck, Spawn, WatchState } from '@batonpass/contract/watch'
import { stateByEvents } from './activity.ts'
import { assessHealth, type Finding, hasStalled, type Seen } from './assess-health.ts'
import { DISPLACED, displaced, FORGOTTEN_MS, GOODBYE_MS, lossOf } from './lost-sessions.ts'
import { OrphanProcesses } from './orphan-processes.ts'
import type { WatchParts } from './parts.ts'
import { ScreenScanner, type ScreenState } from './screen-scanner.ts'
import { endedWithSpawn, type Subject, subjects, type Watched } from './subjects.ts'
import { WatchRecord } from './watch-record.ts'

/** Watches every session: what it is doing, and what is wrong with it. Never delays a hook. */
export class Watch {
  readonly #parts: WatchParts
  readonly #screens: ScreenScanner
  readonly #record: WatchRecord
  readonly #orphans: OrphanProcesses
  /** Sessions that this daemon has seen alive. */
  readonly #alive = new Set<SessionId>()
  /** Since when a session's process or terminal has been missing. */
  readonly #missing = new Map<SessionId, number>()
  /** Whether the previous daemon had seen a session alive (cached). */
  readonly #seenByPrevious = new Map<SessionId, boolean>()
  /** Whether a session's pid now belongs to another process, and when that was checked. */
  readonly #reused = new Map<SessionId, { at: number; yes: boolean }>()
  /** Sessions that died while watched. They are shown for an hour, like ended ones. */
  readonly #lost = new Map<SessionId, { at: number; session: Session }>()
  /** Sessions about which nothing can have changed until a time, unless they report or their process ends. */
  readonly #quiet = new Map<SessionId, { one: Watched; health: Config['health']; until: number }>()
  /** Sessions that wait for a person's answer, read once for each round. */
  #asking: ReadonlySet<string> = new Set()
  /** The processes of this machine, scanned once for each round. */
  #pids: ReadonlySet<number> | undefined
  #watched: readonly Watched[] = []
  #running: Promise<void> | undefined
  #stale = false
  #last: { at: number; elapsed: number } | undefined

  constructor(parts: WatchParts) {
    this.#parts = parts
    this.#screens = new ScreenScanner(parts)
    this.#record = new WatchRecord(parts)
    this.#orphans = new OrphanProcesses(parts, this.#record)
  }

  /** Call this every few seconds; it does nothing before the configured interval has passed. */
  async tick(): Promise<void> {
    const { watch } = await this.#parts.configOf(undefined)
    // Accept being slightly early, because timers are not exact.
    await this.look(watch.interval_sec * 1000 - 500)
  }

  /** The watched sessions, observed at most `maxAgeMs` ago. */
  async look(maxAgeMs = FRESH_MS): Promise<readonly Watched[]> {
    const age = this.#last ? this.#parts.clock.elapsed() - this.#last.elapsed : Number.POSITIVE_INFINITY
    if (age >= maxAgeMs || this.#stale) {
      // A running round may have started before the change.
      if (this.#stale) await this.#running
      this.#running ??= this.#round().finally(() => {
        this.#running = undefined
      })
    }
    await this.#running
    return this.#watched
  }

  /** The latest finding of every check. */
  standing(): HealthCheck[] {
    return this.#record.standing()
  }

  /** Marks the observations as outdated, because something was started or ended. */
  outdated(): void {
    this.#stale = true
  }

  /** Records a finding of another part, such as the outcome of a handoff. */
  note(about: Pick<Subject, 'id' | 'agent' | 'project'>, finding: Finding, action?: string): HealthCheck {
    return this.#record.add(about, finding, action)
  }

  async #round(): Promise<void> {
    this.#stale = false
    const { store, clock } = this.#parts
    this.#adjustForSleep()
    const spawns = store.spawns({ kinds: ['run', 'watch'] })
    const live = await this.#parts.liveSessions()
    // After the sessions: the scan then contains each process that reported.
    this.#pids = await this.#parts.processes.pids?.()
    await this.#checkPidReuse(live)
    this.#asking = this.#parts.asking()
    const all = subjects([...live, ...this.#recentlyLost(live)], spawns)
    await this.#screens.take(all)
    for (const session of displaced(live, clock.now(), pid => this.#isAlive(pid)))
      await this.#parts.lost(session, DISPLACED)
    // An agent in the sandbox, or a killed one, reports no end; that of others may still be on its way.
    for (const session of endedWithSpawn(live, spawns, clock.now() - GOODBYE_MS))
      await this.#parts.lost(session, 'its terminal is gone')
    const configs = new Map<string | undefined, Pick<Config, 'health'>>()
    const watched: Watched[] = []
    for (const subject of all) {
      const config = configs.get(subject.project) ?? (await this.#parts.configOf(subject.project))
      configs.set(subject.project, config)
      const { health } = config
      const quiet = this.#stillQuiet(subject, health)
      if (quiet) {
        watched.push(quiet)
        continue
      }
      const seen = this.#seen(subject)
      const now = clock.now()
      const state = health.enabled && hasStalled(seen, health, now) ? 'stalled' : seen.state
      const one: Watched = { ...subject, ...seen, state }
      const forgotten = (await this.#endIfLost(one, now)) === 'silent'
      if (!forgotten) watched.push(one)
      this.#follow(subject, seen, state)
      this.#record.session({ ...subject, ...seen, state })
      if (!health.enabled) continue
      // Do not notify the user about a session that was never seen alive here, such as after a restart of the machine.
      const tell = health.tell && this.#alive.has(subject.id)
      await this.#record.findings(subject, assessHealth(seen, health, now), tell)
      if (!forgotten) this.#rememberQuiet(one, health)
    }
    this.#watched = watched
    this.#forget(new Set(all.map(({ id }) => id)))
    await this.#orphans.check(watched)
  }

  /** The last observation of a session, if nothing can have changed since: with thousands of them, most are like that. */
  #stillQuiet(subject: Subject, health: Config['health']): Watched | undefined {
    const known = this.#quiet.get(subject.id)
    if (!known) return undefined
    const { one, until } = known
    const same =
      one.session === subject.session &&
      !this.#asking.has(subject.id) &&
      subject.spawn === undefined &&
      known.health === health &&
      this.#parts.clock.now() < until &&
      (one.session?.ownPid !== true || this.#runs(one.session))
    if (same) return one
    this.#quiet.delete(subject.id)
    return undefined
  }

  /** A session without a terminal changes when it reports, when its process ends, and when it has been silent for too long. */
  #rememberQuiet(one: Watched, health: Config['health']): void {
    const { session, spawn, place, state, died, activeAt } = one
    const runs = session?.ownPid !== true || this.#runs(session)
    if (!session || spawn || place !== undefined || died || !runs || this.#lost.has(session.id)) return
    if (this.#asking.has(session.id)) return
    const due = Math.min(
      activeAt + FORGOTTEN_MS,
      state === 'working' ? activeAt + health.stall_minutes * 60_000 : Number.POSITIVE_INFINITY,
    )
    this.#quiet.set(session.id, { one, health, until: due })
  }

  /** Ends a session that is certainly over. Returns how Baton noticed. */
  async #endIfLost(one: Watched, now: number): Promise<'silent' | 'died' | undefined> {
    const { session, place, pid } = one
    // The hosting program reports the end of a hosted session itself.
    if (!session || place?.startsWith('hosted ') || this.#lost.has(session.id)) return undefined
    const sight = this.#screens.at(place)
    const why = lossOf({
      ...one,
      running: this.#runs(session) || (pid !== undefined && session.ownPid ? false : undefined),
      seen: sight !== undefined && sight.state !== 'gone' && sight.state !== 'dead',
      silentMs: now - one.activeAt,
    })
    if (why === undefined) return undefined
    await this.#parts.lost(session, why)
    if (!one.died) return 'silent'
    this.#lost.set(session.id, { at: this.#parts.clock.elapsed(), session })
    return 'died'
  }

  /** Sessions that died in the last hour and are not live again. */
  #recentlyLost(live: readonly Session[]): Session[] {
    const oldest = this.#parts.clock.elapsed() - SHOWN_MS
    const back = new Set(live.map(({ id }) => id))
    for (const [id, { at }] of this.#lost) if (at < oldest || back.has(id)) this.#lost.delete(id)
    return [...this.#lost.values()].map(({ session }) => session)
  }

  #runs({ id, pid }: Session): boolean {
    return pid !== undefined && this.#isAlive(pid) && this.#reused.get(id)?.yes !== true
  }

  #isAlive(pid: number): boolean {
    return this.#pids ? this.#pids.has(pid) : this.#parts.processes.alive(pid)
  }

  /** After a restart of the machine a pid may belong to another program: one that started after the session's last event. */
  async #checkPidReuse(sessions: readonly Session[]): Promise<void> {
    const { clock, processes } = this.#parts
    for (const { id, pid, lastSeenAt } of sessions) {
      if (pid === undefined || clock.now() - Date.parse(lastSeenAt) < SILENT_MS) {
        this.#reused.delete(id)
        continue
      }
      const known = this.#reused.get(id)
      if (known && (known.yes || clock.elapsed() - known.at < SILENT_MS)) continue
      const since = await processes.since(pid)
      const yes = since !== undefined && since > Date.parse(lastSeenAt) + CLOCKS_DIFFER_MS
      this.#reused.set(id, { at: clock.elapsed(), yes })
    }
  }

  #seen(subject: Subject): Seen {
    const { session, spawn, place } = subject
    const found = this.#screens.at(place)
    // tmux reuses pane numbers: a different process in the pane is not the one that Baton started.
    const replaced =
      spawn?.kind === 'run' && spawn.pid && found?.pid && found.pid !== spawn.pid && place?.startsWith('%')
    const sight: ScreenState | undefined = found && replaced ? { ...found, state: 'gone' } : found
    const lastReport = session ? Date.parse(session.lastSeenAt) : Date.parse(spawn?.started_at ?? '')
    const activeAt = Math.max(sight?.activeAt ?? 0, lastReport || 0)
    const lines = sight?.lines ?? []
    const reported: WatchState = session ? stateByEvents(session) : 'unknown'
    if (sight?.state === 'dead') return { state: 'dead', lines, activeAt, died: true }
    // The host knows better: an agent that it is restarting gets a new pid soon.
    const hosted = place?.startsWith('hosted ') === true && sight !== undefined
    const ended = !hosted && session?.ownPid === true && !this.#runs(session)
    // A pid that was never alive here belongs to another machine or container.
    if (ended && !sight && !this.#wasSeenAlive(subject))
      return { state: 'unknown', lines, activeAt, died: false }
    if (sight?.state === 'gone' || ended) {
      const state = sight?.state === 'gone' ? 'gone' : 'dead'
      return { state, lines, activeAt, died: session !== undefined && this.#missingTooLong(session.id) }
    }
    this.#missing.delete(subject.id)
    this.#alive.add(subject.id)
    const known = sight && sight.state !== 'unknown' ? sight.state : reported
    // A hook that waits for an answer looks like work on the agent's screen.
    const state = this.#asking.has(subject.id) ? 'dialog' : known
    return { state, lines, activeAt, died: false, dialog: sight?.dialog }
  }

  /** Whether this daemon or the previous one has seen the session alive. */
  #wasSeenAlive({ id, pid }: Subject): boolean {
    if (this.#alive.has(id)) return true
    const known = this.#seenByPrevious.get(id)
    if (known !== undefined) return known
    const row = this.#parts.store.session(id)
    const yes = row !== undefined && row.pid === pid && !NOT_SEEN.includes(row.status)
    this.#seenByPrevious.set(id, yes)
    return yes
  }

  /** Updates a spawn's status. A failed spawn stays listed as long as its terminal exists. */
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
    const detail = next.status === 'failed' ? 'failed' : 'completed'
    void this.#parts
      .journal(
        { id, agent, project },
        { kind: 'spawn', what: 'ended', spawn: spawn.id, title: spawn.title, detail },
      )
      .catch(cause => this.#parts.fault('recording the end of a spawn', cause))
  }

  #forget(current: ReadonlySet<SessionId>): void {
    for (const id of this.#alive) if (!current.has(id)) this.#alive.delete(id)
    for (const id of this.#missing.keys()) if (!current.has(id)) this.#missing.delete(id)
    for (const id of this.#seenByPrevious.keys()) if (!current.has(id)) this.#seenByPrevious.delete(id)
    for (const id of this.#reused.keys()) if (!current.has(id)) this.#reused.delete(id)
    for (const id of this.#quiet.keys()) if (!current.has(id)) this.#quiet.delete(id)
    this.#record.only(current)
  }

  /** Whether a session has been missing long enough. The SessionEnd event of a normal exit may still be on its way. */
  #missingTooLong(id: SessionId): boolean {
    const now = this.#parts.clock.elapsed()
    const since = this.#missing.get(id) ?? now
    this.#missing.set(id, since)
    return now - since >= GOODBYE_MS
  }

  /** Shifts the observed times after the machine slept or its clock changed: that time does not count as silence. */
  #adjustForSleep(): void {
    const now = { at: this.#parts.clock.now(), elapsed: this.#parts.clock.elapsed() }
    if (this.#last) {
      const jump = now.at - this.#last.at - (now.elapsed - this.#last.elapsed)
      const gap = now.at - this.#last.at
      if (Math.abs(jump) > JUMP_MS) this.#screens.shift(jump)
      else if (gap > SLEPT_MS) this.#screens.shift(gap)
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
const NOT_SEEN: readonly string[] = ['unknown', 'dead', 'gone', 'ended']
const SHOWN_MS = 60 * 60_000
const SILENT_MS = 60 * 60_000
const CLOCKS_DIFFER_MS = 60_000
const SLEPT_MS = 5 * 60_000
