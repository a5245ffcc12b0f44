import { mkdirSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { Hono } from 'hono'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { systemFiles } from '../../src/adapters/system/files.ts'
import { ascii } from '../../src/cli/ascii.ts'
import { doctorLines } from '../../src/cli/commands/doctor.ts'
import { handoffLines } from '../../src/cli/commands/handoffs.ts'
import { jobLines } from '../../src/cli/commands/queue.ts'
import { runLines } from '../../src/cli/commands/sessions.ts'
import { stepLines } from '../../src/cli/commands/undo.ts'
import type { Io } from '../../src/cli/io.ts'
import { main } from '../../src/cli/main.ts'
import { COMMANDS } from '../../src/cli/table.ts'
import { fitLines } from '../../src/cli/wrap-words.ts'
import { setPin } from '../../src/config/trust.ts'
import { requestListener } from '../../src/daemon/request-listener.ts'
import { row } from '../../src/work/stages/render-status.ts'
import { scratch } from '../world/scratch.ts'
import * as data from './list-data.ts'
import { screenOf } from './terminal-screen.ts'

const folder = scratch()
const state = join(folder.path, 'state')
let server: Server

beforeAll(async () => {
  mkdirSync(state, { mode: 0o700 })
  folder.write('state/token', `${'c'.repeat(64)}\n`, 0o600)
  await setPin(state, '/home/dev/work/a-shop-with-a-long-name/.baton.yaml', 'a'.repeat(64), systemFiles)
  const api = new Hono()
  const answers: Record<string, object> = {
    '/api/health': data.health,
    '/api/asks': { asks: data.asks },
    '/api/claims': { claims: data.claims },
    '/api/claims/claimable': { issues: data.claimable },
    '/api/board': data.board,
    '/api/fleet': data.fleet,
    '/api/proofs': { proofs: data.proofs },
    '/api/proofs/checks': data.checks,
    '/api/page/recap': data.recap,
    '/api/sessions': { sessions: data.sessions },
    '/api/presence': { awaySince: '2026-03-02T11:00:00.000Z' },
    '/api/journal': { entries: data.entries },
    '/api/health-checks': { checks: [], sessions: [], left: [] },
    '/api/cycles': { cycles: [] },
  }
  for (const [path, answer] of Object.entries(answers)) api.get(path, c => c.json(answer))
  api.notFound(c => c.json({ error: { code: 'not_found', message: 'no such route' } }, 404))
  server = createServer(requestListener(api.fetch))
  await new Promise<void>(resolve => server.listen(join(state, 'daemon.sock'), resolve))
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse(data.NOW) })
})

afterAll(async () => {
  vi.useRealTimers()
  await new Promise(resolve => server.close(resolve))
  folder.remove()
})

const ioOf = (columns: number | undefined, write: (text: string) => void): Io => ({
  stdin: new PassThrough(),
  stdout: { write },
  // A command that fails shows in the screens.
  stderr: { write },
  env: { BATON_HOME: state, TERM: 'xterm' },
  cwd: folder.path,
  home: folder.path,
  isTTY: columns !== undefined,
  ...(columns === undefined ? {} : { columns }),
  signal: new AbortController().signal,
})

/** Commands that ask the daemon run whole; those that read files of their own give what they print for fixed data. */
const WHOLE = [
  'asks',
  'claim list',
  'claim --list',
  'claim board',
  'fleet status',
  'proof',
  'proof checks',
  'recap',
  'status',
  'logs',
  'why',
  'ps --health',
  'trust --list',
  'check --defaults --no-sandbox pkill',
]
const PRINTED: Record<string, (io: Io) => string> = {
  history: io => runLines(data.runs, io),
  'undo --list': io => stepLines(data.steps, io),
  doctor: io => doctorLines(data.doctorChecks, io),
  'queue list': io => fitLines(data.jobs.map(job => jobLines(job, io)).join(''), io.columns),
  'handoff list': io => fitLines(handoffLines(data.handoffs, new Map(), io), io.columns),
  'work list': io => fitLines(`${row(data.workItem)}\n`, io.columns),
}

async function outputOf(command: string, columns: number | undefined): Promise<string> {
  let text = ''
  const io = ioOf(columns, more => {
    text += more
  })
  const print = PRINTED[command]
  if (print) return print(io)
  await main(command.split(' '), COMMANDS, io)
  return text
}

const ALL = [...WHOLE, ...Object.keys(PRINTED)]

it.each([60, 80, 120])('every list fits a terminal of %i columns', async columns => {
  const screens: string[] = []
  for (const command of ALL) {
    const { lines, broken } = await screenOf(await outputOf(command, columns), columns)
    expect(broken, command).toEqual([])
    expect(lines.join(''), command).not.toBe('')
    screens.push(`$ baton ${command}\n${lines.join('\n')}\n`)
  }
  await expect(screens.join('\n')).toMatchFileSnapshot(`screens/lists-${columns}.txt`)
})

it.each([60, 80, 120])('every setting fits a terminal of %i columns', async columns => {
  const piped = (await outputOf('config', undefined)).trimEnd().split('\n')
  const { lines, broken } = await screenOf(await outputOf('config', columns), columns)
  expect(broken).toEqual([])
  // Names are never cut: people type them.
  const first = (all: string[]) => all.map(line => line.split(' ')[0]).filter(Boolean)
  expect(first(lines)).toEqual(first(piped))
})

it('a pipe gets every row whole, with the times and ids that scripts need', async () => {
  const texts: string[] = []
  for (const command of ALL) texts.push(`$ baton ${command}\n${await outputOf(command, undefined)}`)
  await expect(texts.join('\n')).toMatchFileSnapshot('screens/lists-piped.txt')
})

it('a list in ASCII takes no more room', async () => {
  for (const command of ALL) {
    const text = ascii(await outputOf(command, 60))
    expect((await screenOf(text, 60)).broken, command).toEqual([])
    expect(text).toMatch(/^\p{ASCII}+$/u)
  }
})
