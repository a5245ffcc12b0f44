import { type SessionId, SpawnId } from '@batonpass/contract/ids'
import type { Spawn } from '@batonpass/contract/watch'
import type { RunningProcess } from '../../ports/processes.ts'
import { leftBehind } from './assess-health.ts'
import type { WatchParts } from './parts.ts'
import type { Watched } from './subjects.ts'
import type { WatchRecord } from './watch-record.ts'

/** The processes of a machine by their parent. Built once for a scan: there may be thousands of sessions. */
type ByParent = ReadonlyMap<number, readonly RunningProcess[]>
export const byParentOf = (table: readonly RunningProcess[]): ByParent =>
  Map.groupBy(table, ({ parent }) => parent)

/** All descendants of a process, without the process itself. */
export function descendants(byParent: ByParent, root: number): RunningProcess[] {
  const found: RunningProcess[] = []
  const seen = new Set([root])
  for (const queue = [root]; queue.length > 0; ) {
    for (const child of byParent.get(queue.pop() ?? -1) ?? []) {
      if (seen.has(child.pid)) continue
      seen.add(child.pid)
      found.push(child)
      queue.push(child.pid)
    }
  }
  return found
}

/** Spawns that still run. The same pid with another start time is another process. */
function stillRunning(spawns: readonly Spawn[], table: readonly RunningProcess[]): Spawn[] {
  const born = new Map(table.map(({ pid, born }) => [pid, born]))
  return spawns.filter(
    spawn => spawn.pid !== null && spawn.born !== null && born.get(spawn.pid) === spawn.born,
  )
}

/** Tracks the processes that each session started, and finds those that outlive it. */
export class OrphanProcesses {
  readonly #parts: WatchParts
  readonly #record: WatchRecord
  /** Processes seen once. Only those that still run at the next check are stored. */
  #fleeting = new Set<string>()
  #next = 0

  constructor(parts: WatchParts, record: WatchRecord) {
    this.#parts = parts
    this.#record = record
  }

  async check(watched: readonly Watched[]): Promise<void> {
    const { clock, processes, store } = this.#parts
    if (clock.elapsed() < this.#next) return
    this.#next = clock.elapsed() + EVERY_MS
    const known = store.spawns({ status: ['running', 'abandoned'] }).filter(({ kind }) => kind === 'child')
    const living = watched.filter(session => session.pid !== undefined && !isOver(session))
    if (known.length === 0 && living.length === 0) return
    const table = await processes.table()
    if (table.length === 0) return
    const running = new Set(stillRunning(known, table).map(({ id }) => id))
    const byParent = byParentOf(table)
    const ownerOf = ownersOf(living, byParent)
    for (const child of known) this.#updateStatus(child, running.has(child.id), ownerOf(child))
    const remembered = new Set(known.map(keyOf))
    for (const session of living) this.#storeChildren(session, byParent, remembered)
    // Short-lived processes must not accumulate.
    if (this.#fleeting.size > MAX_FLEETING) this.#fleeting = new Set()
    await this.#recordFindings(known)
  }

  #updateStatus(child: Spawn, runs: boolean, owner: SessionId | undefined): void {
    const status = !runs ? 'completed' : owner ? 'running' : 'abandoned'
    const session = runs && owner ? owner : child.session
    if (status === child.status && session === child.session) return
    this.#parts.store.putSpawn({ ...child, session, status, ended_at: runs ? null : this.#now() })
  }

  #storeChildren(
    { id, pid, agent, project }: Watched,
    byParent: ByParent,
    remembered: ReadonlySet<string>,
  ): void {
    for (const child of descendants(byParent, pid ?? -1).slice(0, MAX_CHILDREN)) {
      const key = keyOf(child)
      if (child.pid === this.#parts.self || remembered.has(key)) continue
      if (!this.#fleeting.delete(key)) {
        this.#fleeting.add(key)
        continue
      }
      this.#parts.store.putSpawn({
        id: SpawnId.parse(`spn_${this.#parts.ids.id(20)}`),
        kind: 'child',
        session: id,
        project: project ?? null,
        agent,
        place: null,
        pid: child.pid,
        born: child.born,
        title: child.command.slice(0, 100),
        status: 'running',
        started_at: this.#now(),
        ended_at: null,
      })
    }
  }

  async #recordFindings(before: readonly Spawn[]): Promise<void> {
    const { store, configOf } = this.#parts
    const left = store.spawns({ status: ['abandoned'] })
    const leftBy = Map.groupBy(left, ({ session }) => session)
    const sessions = new Map([...before, ...left].map(spawn => [spawn.session, spawn]))
    for (const [session, { agent, project }] of sessions) {
      if (session === null) continue
      const { health } = await configOf(project ?? undefined)
      if (!health.enabled) continue
      const finding = leftBehind(leftBy.get(session) ?? [])
      await this.#record.findings({ id: session, agent, project: project ?? undefined }, [finding], false)
    }
  }

  #now(): string {
    return new Date(this.#parts.clock.now()).toISOString()
  }
}

/**
 * The living session that a process belongs to: the one that started it, or the one whose agent it descends from. After
 * `/clear`, the same agent continues with a new session, and its processes with it.
 */
function ownersOf(living: readonly Watched[], byParent: ByParent): (child: Spawn) => SessionId | undefined {
  const ids = new Set(living.map(({ id }) => id))
  let heirs: Map<number, SessionId> | undefined
  const findHeirs = () =>
    new Map(living.flatMap(({ id, pid }) => descendants(byParent, pid ?? -1).map(child => [child.pid, id])))
  return ({ session, pid }) => {
    if (session !== null && ids.has(session)) return session
    heirs ??= findHeirs()
    return heirs.get(pid ?? -1)
  }
}

const keyOf = ({ pid, born }: { pid: number | null; born: string | null }): string => `${pid} ${born}`
const isOver = ({ state }: Watched): boolean => state === 'dead' || state === 'gone' || state === 'ended'

const EVERY_MS = 30_000
const MAX_CHILDREN = 200
const MAX_FLEETING = 20_000
