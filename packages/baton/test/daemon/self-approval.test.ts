import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { API_NEEDS } from '@batonpass/contract/api-needs'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { sampleQuestion } from '../ask/sample.ts'
import { type DashboardWorld, dashboardWorld } from '../dashboard/world.ts'
import { runInTerminal } from '../world/agents/tmux.ts'
import { asPerson } from '../world/person.ts'
import { until } from '../world/wait.ts'

const CLI = join(import.meta.dirname, '../../dist/cli.js')

/** Reads the token as any program of the user can, and calls the daemon by both ways with every header that may help. */
const ATTACK = `
import { request } from 'node:http'
import { readFileSync, writeFileSync } from 'node:fs'
const [state, url, out, person, ...calls] = process.argv.slice(2)
const token = { authorization: 'Bearer ' + readFileSync(state + '/token', 'utf8').trim() }
const forged = pid => ({ 'baton-pid': String(pid), 'baton-proof': 'answering-0123456789abcdefghij' })
const { hostname: host, port } = new URL(url)
const attempts = []
for (const [name, way] of [['port', { host, port }], ['socket', { socketPath: state + '/daemon.sock' }]])
  for (const more of [{}, { ...forged(person), 'baton-channel': 'dashboard', 'baton-page': 'x' }])
    for (const call of calls) {
      const [method, path] = call.split(' ')
      const headers = { host: 'baton', 'content-type': 'application/json', ...token, ...more }
      attempts.push(new Promise((resolve, reject) => {
        const req = request({ ...way, method, path, headers }, response => {
          let text = ''
          response.on('data', chunk => { text += chunk }).on('end', () => {
            resolve({ call, way: name, status: response.statusCode, text })
          })
        })
        req.on('error', reject)
        req.end(method === 'POST' ? JSON.stringify({ option: 'allow-once', project: '/', text: 'x' }) : undefined)
      }))
    }
writeFileSync(out, JSON.stringify(await Promise.all(attempts)))
`

interface Attempt {
  call: string
  way: 'port' | 'socket'
  status: number
  text: string
}

describe('a script that an agent runs, and that read the token file', () => {
  let world: DashboardWorld
  let ask: string
  let script: string
  let agent: string
  const env = () => ({
    PATH: process.env.PATH ?? '',
    HOME: world.home,
    BATON_HOME: world.folder.dir,
    TERM: 'xterm',
  })
  const place = () => ({ home: world.home, stateDir: world.folder.dir })

  beforeAll(async () => {
    world = await dashboardWorld()
    script = world.scratch.write('attack.mjs', ATTACK)
    // Runs a command as an agent does: as its child, and waits for it.
    agent = world.scratch.write('claude', '#!/bin/sh\n"$@"\nexit $?\n', 0o755)
  })
  afterAll(async () => await world[Symbol.asyncDispose]())

  beforeEach(async () => {
    const before = new Set(world.baton.asks.open().map(({ id }) => id))
    const signal = new AbortController().signal
    void world.baton.asks.ask(sampleQuestion(`make ${before.size}`), {
      signal,
      withinMs: 600_000,
      unreached: 'wait',
    })
    const opened = await until(() => world.baton.asks.open().find(({ id }) => !before.has(id)), {
      what: 'the ask',
    })
    ask = opened.id
  })

  const isOpen = () => world.baton.asks.open().some(({ id }) => id === ask)

  /** At a terminal, which an agent's own terminal is as well. */
  async function attack(start: readonly string[], calls: readonly string[]): Promise<Attempt[]> {
    const out = join(world.scratch.path, `found-${ask}.json`)
    const words = [process.execPath, script, world.folder.dir, world.url, out, String(process.pid), ...calls]
    await runInTerminal({ command: [...start, ...words], cwd: world.home, env: env() })
    return await until(() => JSON.parse(readFileSync(out, 'utf8')) as Attempt[], { what: 'the attempts' })
  }

  const guarded = () =>
    API_NEEDS.filter(([method, , need]) => need !== 'nothing' && method !== 'GET').map(
      ([method, path]) => `${method} ${path.replace('/asks/:id/', `/asks/${ask}/`).replace(/:\w+/, 'x')}`,
    )

  test('answers no ask, and does nothing else that needs a person or no agent', {
    timeout: 120_000,
  }, async () => {
    const attempts = await attack([agent], guarded())
    expect(attempts.length).toBe(guarded().length * 4)
    expect(attempts.filter(({ status }) => status !== 403)).toEqual([])
    expect(attempts.find(({ way }) => way === 'port')?.text).toContain('started by a coding agent')
    expect(attempts.find(({ way }) => way === 'socket')?.text).toContain('needs proof of a person')
    expect(isOpen()).toBe(true)
  })

  test('answers none either when its parents have exited and it kept their terminal', {
    timeout: 120_000,
  }, async () => {
    const orphan = world.scratch.write(
      'orphan.sh',
      '#!/bin/sh\n("$@" &)\n# The terminal stays until the orphan has tried.\nwhile [ ! -e "$5" ]; do sleep 0.05; done\n',
      0o755,
    )
    const attempts = await attack([orphan], [`POST /api/asks/${ask}/answer`, 'POST /api/page/link'])
    expect(attempts.filter(({ status }) => status !== 403)).toEqual([])
    expect(attempts.find(({ way }) => way === 'port')?.text).toContain('has left the shell of its terminal')
    expect(isOpen()).toBe(true)
  })

  test('trusts no project by the command', { timeout: 240_000 }, async () => {
    world.scratch.write('project/.baton.yaml', 'permissions:\n  allow:\n    - "^make$"\n')
    const project = join(world.scratch.path, 'project')
    const trust = [process.execPath, CLI, 'trust', project]
    const refused = await runInTerminal({
      command: [agent, ...trust],
      cwd: project,
      env: env(),
      columns: 300,
    })
    expect(refused).toMatchObject({ code: 1, screen: expect.stringContaining('started by a coding agent') })
    expect(await asPerson(place(), 'trust', '--list')).toBe('')
    expect(await asPerson(place(), 'trust', project)).toContain('Trusted')
  })

  test('a person at a terminal answers what it could not', { timeout: 240_000 }, async () => {
    expect(await asPerson(place(), 'allow', ask)).toContain('Allowed')
    expect((await world.baton.asks.find(ask))?.answer?.by.channel).toBe('terminal')
  })
})
