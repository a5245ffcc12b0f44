import { readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { listenLoopback } from '../../src/daemon/listen.ts'
import { guardLoopback } from '../../src/daemon/loopback-guard.ts'
import { type HookWorld, hookWorld, toolCall } from '../hook/world.ts'
import { until } from '../world/wait.ts'
import { servingDaemon } from './serving-daemon.ts'

const TOKEN = 'a'.repeat(64)

describe('the loopback port', () => {
  let world: HookWorld
  let daemon: Awaited<ReturnType<typeof servingDaemon>>
  let port: number
  let token: string
  beforeAll(async () => {
    world = hookWorld()
    daemon = await servingDaemon(world)
    port = Number(new URL(daemon.url).port)
    token = readFileSync(world.folder.token, 'utf8').trim()
  })
  afterAll(async () => {
    await daemon[Symbol.asyncDispose]()
    await world[Symbol.asyncDispose]()
  })

  /** Says exactly these bytes, as no HTTP library would. */
  const ask = (line: string, headers: Record<string, string>, body = '') =>
    new Promise<{ status: number; text: string }>((resolve, reject) => {
      const socket = connect(port, '127.0.0.1')
      const all = {
        Host: `127.0.0.1:${port}`,
        Connection: 'close',
        'Content-Length': `${body.length}`,
        ...headers,
      }
      const head = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
      let text = ''
      socket.setEncoding('utf8')
      socket.on('data', chunk => {
        text += chunk
      })
      socket.once('error', reject)
      socket.once('close', () => resolve({ status: Number(text.split(' ')[1]), text }))
      socket.write(`${line} HTTP/1.1\r\n${head.join('')}\r\n${body}`)
    })
  const bearer = () => ({ Authorization: `Bearer ${token}` })
  const health = async (headers: Record<string, string>) => (await ask('GET /api/health', headers)).status

  test('opens to the token alone', async () => {
    expect(await health(bearer())).toBe(200)
    expect(await health({})).toBe(401)
    expect(await health({ Authorization: `Bearer ${'0'.repeat(64)}` })).toBe(401)
    expect(await health({ Authorization: `Bearer ${token.slice(0, -1)}` })).toBe(401)
    expect(await health({ Authorization: `bearer ${token}` })).toBe(401)
    expect((await ask(`GET /api/health?token=${token}`, {})).status).toBe(401)
  })

  test('stays shut for a rebound name, even with the token', async () => {
    for (const Host of [
      'evil.example',
      `evil.example:${port}`,
      '127.0.0.1',
      `127.0.0.1:${port + 1}`,
      `127.0.0.1:${port}.evil`,
      // Another user may listen at the same port of ::1.
      `localhost:${port}`,
      `[::1]:${port}`,
    ])
      expect(await health({ ...bearer(), Host }), Host).toBe(403)
    expect(await health({ ...bearer(), Host: 'baton' })).toBe(200)
  })

  test('stays shut for a page of another origin, even with the token', async () => {
    for (const Origin of [
      'https://evil.example',
      'null',
      `https://127.0.0.1:${port}`,
      `http://127.0.0.1:${port}.evil`,
      'http://127.0.0.1',
      'http://baton',
    ])
      expect(await health({ ...bearer(), Origin }), Origin).toBe(403)
    for (const site of ['cross-site', 'same-site', 'anything'])
      expect(await health({ ...bearer(), 'Sec-Fetch-Site': site }), site).toBe(403)
    const own = { ...bearer(), Origin: `http://127.0.0.1:${port}`, 'Sec-Fetch-Site': 'same-origin' }
    expect(await health(own)).toBe(200)
  })

  test('refuses the HTTP hooks of 0.1, and records nothing of them', async () => {
    const key = 'b'.repeat(64)
    writeFileSync(world.folder.httpHookKey, `${key}\n`)
    const done = { hook_event_name: 'PostToolUse', tool_response: {} }
    const told = await ask(
      `POST /observe/${key}/claude-code/PostToolUse?source=user`,
      {},
      toolCall('observed', done),
    )
    expect(told.status).toBe(401)
    expect(await health({ Authorization: `Bearer ${key}` })).toBe(401)
    expect(await world.entries({ kind: 'event' })).toEqual([])
  })

  test('serves no files, whatever the path', async () => {
    for (const path of [
      '/../token',
      '/api/../../token',
      '/%2e%2e/token',
      '//etc/passwd',
      '/hook/../api/stop',
      '/api/sessions/..%2f..%2ftoken',
    ])
      expect((await ask(`GET ${path}`, bearer())).status, path).toBe(404)
    expect(await health(bearer())).toBe(200)
  })

  test('refuses heads that are too large and requests that are none', async () => {
    expect((await ask('GET /api/health', { ...bearer(), 'X-Large': 'x'.repeat(40_000) })).status).toBe(431)
    expect((await ask('GET /api/health', { ...bearer(), 'Content-Length': '-1' })).status).toBe(400)
    expect((await ask('HELLO', {})).status).toBe(400)
    expect(await health(bearer())).toBe(200)
  })

  test('refuses a payload beyond what it reads, and says so to the end', async () => {
    const { status, text } = await ask(
      'POST /hook/claude-code',
      { ...bearer(), 'Baton-Protocol': '1' },
      ' '.repeat(33 * 1024 * 1024),
    )
    expect(status).toBe(413)
    expect(text).toContain('payload_too_large')
  })
})

test('a connection that never finishes its head is closed, and there are only so many', async () => {
  const limits = { headersMs: 100, requestMs: 200, connections: 20 }
  const { server, port } = await listenLoopback(0, (_, response) => response.end('hello'), limits)
  let closed = 0
  let dripping = true
  const slow = Array.from({ length: 50 }, () => {
    const socket = connect(port, '127.0.0.1', () => socket.write('GET / HTTP/1.1\r\nHost: x\r\nX-Slow: '))
    socket.on('error', () => {})
    socket.once('close', () => closed++)
    const drip = setInterval(() => (dripping ? socket.write('a') : clearInterval(drip)), 20)
    return socket
  })
  await until(() => closed === slow.length, { what: 'every slow connection to be closed' })
  dripping = false
  expect(await (await fetch(`http://127.0.0.1:${port}/`)).text()).toBe('hello')
  server.close()
  server.closeAllConnections()
})

describe('the guard', () => {
  const request = (headers: Record<string, string>) => ({ headers })
  const good = { host: '127.0.0.1:4747', authorization: `Bearer ${TOKEN}` }

  test('takes no other host, whatever it is called', () => {
    fc.assert(
      fc.property(fc.oneof(fc.domain(), fc.string(), fc.ipV4(), fc.webAuthority()), host => {
        fc.pre(!['127.0.0.1:4747', 'baton'].includes(host))
        expect(guardLoopback(request({ ...good, host }), 4747, TOKEN)).toBe('forbidden')
      }),
    )
  })

  test('takes no other token', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[0-9a-f]{60,68}$/)), given => {
        fc.pre(given !== TOKEN)
        const headers = { ...good, authorization: `Bearer ${given}` }
        expect(guardLoopback(request(headers), 4747, TOKEN)).toBe('unauthorized')
      }),
    )
  })
})
