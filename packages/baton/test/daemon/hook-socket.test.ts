import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { HookCall } from '../../src/daemon/hook-route.ts'
import { interceptHooks, readHead } from '../../src/daemon/hook-socket.ts'
import { type HookWorld, hookWorld, toolCall } from '../hook/world.ts'
import { scratch } from '../world/scratch.ts'
import { servingDaemon } from './serving-daemon.ts'

const head = (lines: readonly string[], first = 'POST /hook/claude-code HTTP/1.0') =>
  `${[first, 'Host: baton', 'Baton-Protocol: 1', 'Baton-Event: PreToolUse', ...lines].join('\r\n')}\r\n\r\n`
const withLength = (body: string, ...more: string[]) =>
  head([...more, `Content-Length: ${Buffer.byteLength(body)}`]) + body

describe('hook calls on the unix socket', () => {
  let world: HookWorld
  let daemon: Awaited<ReturnType<typeof servingDaemon>>
  beforeAll(async () => {
    world = hookWorld()
    daemon = await servingDaemon(world)
  })
  afterAll(async () => {
    await daemon[Symbol.asyncDispose]()
    await world[Symbol.asyncDispose]()
  })

  /** Sends these pieces one after the other and reads until the connection ends. */
  const send = (...pieces: readonly (string | Buffer)[]) =>
    new Promise<string>((resolve, reject) => {
      let text = ''
      const socket = connect(world.folder.socket, async () => {
        for (const piece of pieces)
          await new Promise<void>(sent => socket.write(piece, () => setImmediate(sent)))
      })
      socket.setEncoding('utf8').on('data', chunk => {
        text += chunk
      })
      socket.once('error', reject)
      socket.once('close', () => resolve(text))
    })

  test('are answered the same however the bytes are cut', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.nat(400), { maxLength: 4 }),
        fc.constantFrom('ls', 'echo "ä€😀"'),
        async (cuts, command) => {
          const bytes = Buffer.from(withLength(toolCall('cut', { tool_input: { command } })))
          const within = cuts.filter(cut => cut < bytes.length).toSorted((a, b) => a - b)
          const places = [0, ...within, bytes.length]
          const pieces = places.slice(1).map((end, at) => bytes.subarray(places[at], end))
          const reply = await send(...pieces)
          expect(reply).toMatch(
            /^HTTP\/1\.1 200 OK\r\n[\s\S]*\r\nbaton-protocol: 1\r\n[\s\S]*\r\n\r\n *\{.*\}\n$/,
          )
        },
      ),
      { numRuns: 15 },
    )
  })

  test('that are unusual HTTP are read by node:http', async () => {
    const body = toolCall('chunked')
    const chunked = `${head(['Transfer-Encoding: chunked', 'Connection: close'], 'POST /hook/claude-code HTTP/1.1')}${Buffer.byteLength(body).toString(16)}\r\n${body}\r\n0\r\n\r\n`
    expect(await send(chunked)).toContain('HTTP/1.1 200 OK')
    const events = await world.entries({ kind: 'event' })
    expect(events.map(({ toolUseId }) => toolUseId)).toContain('chunked')
    expect(await send('GET /api/health HTTP/1.0\r\nHost: baton\r\n\r\n')).toContain('"name":"baton"')
  })

  test('that are wrong are refused', async () => {
    expect(await send(withLength(toolCall('x'), 'Baton-Source: nowhere'))).toContain('HTTP/1.1 400 ')
    expect(await send(withLength(toolCall('x')).replace('Protocol: 1', 'Protocol: 9'))).toContain(' 426 ')
    expect(await send(withLength(toolCall('x')).replace('claude-code', 'nobody'))).toMatch(
      /^HTTP\/1\.1 4\d\d /,
    )
  })
})

test('only a plain hook call is read here', () => {
  const kind = (text: string) => {
    const read = readHead(Buffer.from(text, 'latin1'))
    return typeof read === 'string' ? read : read.agent
  }
  expect(kind(head(['Content-Length: 2']))).toBe('claude-code')
  expect(kind(head(['Content-Length: 2']).slice(0, -1))).toBe('incomplete')
  expect(kind('POST /ho')).toBe('incomplete')
  for (const text of [
    'GET /hook/claude-code HTTP/1.0\r\n\r\n',
    head([]),
    head(['Content-Length: -1']),
    head(['Content-Length: 2', 'Content-Length: 3']),
    head(['Content-Length: 2', 'Transfer-Encoding: chunked']),
    head(['Content-Length: 2', 'Expect: 100-continue']),
    head(['Content-Length: 2', 'Bad\u0001: x']),
    head(['Content-Length: 2', 'X: a\nb']),
    head(['Content-Length: 2', 'no colon']),
    head(['Content-Length: 2'], 'POST /hook/../api HTTP/1.0'),
    head(['Content-Length: 2', `X: ${'x'.repeat(20_000)}`]),
  ])
    expect(kind(text), JSON.stringify(text.slice(0, 80))).toBe('other')
})

test('a call whose head is still on its way is cut off with the other connections', async () => {
  await using folder = scratch('hs-')
  const calls: HookCall[] = []
  const server = createServer()
  interceptHooks(server, call => calls.push(call))
  const path = join(folder.path, 's')
  await new Promise<void>(resolve => server.listen(path, resolve))
  const client = connect(path).on('error', () => {})
  const closed = new Promise(resolve => client.once('close', resolve))
  const accepted = once(server, 'connection')
  client.write('POST /hook/claude-code HT')
  await accepted
  server.close()
  server.closeAllConnections()
  client.write('TP/1.0\r\nContent-Length: 0\r\n\r\n')
  await closed
  expect(calls).toEqual([])
})
