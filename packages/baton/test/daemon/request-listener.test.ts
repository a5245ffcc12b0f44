import { createServer, request, type Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { streamSSE } from 'hono/streaming'
import { afterEach, describe, expect, it } from 'vitest'
import { requestListener } from '../../src/daemon/request-listener.ts'
import { Headers, Request, Response } from '../../src/daemon/web-classes.ts'

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
})

async function served(app: Hono): Promise<{ url: string; port: number }> {
  const server = createServer(requestListener(app.fetch))
  servers.push(server)
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, port }
}

describe('the listener between Node and Hono', () => {
  it('passes path, query, headers and body in, and status, headers, cookies and text out', async () => {
    const app = new Hono()
    app.post('/a/:id', async c => {
      c.header('set-cookie', 'one=1', { append: true })
      c.header('set-cookie', 'two=2', { append: true })
      return c.json(
        { id: c.req.param('id'), q: c.req.query('q'), h: c.req.header('X-One'), body: await c.req.json() },
        201,
      )
    })
    const { url } = await served(app)
    const body = JSON.stringify({ text: 'grün' })
    const answer = await fetch(`${url}/a/7?q=%2F`, { method: 'POST', body, headers: { 'x-one': '1' } })
    expect(answer.status).toBe(201)
    expect(answer.headers.getSetCookie()).toEqual(['one=1', 'two=2'])
    expect(await answer.json()).toEqual({ id: '7', q: '/', h: '1', body: { text: 'grün' } })
    expect((await fetch(`${url}/nothing`)).status).toBe(404)
    const head = await fetch(`${url}/a/7`, { method: 'HEAD' })
    expect(await head.text()).toBe('')
  })

  it('refuses a body beyond its route, and one without a stated length beyond 256 kB', async () => {
    const app = new Hono()
    app.post('/small', bodyLimit({ maxSize: 10 }), async c => c.text(await c.req.text()))
    app.post('/large', async c => c.text(String((await c.req.text()).length)))
    const { url, port } = await served(app)
    const post = (path: string, body: string) => fetch(`${url}${path}`, { method: 'POST', body })
    expect((await post('/small', 'x'.repeat(11))).status).toBe(413)
    expect(await (await post('/small', 'x'.repeat(10))).text()).toBe('xxxxxxxxxx')
    expect(await (await post('/large', 'x'.repeat(400_000))).text()).toBe('400000')
    const chunked = (path: string, bytes: number) =>
      new Promise<number>((resolve, reject) => {
        const req = request({ port, path, method: 'POST' }, response => {
          response.resume()
          resolve(response.statusCode ?? 0)
        })
        req.on('error', reject)
        req.write('x'.repeat(bytes))
        req.end()
      })
    expect(await chunked('/small', 11)).toBe(413)
    expect(await chunked('/small', 10)).toBe(200)
    expect(await chunked('/large', 200_000)).toBe(200)
    expect(await chunked('/large', 300_000)).toBe(413)
  })

  it('does not resolve a path, so that a route sees what the guards have checked', async () => {
    const app = new Hono()
    app.get('*', c => c.text(c.req.path))
    const { port } = await served(app)
    const raw = (line: string) =>
      new Promise<string>((resolve, reject) => {
        const socket = connect(port, '127.0.0.1')
        let text = ''
        socket.on('data', chunk => {
          text += chunk
        })
        socket.on('close', () => resolve(text))
        socket.on('error', reject)
        socket.write(`${line} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
      })
    expect(await raw('GET /login/../api/x')).toContain('\n/login/../api/x\r')
    expect(await raw('GET //host/api')).toContain('\n//host/api\r')
    expect(await raw('GET http://other/api')).toMatch(/^HTTP\/1\.1 400 /)
  })

  it('streams until the client disconnects, and then tells the route', async () => {
    const app = new Hono()
    const ended = Promise.withResolvers<void>()
    app.get('/events', c =>
      streamSSE(c, async stream => {
        stream.onAbort(() => ended.resolve())
        await stream.writeSSE({ data: 'first' })
        await ended.promise
      }),
    )
    const { url } = await served(app)
    const leave = new AbortController()
    const answer = await fetch(`${url}/events`, { signal: leave.signal })
    expect(answer.headers.get('content-type')).toBe('text/event-stream')
    const reader = answer.body?.getReader()
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('data: first\n\n')
    leave.abort()
    await ended.promise
  })

  it('answers a route that fails without Hono noticing with 500, and keeps serving', async () => {
    const { url } = await served({
      fetch: (request: globalThis.Request) => {
        if (request.url.endsWith('/fails')) throw new Error('no')
        return new Response('fine')
      },
    } as unknown as Hono)
    expect((await fetch(`${url}/fails`)).status).toBe(500)
    expect(await (await fetch(`${url}/x`)).text()).toBe('fine')
  })
})

describe('the light web classes', () => {
  it('treat header names alike in any case, join values, and keep cookies apart', () => {
    const headers = new Headers({ 'Content-Type': 'a' })
    headers.append('content-type', 'b')
    headers.append('Set-Cookie', 'x')
    headers.append('set-cookie', 'y')
    expect([...headers]).toEqual([
      ['content-type', 'a, b'],
      ['set-cookie', 'x'],
      ['set-cookie', 'y'],
    ])
    headers.delete('CONTENT-TYPE')
    expect(headers.get('content-type')).toBeNull()
    expect(new Headers(headers).getSetCookie()).toEqual(['x', 'y'])
  })

  it('read a body once', async () => {
    const response = new Response('{"a":1}', { status: 404 })
    expect(response.ok).toBe(false)
    expect(await response.json()).toEqual({ a: 1 })
    await expect(response.text()).rejects.toThrow('already been read')
    const empty = new Request('http://x/', { method: 'POST', headers: new Headers() })
    expect(await empty.text()).toBe('')
  })
})
