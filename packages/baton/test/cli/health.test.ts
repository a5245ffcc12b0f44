import { mkdirSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { Hono } from 'hono'
import { expect, it } from 'vitest'
import { main } from '../../src/cli/main.ts'
import { COMMANDS } from '../../src/cli/table.ts'
import { requestListener } from '../../src/daemon/request-listener.ts'
import { sampleAsk } from '../ask/sample.ts'
import { scratch } from '../world/scratch.ts'

const CYCLE = {
  id: 'cyc_00000000000000000001',
  version: 7,
  session: 'ses_0000000000000001',
  nativeSession: 'old-session',
  agent: 'claude-code',
  project: '/project',
  place: '%1 /tmp/tmux',
  reason: 'context',
  startedAt: '2026-01-01T00:00:00.000Z',
  changedAt: '2026-01-01T00:00:00.000Z',
}

/** `baton ps --health` against a daemon whose only trouble is this cycle. */
async function health(cycle: object, words: string[] = [], asks: object[] = [], sessions: object[] = []) {
  const folder = scratch()
  const state = join(folder.path, 'state')
  mkdirSync(state, { mode: 0o700 })
  folder.write('state/token', `${'c'.repeat(64)}\n`, 0o600)
  const api = new Hono()
  api.get('/api/health-checks', c => c.json({ checks: [], sessions, left: [] }))
  api.get('/api/asks', c => c.json({ asks }))
  api.get('/api/cycles', c => c.json({ cycles: [{ ...CYCLE, ...cycle }] }))
  const server = createServer(requestListener(api.fetch))
  await new Promise<void>(resolve => server.listen(join(state, 'daemon.sock'), resolve))
  let stdout = ''
  const code = await main(['ps', '--health', ...words], COMMANDS, {
    stdin: new PassThrough(),
    stdout: {
      write: (text: string) => {
        stdout += text
      },
    },
    stderr: { write: () => {} },
    env: { BATON_HOME: state },
    cwd: '/',
    home: folder.path,
    isTTY: false,
    signal: new AbortController().signal,
  })
  await new Promise(resolve => server.close(resolve))
  folder.remove()
  return { code, stdout }
}

it('fails while a handoff waits for a person, although its session is gone, and says how to answer', async () => {
  const { code, stdout } = await health({ step: 'person', why: 'the terminal did not take /clear' })
  expect(code).toBe(1)
  expect(stdout).toContain('waits for you: the terminal did not take /clear. Answer it: baton asks')
  const json = await health({ step: 'person' }, ['--json'])
  expect(json.code).toBe(1)
  expect(JSON.parse(json.stdout).waiting).toMatchObject([{ nativeSession: 'old-session' }])
})

it('fails while an agent waits for an answer, and says which question and how to answer', async () => {
  const asks = [
    sampleAsk({ kind: 'question', title: 'Which database?', parkedAt: '2026-01-01T00:30:00.000Z' }),
  ]
  const { code, stdout } = await health({ step: 'writing' }, [], asks)
  expect(code).toBe(1)
  expect(stdout).toContain('parked question')
  expect(stdout).toContain('Which database? Answer it: baton asks ask_0123456789abcdefghij')
  const kinds = ['permission', 'confirm', 'question', 'form', 'plan'] as const
  for (const kind of kinds)
    expect((await health({ step: 'writing' }, [], [sampleAsk({ kind })])).code, kind).toBe(1)
})

it('fails while an agent asks on its own screen only', async () => {
  const row = {
    id: 'native-2',
    by: 'hooks',
    agent: 'codex',
    place: '%1 /tmp/tmux',
    state: 'dialog',
    session: 'ses_0000000000000002',
    name: 'Fix login',
    startedAt: '2026-01-01T00:00:00.000Z',
    lastActivityAt: '2026-01-01T00:10:00.000Z',
    problems: [],
  }
  const { code, stdout } = await health({ step: 'writing' }, [], [], [row])
  expect(code).toBe(1)
  expect(stdout).toContain('Fix login')
  expect(stdout).toContain('waits for you in its terminal since 2026-01-01T00:10:00.000Z')
  expect((await health({ step: 'writing' }, [], [], [{ ...row, state: 'working' }])).code).toBe(0)
  const { place: _, ...unseen } = row
  expect((await health({ step: 'writing' }, [], [], [unseen])).code).toBe(0)
})

it('succeeds while a handoff is only under way', async () => {
  expect((await health({ step: 'writing' })).code).toBe(0)
})
