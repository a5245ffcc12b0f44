import type { Ask } from '@batonpass/contract/ask'
import type { AskStore, ChannelMemory } from '../ports/ask-store.ts'
import type { Connection } from './connection.ts'
import { guardedIn } from './failure.ts'

interface Data {
  data: string
}

/** Asks in the local database. Every change is one synchronous transaction, so no caller sees a partial change. */
export function sqliteAsks(connection: Connection, where: string): AskStore {
  const insert = connection.prepare<[string, string, string, string | null, string, string, string]>(
    'insert into asks (id, key, fingerprint, session, state, created_at, data) values (?, ?, ?, ?, ?, ?, ?)',
  )
  const update = connection.prepare<[string, string, string]>(
    `update asks set state = ?, data = ? where id = ? and state = 'open'`,
  )
  const allow = connection.prepare<[string, string | null, string]>(
    'insert or ignore into allowed_for_session (fingerprint, session, ask) values (?, ?, ?)',
  )
  const open = connection.prepare<[], Data>(
    `select data from asks where state = 'open' order by created_at, id`,
  )
  const byKey = connection.prepare<[string, string], Data>(
    'select data from asks where key = ? and fingerprint = ? order by created_at desc, id desc limit 1',
  )
  const named = connection.prepare<[string, string], Data>(
    'select data from asks where id >= ? and id < ? order by id limit 2',
  )
  const recent = connection.prepare<[number], Data>(
    'select data from asks order by created_at desc, id desc limit ?',
  )
  const allowed = connection.prepare<[string], { ask: string }>(
    'select ask from allowed_for_session where fingerprint = ?',
  )
  const forgetBefore = connection.prepare<[string]>(
    `delete from asks where state <> 'open' and created_at < ?`,
  )
  const forgetSession = connection.prepare<[string]>('delete from asks where session = ?')
  const forgetAllowed = connection.prepare<[string]>('delete from allowed_for_session where session = ?')

  // What a person allowed for a session is deleted together with its ask.
  const forgetUnasked = connection.prepare(
    'delete from allowed_for_session where ask not in (select id from asks)',
  )
  const forgetOld = connection.transaction((before: string): number => {
    const { changes } = forgetBefore.run(before)
    if (changes > 0) forgetUnasked.run()
    return changes
  })

  const settle = connection.transaction((ask: Ask, allows: Parameters<AskStore['settle']>[1]): boolean => {
    if (update.run(ask.state, JSON.stringify(ask), ask.id).changes === 0) return false
    if (allows) allow.run(allows.fingerprint, allows.session ?? null, ask.id)
    return true
  })
  const forget = connection.transaction((session: string): number => {
    forgetAllowed.run(session)
    return forgetSession.run(session).changes
  })

  const guarded = guardedIn(where)

  return {
    add: ask =>
      guarded(() => {
        const { id, key, fingerprint, facts, state, createdAt } = ask
        insert.run(id, key, fingerprint, facts.session ?? null, state, createdAt, JSON.stringify(ask))
      }),
    settle: (ask, allows) => guarded(() => settle.immediate(ask, allows)),
    update: ask => guarded(() => update.run(ask.state, JSON.stringify(ask), ask.id).changes > 0),
    open: () => guarded(() => open.all().map(askOf)),
    byKey: (key, fingerprint) => guarded(() => byKey.all(key, fingerprint).map(askOf)[0]),
    find: name =>
      guarded(() => {
        // Ids contain only [0-9a-z_], so `{`, the character after `z`, ends the range of a prefix.
        const found = /^ask_[0-9a-z]*$/.test(name) ? named.all(name, `${name}{`).map(askOf) : []
        return found.find(ask => ask.id === name) ?? (found.length === 1 ? found[0] : undefined)
      }),
    recent: limit => guarded(() => recent.all(limit).map(askOf)),
    allowed: fingerprint => guarded(() => allowed.get(fingerprint) !== undefined),
    forget: which =>
      guarded(() =>
        'before' in which ? forgetOld.immediate(which.before) : forget.immediate(which.session),
      ),
    memory: channel => channelMemory(connection, channel, guarded),
  }
}

function channelMemory(
  connection: Connection,
  channel: string,
  guarded: <T>(work: () => T) => Promise<T>,
): ChannelMemory {
  const get = connection.prepare<[string, string], { value: string }>(
    'select value from channel_memory where channel = ? and key = ?',
  )
  const set = connection.prepare<[string, string, string]>(
    'insert or replace into channel_memory (channel, key, value) values (?, ?, ?)',
  )
  const remove = connection.prepare<[string, string]>(
    'delete from channel_memory where channel = ? and key = ?',
  )
  const list = connection.prepare<[string, number, string], { key: string; value: string }>(
    'select key, value from channel_memory where channel = ? and substr(key, 1, ?) = ? order by key',
  )
  return {
    get: key => guarded(() => get.get(channel, key)?.value),
    set: (key, value) =>
      guarded(() => {
        set.run(channel, key, value)
      }),
    delete: key =>
      guarded(() => {
        remove.run(channel, key)
      }),
    list: prefix => guarded(() => list.all(channel, prefix.length, prefix)),
  }
}

// The schema checked the ask before it was stored, so it is not checked again.
const askOf = (row: Data): Ask => JSON.parse(row.data) as Ask
