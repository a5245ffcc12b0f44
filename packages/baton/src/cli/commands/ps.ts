import { setTimeout as pause } from 'node:timers/promises'
import { SessionList } from '@batonpass/contract/api'
import { BatonError } from '@batonpass/contract/errors'
import { PauseList } from '@batonpass/contract/pause'
import { pauseLine } from '@batonpass/contract/pause-line'
import { shortSessionId } from '@batonpass/contract/session-name'
import { PsList, type PsRow } from '@batonpass/contract/watch'
import { z } from 'zod'
import { systemClock } from '../../adapters/system/clock.ts'
import { EXIT, flag, type Given, type Handler, text } from '../command.ts'
import { callDaemon, folderOf } from '../daemon.ts'
import { type Io, paint, printable } from '../io.ts'
import { psTable } from '../ps-table.ts'

const EVERY_MS = 2000
/** What ended longer ago is only shown when asked for. */
const RECENT_MS = 60 * 60_000

/** Every session under watch: a table that refreshes in place on a terminal, until Ctrl-C. */
export const ps: Handler = async (given, io) => {
  const name = text(given, 'name')
  if (name !== undefined || given.positionals.length > 0) return rename(given.positionals[0], name, given, io)
  if (flag(given, 'json')) {
    io.stdout.write(`${JSON.stringify({ sessions: await rowsFor(given, io) })}\n`)
    return EXIT.ok
  }
  const live = io.isTTY && !flag(given, 'once')
  if (!live) {
    const lines = [...(await pauseLines(io)), ...table(await rowsFor(given, io), io)]
    io.stdout.write(`${lines.join('\n')}\n`)
    return EXIT.ok
  }
  let drawn = 0
  while (!io.signal.aborted) {
    const lines = [...(await pauseLines(io)), ...table(await rowsFor(given, io), io)]
    const height = sizeOf(io).rows - 2
    const shown =
      lines.length > height
        ? [...lines.slice(0, height - 1), `… ${lines.length - height + 1} more lines`]
        : lines
    // Over what stood there before, line by line: no flicker, and the scroll-back stays.
    io.stdout.write(
      `${drawn > 0 ? `\x1b[${drawn}A` : ''}${shown.map(line => `\x1b[2K${line}\n`).join('')}\x1b[J`,
    )
    drawn = shown.length
    await pause(EVERY_MS, undefined, { signal: io.signal }).catch(() => {})
  }
  return EXIT.ok
}

async function rename(
  session: string | undefined,
  name: string | undefined,
  given: Given,
  io: Io,
): Promise<number> {
  if (session === undefined || name === undefined)
    throw new BatonError('usage', 'To rename a session, give its id and --name', {
      remedy: 'For example: baton ps 3f2a91c0 --name "Fix the login"',
    })
  const { sessions } = SessionList.parse(await callDaemon(folderOf(io), 'GET', '/api/sessions?limit=5000'))
  const found = sessions.filter(
    ({ id, nativeSession }) => id === session || nativeSession.startsWith(session),
  )
  const [only, second] = found
  if (!only || second)
    throw new BatonError(
      'not_found',
      only ? `Several sessions start with ${session}` : `No session ${session}`,
      {
        remedy: 'Run `baton ps --all` to list them, and give more of the id.',
      },
    )
  const path = `/api/sessions/${encodeURIComponent(only.id)}/name`
  const renamed = Renamed.parse(await callDaemon(folderOf(io), 'POST', path, undefined, { body: { name } }))
  if (flag(given, 'json')) io.stdout.write(`${JSON.stringify(renamed)}\n`)
  else io.stdout.write(`${shortSessionId(only.nativeSession)} is now called ${printable(renamed.name)}\n`)
  return EXIT.ok
}

const Renamed = z.object({ session: z.string(), name: z.string() })

/** A line for each pause, above the table. */
async function pauseLines(io: Io): Promise<string[]> {
  // A daemon of an older version has none.
  const answer = await callDaemon(folderOf(io), 'GET', '/api/pauses').catch(() => ({ pauses: [] }))
  return PauseList.parse(answer).pauses.map(pause => paint(io)('yellow', printable(pauseLine(pause))))
}

async function rowsFor(given: Given, io: Io): Promise<PsRow[]> {
  const path = flag(given, 'fleet') ? '/api/ps?fleet=true' : '/api/ps'
  const { sessions } = PsList.parse(await callDaemon(folderOf(io), 'GET', path))
  if (flag(given, 'all')) return sessions
  const now = systemClock.now()
  const isOver = ({ state, by }: PsRow) =>
    ['dead', 'gone', 'ended'].includes(state) || (state === 'unknown' && by === 'hooks')
  return sessions.filter(row => !isOver(row) || now - Date.parse(row.lastActivityAt) < RECENT_MS)
}

function table(rows: readonly PsRow[], io: Io): string[] {
  if (rows.length === 0) return ['No sessions. Start one: baton run']
  return psTable(rows, {
    now: systemClock.now(),
    columns: sizeOf(io).columns,
    home: io.home,
    colour: paint(io),
  })
}

function sizeOf({ stdout, isTTY }: Io): { columns: number; rows: number } {
  const size = { columns: 200, rows: 50 }
  if (!isTTY) return size
  if ('columns' in stdout && typeof stdout.columns === 'number') size.columns = stdout.columns
  if ('rows' in stdout && typeof stdout.rows === 'number') size.rows = stdout.rows
  return size
}
