import { spawn, spawnSync } from 'node:child_process'
import { BatonError } from '@batonpass/contract/errors'
import { PsList, type PsRow } from '@batonpass/contract/watch'
import { EXIT, type Handler } from '../command.ts'
import { callDaemon, folderOf } from '../daemon.ts'
import type { Io } from '../io.ts'
import { insideOf } from '../tmux-place.ts'

/** Takes the person to the terminal where a session runs. */
export const attach: Handler = async (given, io) => {
  const { sessions } = PsList.parse(await callDaemon(folderOf(io), 'GET', '/api/ps'))
  const row = chosen(sessions, given.positionals[0])
  return attachTo(row.place, io)
}

export async function attachTo(place: string | undefined, io: Io): Promise<number> {
  const [, pane, socket] = /^(%\d+) (\/.*)$/.exec(place ?? '') ?? []
  if (!pane || !socket)
    throw new BatonError(
      'usage',
      place?.startsWith('hosted ') ? 'A hosted session has no terminal' : 'The session does not run in tmux',
      {
        remedy: place?.startsWith('hosted ')
          ? 'Look at it in the dashboard (`baton dashboard`) or with `baton logs --follow`.'
          : 'Use the terminal it runs in.',
      },
    )
  const inside = insideOf(io.env)
  if (inside !== undefined && inside !== socket)
    throw new BatonError('usage', 'The session runs in another tmux server', {
      remedy: `Leave this one first, then: tmux -S ${socket} attach -t '${pane}'`,
    })
  if (!io.isTTY && inside === undefined)
    throw new BatonError('usage', 'Attaching needs a terminal', {
      remedy: `tmux -S ${socket} attach -t '${pane}'`,
    })
  // Naming the pane selects it and its window.
  const go = inside
    ? ['switch-client', ...clientHere(socket, io), '-t', pane]
    : ['attach-session', '-t', pane]
  const args = ['-S', socket, ...go]
  return new Promise((resolve, reject) => {
    const child = spawn('tmux', args, { stdio: 'inherit', env: io.env })
    child.once('error', cause =>
      reject(
        new BatonError('missing_tool', 'tmux cannot be started', { remedy: 'Is tmux on your PATH?', cause }),
      ),
    )
    child.once('close', code => resolve(code ?? EXIT.failed))
  })
}

/** The person's own client: left to itself, tmux may take Baton's connection for it. */
function clientHere(socket: string, { env }: Io): string[] {
  const format = '#{client_control_mode} #{client_activity} #{client_name}'
  const here = env.TMUX_PANE ? ['-t', env.TMUX_PANE] : []
  const { stdout } = spawnSync('tmux', ['-S', socket, 'list-clients', ...here, '-F', format], {
    encoding: 'utf8',
    env: { ...env },
  })
  const [last] = (stdout ?? '')
    .split('\n')
    .map(line => /^0 (\d+) (.+)$/.exec(line))
    .filter(found => found !== null)
    .sort((a, b) => Number(b[1]) - Number(a[1]))
  return last?.[2] ? ['-c', last[2]] : []
}

/** The one that was named, or the newest that Baton started. */
function chosen(rows: readonly PsRow[], name: string | undefined): PsRow {
  const there = rows.filter(({ state, place }) => state !== 'gone' && place !== undefined)
  if (name === undefined) {
    const [newest] = there
      .filter(({ by }) => by === 'run')
      .sort((a, b) => b.startedAt.localeCompare(a.startedAt))
    if (newest) return newest
    throw new BatonError('not_found', 'No session that Baton started is still running', {
      remedy: 'Name one: see `baton ps`.',
    })
  }
  const namesOf = ({ id, title, session, spawn, place }: PsRow) =>
    [id, title, session, spawn, place, place?.split(' ')[0]].filter(word => word !== undefined)
  const exact = there.filter(row => namesOf(row).includes(name))
  const found =
    exact.length > 0 ? exact : there.filter(row => namesOf(row).some(word => word.startsWith(name)))
  const [only] = found
  if (only && found.length === 1) return only
  throw new BatonError(
    'not_found',
    found.length > 1 ? `${name} is not the only one` : `No session ${name} runs in a terminal`,
    {
      remedy: 'See `baton ps`.',
    },
  )
}
