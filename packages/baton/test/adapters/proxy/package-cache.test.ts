import { existsSync, readdirSync } from 'node:fs'
import { createServer, get, type RequestListener } from 'node:http'
import { type AddressInfo, createServer as createNetServer, type Server } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { createAuthority } from '../../../src/adapters/proxy/certificate.ts'
import { packageCache } from '../../../src/adapters/proxy/package-cache.ts'
import { FilteringProxy } from '../../../src/adapters/proxy/proxy.ts'
import { scratch } from '../../world/scratch.ts'
import { until } from '../../world/wait.ts'

const PACKAGE = '/adder/-/adder-1.0.0.tgz'
const DAY = 24 * 3_600_000

const listen = async (server: Server): Promise<number> => {
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  return (server.address() as AddressInfo).port
}

/** A registry, and a proxy in front of it that keeps packages. */
async function world(answer: RequestListener) {
  const folder = scratch()
  const requests: string[] = []
  const registry = createServer((request, response) => {
    requests.push(request.url ?? '')
    answer(request, response)
  })
  const port = await listen(registry)
  const target = { scheme: 'http' as const, host: '127.0.0.1', port }
  let now = Date.now()
  let login: string | undefined
  const kept = join(folder.path, 'packages')
  const proxy = new FilteringProxy({
    authority: createAuthority('test', now),
    rules: () => {
      const logins = login ? [{ path: '/', authorization: login }] : []
      return [{ ...target, isUsers: true, methods: ['GET'], logins }]
    },
    resolve: async () => ['127.0.0.1'],
    closedPorts: () => [],
    onBlocked: () => undefined,
    packages: packageCache(kept, () => now),
  })
  const inside = createNetServer(socket => proxy.acceptFor(target, socket))
  const way = await listen(inside)
  const count = () =>
    existsSync(kept) ? readdirSync(kept).filter(name => !name.endsWith('.part')).length : 0
  return {
    requests,
    read: (path: string, headers: Record<string, string> = {}) =>
      new Promise<string>((done, fail) => {
        const options = { port: way, path, agent: false as const }
        get({ ...options, headers: { ...headers, host: `127.0.0.1:${port}` } }, response =>
          text(response).then(done, fail),
        ).on('error', fail)
      }),
    stored: (packages: number) => until(() => count() === packages, { what: `${packages} packages` }),
    count,
    pass: (ms: number) => {
      now += ms
    },
    logIn: (as: string) => {
      login = as
    },
    async [Symbol.asyncDispose]() {
      proxy.close()
      inside.close()
      registry.closeAllConnections()
      registry.close()
      await folder[Symbol.asyncDispose]()
    },
  }
}

it('downloads a version of a package once a day, for each login', async () => {
  let version = 1
  await using here = await world((_, response) => response.end(`content ${version++}`))
  const { read, requests, stored } = here
  expect(await read(PACKAGE)).toBe('content 1')
  await stored(1)
  expect(await read(PACKAGE)).toBe('content 1')
  expect(requests).toHaveLength(1)
  here.logIn('Bearer s3cret')
  expect(await read(PACKAGE)).toBe('content 2')
  await stored(2)
  expect(await read(PACKAGE)).toBe('content 2')
  here.pass(2 * DAY)
  expect(await read(PACKAGE)).toBe('content 3')
})

it.each<[string, string, Record<string, string>]>([
  ['the list of versions', '/adder', {}],
  ['a path with a query', `${PACKAGE}?token=1`, {}],
  ['an archive of no registry', '/builds/nightly-1.zip', {}],
  ['a jar that changes', '/app/1.0-SNAPSHOT/app-1.0.jar', {}],
  ['a part', PACKAGE, { range: 'bytes=0-3' }],
  ['a login of the command', PACKAGE, { authorization: 'Bearer mine' }],
  ['a request for the newest', PACKAGE, { 'cache-control': 'no-cache' }],
])('asks the registry every time for %s', async (_, path, headers) => {
  await using here = await world((_, response) => response.end('content'))
  await here.read(path, headers)
  await here.read(path, headers)
  expect(here.requests).toEqual([path, path])
  expect(here.count()).toBe(0)
})

it.each<[string, RequestListener]>([
  ['a failure', (_, response) => response.writeHead(503).end('busy')],
  [
    'what the registry forbids to keep',
    (_, response) => response.writeHead(200, { 'cache-control': 'no-store' }).end('x'),
  ],
  [
    'what ended early',
    (_, response) => response.writeHead(200, { 'content-length': 9 }).write('x', () => response.destroy()),
  ],
])('keeps no %s', async (_, answer) => {
  await using here = await world(answer)
  await here.read(PACKAGE).catch(() => {})
  await here.read(PACKAGE).catch(() => {})
  expect(here.requests).toHaveLength(2)
  expect(here.count()).toBe(0)
})
