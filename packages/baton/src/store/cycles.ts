import type { Cycle } from '@batonpass/contract/cycle'
import type { CycleStore } from '../ports/cycle-store.ts'
import type { Connection } from './connection.ts'
import { guardedIn } from './failure.ts'

interface Data {
  data: string
}

/** Cycles in the local database. Every statement runs at once, so no change is ever seen half done. */
export function sqliteCycles(connection: Connection, where: string): CycleStore {
  const insert = connection.prepare<[string, number, string, string | null, number, string, string]>(
    `insert or ignore into cycles (id, version, session, successor, open, started_at, data) values (?, ?, ?, ?, ?, ?, ?)`,
  )
  const update = connection.prepare<[number, string | null, number, string, string, number]>(
    'update cycles set version = ?, successor = ?, open = ?, data = ? where id = ? and version = ?',
  )
  const open = connection.prepare<[], Data>('select data from cycles where open = 1 order by started_at, id')
  const recent = connection.prepare<[number], Data>(
    'select data from cycles order by started_at desc, id desc limit ?',
  )
  const forgetBefore = connection.prepare<[string]>('delete from cycles where open = 0 and started_at < ?')
  const forgetSession = connection.prepare<[string, string]>(
    'delete from cycles where session = ? or successor = ?',
  )
  const guarded = guardedIn(where)
  return {
    put: cycle =>
      guarded(() => {
        const { id, version, session, startedAt } = cycle
        const successor = cycle.successor?.session ?? null
        const isOpen = ENDED.has(cycle.step) ? 0 : 1
        const data = JSON.stringify(cycle)
        return version === 0
          ? insert.run(id, version, session, successor, isOpen, startedAt, data).changes === 1
          : update.run(version, successor, isOpen, data, id, version - 1).changes === 1
      }),
    open: () => guarded(() => open.all().map(cycleOf)),
    recent: limit => guarded(() => recent.all(limit).map(cycleOf)),
    forget: which =>
      guarded(() =>
        'before' in which
          ? forgetBefore.run(which.before).changes
          : forgetSession.run(which.session, which.session).changes,
      ),
  }
}

const ENDED: ReadonlySet<string> = new Set(['done', 'cancelled', 'failed'])

// What is in the store went through the contract's schema on its way in, so it is not parsed again.
const cycleOf = (row: Data): Cycle => JSON.parse(row.data) as Cycle
