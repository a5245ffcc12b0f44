import { EntryList } from '@batonpass/contract/api'
import type { Entry } from '@batonpass/contract/journal'
import { Session } from '@batonpass/contract/session'
import { systemClock } from '../../adapters/system/clock.ts'
import type { StateFolder } from '../../config/state-folder.ts'
import { EXIT, flag, type Handler, text } from '../command.ts'
import { callDaemon, folderOf, followDaemon } from '../daemon.ts'
import { describeEntry } from '../describe-entry.ts'
import { clockTimeFor, timeFor } from '../for-people.ts'
import { paint, printable } from '../io.ts'
import { parseSince } from '../parse-since.ts'
import { fitted } from '../wrap-words.ts'

/** Prints the journal, oldest first; `--follow` continues until Ctrl-C. */
export const logs: Handler = async (given, io) => {
  const folder = folderOf(io)
  const colour = paint(io)
  const query: Record<string, string> = { order: 'desc', limit: text(given, 'lines') ?? '50' }
  for (const name of ['session', 'project', 'kind'] as const) {
    const value = text(given, name)
    if (value) query[name] = value
  }
  const from = text(given, 'since')
  if (from) query.since = parseSince(from)
  if (query.session) query.session = await fullId(query.session, folder)
  const entries = async (wanted: Record<string, string>) =>
    EntryList.parse(await callDaemon(folder, 'GET', `/api/journal?${new URLSearchParams(wanted)}`)).entries
  // Asked first: what is written between the two questions is told by one of them.
  const newest = flag(given, 'follow') ? (await entries({ order: 'desc', limit: '1' }))[0]?.seq : undefined
  const past = await entries(query)
  const show = (entry: Entry) => {
    if (flag(given, 'json')) return io.stdout.write(`${JSON.stringify(entry)}\n`)
    const who = entry.nativeSession ? `${entry.agent} ${entry.nativeSession.slice(0, 8)}` : 'baton'
    const at = flag(given, 'follow') ? clockTimeFor(entry.at, io) : timeFor(entry.at, io, systemClock.now())
    fitted(io)(`${colour('dim', at)} ${colour('cyan', who)} ${printable(describeEntry(entry))}\n`)
  }
  for (const entry of past.reverse()) show(entry)
  if (!flag(given, 'follow')) return EXIT.ok
  const after = Math.max(newest ?? 0, past.at(-1)?.seq ?? 0)
  await followDaemon(folder, `/api/events?after=${after}`, io.signal, data => {
    const entry = JSON.parse(data) as Entry
    if (matches(entry, query)) show(entry)
  })
  return EXIT.ok
}

/** People give the start of an id; the journal wants the whole. */
async function fullId(start: string, folder: StateFolder): Promise<string> {
  return Session.parse(await callDaemon(folder, 'GET', `/api/sessions/${encodeURIComponent(start)}`)).id
}

function matches(entry: Entry, { session, project, kind }: Record<string, string>): boolean {
  if (session && entry.session !== session) return false
  if (project && entry.project !== project) return false
  return !kind || entry.body.kind === kind
}
