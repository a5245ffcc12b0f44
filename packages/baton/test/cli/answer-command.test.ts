import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { Hono } from 'hono'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemAncestry } from '../../src/adapters/system/ancestry.ts'
import type { Asks } from '../../src/ask/asks.ts'
import { answererGuard } from '../../src/daemon/answerer-guard.ts'
import { askRoutes } from '../../src/daemon/ask-routes.ts'
import { requestListener } from '../../src/daemon/request-listener.ts'
import { type AskWorld, askWorld, sampleQuestion } from '../ask/sample.ts'
import { runInTerminal, startTerminal } from '../world/agents/tmux.ts'
import { type Scratch, scratch } from '../world/scratch.ts'
import { settled } from '../world/time.ts'

const CLI = join(import.meta.dirname, '../../src/cli.ts')
const TOKEN = 'c'.repeat(64)
const LONG = { signal: new AbortController().signal, withinMs: 600_000, unreached: 'wait' } as const

/** The commands against a real socket, real processes and real terminals. */
describe('baton asks, allow and deny', () => {
  let dir: Scratch
  let world: AskWorld
  let asks: Asks
  let state: string
  let env: Record<string, string>
  let close: () => Promise<unknown>

  beforeAll(async () => {
    dir = scratch()
    state = join(dir.path, 'state')
    mkdirSync(state, { mode: 0o700 })
    dir.write('state/token', `${TOKEN}\n`, 0o600)
    // Nothing of the surroundings, which may themselves be an agent's.
    env = { PATH: process.env.PATH ?? '', HOME: dir.path, BATON_HOME: state, TERM: 'xterm' }
    world = await askWorld()
    asks = await world.begin()
    const guard = answererGuard({ ancestry: systemAncestry, user: 'ann' })
    const api = new Hono().route('/', askRoutes(asks, guard))
    api.get('/api/health', c => c.json({ url: `http://127.0.0.1:${(port.address() as AddressInfo).port}` }))
    const [socket, port] = [1, 2].map(() => createServer(requestListener(api.fetch))) as [Server, Server]
    await new Promise<void>(resolve => socket.listen(join(state, 'daemon.sock'), resolve))
    await new Promise<void>(resolve => port.listen(0, '127.0.0.1', resolve))
    close = () => Promise.all([socket, port].map(server => new Promise(resolve => server.close(resolve))))
  })

  afterAll(async () => {
    await asks.stop()
    await close()
    await world[Symbol.asyncDispose]()
    dir.remove()
  })

  async function open(command: string): Promise<string> {
    const before = new Set(asks.open().map(ask => ask.id))
    void asks.ask(sampleQuestion(command), LONG)
    await settled()
    return asks.open().find(ask => !before.has(ask.id))?.id ?? ''
  }

  /** Without a terminal: a detached child has a session of its own. */
  async function run(...words: string[]): Promise<{ code: number; out: string }> {
    const child = spawn(process.execPath, [CLI, ...words], {
      env,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let out = ''
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => {
        out += chunk
      })
    const [code] = await once(child, 'close')
    return { code, out }
  }

  const inTerminal = (...command: string[]) => runInTerminal({ command, cwd: dir.path, env, columns: 200 })

  it('list what waits, in full, without letting the text steer the terminal', async () => {
    const id = await open('echo one\necho \u001b[2Jtwo')
    const { code, out } = await run('asks')
    expect(code).toBe(0)
    expect(out).toContain(id)
    expect(out).toContain('    echo one\n    echo \\x1b[2Jtwo\n')
    const one = await run('asks', id.slice(0, 14), '--json')
    expect(JSON.parse(one.out)).toMatchObject({ id, detail: 'echo one\necho \u001b[2Jtwo' })
  })

  it('answer from a person’s terminal', async () => {
    const allowed = await open('make deploy')
    expect(await inTerminal(process.execPath, CLI, 'allow', allowed, '--session')).toMatchObject({ code: 0 })
    expect((await asks.find(allowed))?.answer).toMatchObject({
      option: 'allow-session',
      by: { channel: 'terminal', who: 'ann' },
    })
    const denied = await open('make clean')
    await inTerminal(process.execPath, CLI, 'deny', denied, '--reason', 'not now')
    expect((await asks.find(denied))?.answer).toMatchObject({ option: 'deny-with-reason', reason: 'not now' })
    const late = await inTerminal(process.execPath, CLI, 'allow', denied)
    expect(late.code).toBe(1)
    expect(late.screen).toContain('no longer open: Denied by ann (terminal)')
  })

  it('without an id show the only open ask and answer it after a yes; with several, or without a terminal, they refuse', async () => {
    for (const { id } of asks.open()) await asks.withdraw(ask => ask.id === id, 'session-ended')
    const none = await inTerminal(process.execPath, CLI, 'allow')
    expect(none.screen).toContain('Nothing waits for such an answer')
    const id = await open('make release')
    expect(await run('allow')).toMatchObject({ code: 2, out: expect.stringContaining('ASK is missing') })
    const allow = () =>
      startTerminal({ command: [process.execPath, CLI, 'allow'], cwd: dir.path, env, columns: 200 })
    // What is typed ahead without reading is not a yes.
    await using hasty = await allow()
    await hasty.waitForScreen(/make release[\s\S]*Answer this one\?/)
    await hasty.press('Enter')
    await hasty.waitForScreen(/Nothing was answered/)
    await using terminal = await allow()
    await terminal.waitForScreen(/make release[\s\S]*Answer this one\?/)
    await terminal.type('y')
    await terminal.waitForScreen(/Answer this one\?.*y/)
    expect(asks.open()).toHaveLength(1)
    await terminal.press('Enter')
    await expect.poll(async () => (await asks.find(id))?.answer?.option).toBe('allow-once')
    await open('make one')
    await open('make two')
    const several = await inTerminal(process.execPath, CLI, 'deny')
    expect(several.screen).toContain('2 asks are open, so say which one')
  })

  it('refuse to answer for anything that an agent started, even at a terminal', async () => {
    const id = await open('rm -rf /tmp/x')
    const agent = dir.write('claude', `#!/bin/sh\nsh -c '"$@"; exit $?' sh "$@"\nexit $?\n`, 0o755)
    const { code, screen } = await inTerminal(agent, process.execPath, CLI, 'allow', id)
    expect(code).toBe(1)
    expect(screen).toContain('started by a coding agent')
    expect(asks.open().map(ask => ask.id)).toContain(id)
  })

  it('refuse to answer without a terminal', async () => {
    const id = await open('make nightly')
    const refused = await run('allow', id)
    expect(refused.code).toBe(1)
    expect(refused.out).toContain('has no terminal')
    expect((await run('allow', id, '--token-file', join(state, 'token'))).code).toBe(2)
    expect(asks.open().map(ask => ask.id)).toContain(id)
  })

  it('say so where there is no such ask', async () => {
    expect((await run('allow', 'ask_nothing')).out).toContain('No ask ask_nothing')
  })
})
