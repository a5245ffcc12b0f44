import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest'
import { claudeRenewal } from '../../src/adapters/agents/claude-code/login-file.ts'
import type { OutsideLogin } from '../../src/ports/agent.ts'
import { hostsOfLogin } from '../../src/sandbox/network/host-settings.ts'
import { networkWorld } from '../world/network.ts'
import { npmRegistry, type Registry } from '../world/registry.ts'
import type { SandboxWorld } from '../world/sandbox.ts'
import { scratch } from '../world/scratch.ts'

const MANIFEST = JSON.stringify({ name: 'useful', version: '1.0.0', main: 'index.js' })
const TOKEN = 'the-token-of-the-user'
const OTHER_TOKEN = 'a-token-of-the-package'

/** Sends bytes to the proxy and prints what comes back. */
const RAW = `const [port, text] = [new URL(process.env.HTTP_PROXY).port, process.argv[2]]
const socket = require('node:net').connect(Number(port), '127.0.0.1', () => socket.write(JSON.parse(text)))
socket.setTimeout(15000, () => socket.destroy())
socket.on('data', chunk => process.stdout.write(chunk)).on('error', () => {}).on('close', () => process.exit(0))
setTimeout(() => process.exit(0), 20000)`

/** A world whose session has the proxy, with this registry in the user's own .npmrc. */
async function registryWorld(
  registry: Registry,
  hosts: (closed: number) => string[],
  closed = 0,
  ports: number[] = [],
  login?: OutsideLogin,
) {
  const here = await networkWorld({
    home: ({ home, inHome }) => {
      const token = `${registry.url.replace(/^https?:/, '')}:_authToken=${TOKEN}`
      if (registry.url.startsWith('http:')) return { '.npmrc': `registry=${registry.url}\n${token}\n` }
      inHome('registry.pem', registry.certificate)
      return { '.npmrc': `registry=${registry.url}\ncafile=${join(home, 'registry.pem')}\n` }
    },
    names: {
      localhost: ['127.0.0.1'],
      'rebound.example': ['127.0.0.1'],
      'metadata.example': ['169.254.169.254'],
      'half.example': ['192.0.66.1', '127.0.0.1'],
      'mapped.example': ['::ffff:127.0.0.1'],
    },
    hosts: hosts(closed),
    closed,
    ports,
    login,
  })
  const { world } = here
  world.project.write('raw.js', RAW)
  const send = async (text: string) =>
    (await world.run(`node raw.js '${JSON.stringify(text).replaceAll("'", `'\\''`)}'`)).stdout
  return { ...here, send }
}

describe('the network of the sandbox', { timeout: 300_000 }, () => {
  const folder = scratch('bn-')
  let registry: Registry
  let here: Awaited<ReturnType<typeof registryWorld>>
  let world: SandboxWorld
  const reached: string[] = []
  const servers: Server[] = []
  let closed = 0
  /** A server that a setting names, with the names of headers that reached it. */
  const named: { port: number; headers: string[] } = { port: 0, headers: [] }

  const listen = async (host: string): Promise<number> => {
    const server = createServer(socket => {
      reached.push(host)
      socket.end('HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\nreached')
    })
    servers.push(server)
    await new Promise<void>(done => server.listen(0, host, done))
    return (server.address() as AddressInfo).port
  }

  beforeAll(async () => {
    registry = await npmRegistry(folder.path, 'useful', {
      'package.json': MANIFEST,
      'index.js': 'module.exports = "installed"',
    })
    closed = await listen('127.0.0.1')
    const server = createHttpServer((request, response) => {
      named.headers.push(...request.rawHeaders.filter((_, at) => at % 2 === 0))
      response.end('seen')
    })
    servers.push(server)
    await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
    named.port = (server.address() as AddressInfo).port
    here = await registryWorld(
      registry,
      port => [
        `* http://127.0.0.1:${port}`,
        `* http://127.0.0.1:${named.port}`,
        `* http://rebound.example:${port}`,
        `* https://rebound.example:${port}`,
        `* http://metadata.example:${port}`,
        `* http://half.example:${port}`,
        `* http://mapped.example:${port}`,
      ],
      closed,
    )
    world = here.world
  }, 300_000)
  afterAll(async () => {
    await here?.[Symbol.asyncDispose]()
    await registry?.[Symbol.asyncDispose]()
    for (const server of servers) server.close()
    folder.remove()
  })

  it('installs from the registry of the user’s own configuration; the login stays outside', async () => {
    world.project.write('package.json', '{"dependencies":{"useful":"1.0.0"}}')
    const ran = await world.run('npm install 2>&1; node -p \'require("useful")\'; cat ~/.npmrc; env')
    expect(ran.stdout).toContain('installed')
    expect(existsSync(join(world.project.path, 'node_modules/useful/index.js'))).toBe(true)
    expect(ran.stdout).toContain(`registry=${registry.url}`)
    expect(ran.stdout).not.toContain(TOKEN)
    expect(registry.requests.map(({ authorization }) => authorization)).toContain(`Bearer ${TOKEN}`)
    const again = await world.run('rm -rf node_modules && npm ci 2>&1 && ls node_modules')
    expect(again.stdout).toContain('useful')
  })

  it('lets a package cache be filled for the session only', async () => {
    expect((await world.run('ls ~/.npm/_cacache')).stdout).toContain('content-v2')
    expect(existsSync(join(world.home, '.npm'))).toBe(false)
  })

  it('lets a package manager ask which packages are unsafe, and only that', async () => {
    registry.requests.length = 0
    const ran = await world.run('npm audit 2>&1')
    expect(ran.stdout).toContain('1 high severity vulnerability')
    const posted = registry.requests.filter(({ line }) => !/^(GET|HEAD) /.test(line))
    expect(posted).toEqual([{ line: 'POST /-/npm/v1/security/advisories/bulk', authorization: undefined }])
    for (const path of ['/-/npm/v1/security/advisories/bulk?x=1', '/-/npm/v1/security', '/useful'])
      expect(
        await here.send(
          `POST http://127.0.0.1:${registry.port}${path} HTTP/1.1\r\nHost: 127.0.0.1:${registry.port}\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}`,
        ),
      ).toContain('commands may only read there')
    expect(registry.requests.filter(({ line }) => /^POST /.test(line))).toHaveLength(1)
  })

  it('lets no package be published, with any token', async () => {
    world.project.write('own/package.json', '{"name":"evil","version":"1.0.0"}')
    const before = registry.requests.length
    const login = `--${registry.url.replace(/^https?:/, '')}:_authToken=${OTHER_TOKEN}`
    const ran = await world.run(`cd own && npm publish ${login} 2>&1`)
    expect(ran.code).not.toBe(0)
    expect(ran.stdout).toContain('commands may only read there')
    expect(registry.requests.slice(before).filter(({ line }) => !/^(GET|HEAD) /.test(line))).toEqual([])
    expect(here.blocked).toContain(`PUT 127.0.0.1:${registry.port}`)
  })

  it('adds no login to the accounts of a registry or to a path it may read differently', async () => {
    for (const path of ['/-/npm/v1/tokens', '/useful/../-/whoami', '/useful/%2e%2e/-/whoami', '//-/whoami']) {
      await here.send(
        `GET http://127.0.0.1:${registry.port}${path} HTTP/1.1\r\nHost: 127.0.0.1:${registry.port}\r\nConnection: close\r\n\r\n`,
      )
      expect(registry.requests.at(-1)).toEqual({ line: `GET ${path}`, authorization: undefined })
    }
  })

  it('follows no redirect', async () => {
    const at = `127.0.0.1:${registry.port}`
    expect(
      await here.send(`GET http://${at}/moved HTTP/1.1\r\nHost: ${at}\r\nConnection: close\r\n\r\n`),
    ).toContain('302')
    const ran = await world.run(`curl -sL -m 10 --noproxy '' http://${at}/moved; echo "ended $?"`)
    expect(ran.stdout).toContain('blocks 127.0.0.1:9')
  })

  it('tells in one line what it blocks', async () => {
    const ran = await world.run('curl -sS -m 20 https://example.com/; curl -s -m 20 http://example.com/')
    expect(ran.stderr).toMatch(/CONNECT tunnel failed, response 403|Received HTTP code 403/)
    expect(ran.stdout).toContain("Baton's sandbox blocks example.com")
    expect(here.blocked).toContain('example.com')
  })

  it('reaches nothing that no rule names, whatever a request looks like', async () => {
    const port = await listen('127.0.0.1')
    const six = await listen('::1')
    const good = `127.0.0.1:${registry.port}`
    const get = (url: string, host: string, more = '') =>
      `GET ${url} HTTP/1.1\r\nHost: ${host}\r\n${more}Connection: close\r\n\r\n`
    const tunnel = (to: string) =>
      `CONNECT ${to} HTTP/1.1\r\nHost: ${to}\r\n\r\nGET / HTTP/1.1\r\nHost: ${to}\r\n\r\n`
    const attempts: Record<string, string> = {
      'CONNECT to another port': tunnel(`127.0.0.1:${port}`),
      'CONNECT to a name of this machine': tunnel(`localhost:${port}`),
      'CONNECT over IPv6': tunnel(`[::1]:${six}`),
      'CONNECT to a mapped address': tunnel(`[::ffff:127.0.0.1]:${port}`),
      'CONNECT with a decimal address': tunnel(`2130706433:${port}`),
      'CONNECT with a short address': tunnel(`127.1:${port}`),
      'CONNECT with a hexadecimal address': tunnel(`0x7f000001:${port}`),
      'CONNECT to 0.0.0.0': tunnel(`0.0.0.0:${port}`),
      'CONNECT with a login in it': tunnel(`${good}@127.0.0.1:${port}`),
      'CONNECT with a trailing dot': tunnel(`127.0.0.1.:${port}`),
      'another port': get(`http://127.0.0.1:${port}/`, `127.0.0.1:${port}`),
      IPv6: get(`http://[::1]:${six}/`, `[::1]:${six}`),
      'a login that looks like the host': get(`http://${good}@127.0.0.1:${port}/`, good),
      'a backslash': get(`http://${good}\\@127.0.0.1:${port}/`, good),
      'another Host header': get(`http://${good}/`, `127.0.0.1:${port}`),
      'the right Host header for another server': get(`http://127.0.0.1:${port}/`, good),
      'two Host headers': get(`http://${good}/`, good, `Host: 127.0.0.1:${port}\r\n`),
      'no server at all': get('/', `127.0.0.1:${port}`),
      ftp: get(`ftp://127.0.0.1:${port}/`, `127.0.0.1:${port}`),
      'https as an absolute address': get(`https://127.0.0.1:${port}/`, `127.0.0.1:${port}`),
      'a name that resolves to this machine': get(
        `http://rebound.example:${closed}/`,
        `rebound.example:${closed}`,
      ),
      'a name that resolves to a metadata service': get(
        `http://metadata.example:${closed}/`,
        `metadata.example:${closed}`,
      ),
      'a name with a good and a bad address': get(`http://half.example:${closed}/`, `half.example:${closed}`),
      'a name with a mapped address': get(`http://mapped.example:${closed}/`, `mapped.example:${closed}`),
      'Baton’s own port, even if a setting names it': get(
        `http://127.0.0.1:${closed}/`,
        `127.0.0.1:${closed}`,
      ),
      'a tunnel to Baton’s own port': tunnel(`127.0.0.1:${closed}`),
    }
    const through: string[] = []
    for (const [name, text] of Object.entries(attempts)) {
      const before = reached.length
      const answer = await here.send(text)
      if (reached.length > before || answer.includes('reached')) through.push(name)
    }
    const direct = await world.run(
      `curl -s -m 5 --noproxy '*' http://127.0.0.1:${port}; curl -s -m 5 --noproxy '*' http://[::1]:${six}; curl -s -m 5 http://127.0.0.1:${closed}`,
    )
    expect(through).toEqual([])
    expect(direct.stdout).not.toContain('reached')
    expect(reached).toEqual([])
    // Each name was looked up once for its one attempt: what was checked is what would be connected to.
    expect(here.resolved.filter(host => host === 'rebound.example')).toHaveLength(1)
  })

  it('lets no second request and no other method hide in a request', async () => {
    const at = `127.0.0.1:${registry.port}`
    const start = registry.requests.length
    const hidden = `PUT /evil HTTP/1.1\r\nHost: ${at}\r\nContent-Length: 0\r\n\r\n`
    const head = (more: string) => `GET http://${at}/useful HTTP/1.1\r\nHost: ${at}\r\n${more}\r\n`
    for (const text of [
      `${head(`Content-Length: ${hidden.length}\r\n`)}${hidden}`,
      `${head('Transfer-Encoding: chunked\r\n')}0\r\n\r\n${hidden}`,
      `${head('Transfer-Encoding: chunked\r\nContent-Length: 5\r\n')}0\r\n\r\n${hidden}`,
      `${head('Transfer-Encoding : chunked\r\n')}0\r\n\r\n${hidden}`,
      `${head('Content-Length: 0\r\nContent-Length: 60\r\n')}${hidden}`,
      `${head('X: a\rPUT /evil HTTP/1.1\r\n')}`,
      `${head('X-HTTP-Method-Override: PUT\r\n')}`,
      `${head('Upgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n')}${hidden}`,
      `PUT http://${at}/evil HTTP/1.1\r\nHost: ${at}\r\nContent-Length: 2\r\n\r\n{}`,
      `DELETE http://${at}/useful HTTP/1.1\r\nHost: ${at}\r\n\r\n`,
    ])
      await here.send(text)
    expect(registry.requests.slice(start).filter(({ line }) => !/^GET /.test(line))).toEqual([])
  })

  it('passes on no header that a server may take for another one', async () => {
    const at = `127.0.0.1:${named.port}`
    const odd = [
      ...[
        'X_HTTP_Method_Override',
        'x.http.method.override',
        'Content_Length',
        'Transfer_Encoding',
        'X_Api_Key',
      ],
      ...[
        'Authorization_',
        '_Host',
        'X-A!',
        'X-A~',
        "X-A'",
        'X-A|',
        'X-A*',
        'X-A+',
        'X-A`',
        'X-A^',
        'X$A',
        'X#A',
        'X%41',
        'X&A',
      ],
    ]
    const hops = [
      ...[
        'Keep-Alive',
        'Proxy-Authorization',
        'Proxy-Connection',
        'TE',
        'Trailer',
        'Upgrade',
        'Via',
        'Expect',
      ],
      ...['X-Forwarded-For', 'Forwarded', 'X-Original-URL', 'X-Rewrite-URL', 'X-Method-Override', 'X-Named'],
    ]
    for (const name of [...odd, ...hops])
      for (const connection of ['close', 'close, X-Named'])
        await here.send(
          `GET http://${at}/ HTTP/1.1\r\nHost: ${at}\r\nX-Good: 1\r\n${name}: 1\r\nConnection: ${connection}\r\n\r\n`,
        )
    expect(new Set(named.headers.map(name => name.toLowerCase()))).toEqual(
      new Set(['x-good', 'host', 'connection', 'x-named']),
    )
    expect(named.headers.filter(name => name === 'x-named').length).toBeLessThanOrEqual(1)
  })
})

test('a registry with TLS is read through the proxy’s own certificate; nothing can be written to it', {
  timeout: 300_000,
}, async () => {
  const folder = scratch('bn-')
  await using registry = await npmRegistry(
    folder.path,
    'useful',
    { 'package.json': MANIFEST },
    { isSecure: true },
  )
  await using here = await registryWorld(registry, () => [])
  const { world } = here
  world.project.write('package.json', '{"dependencies":{"useful":"1.0.0"}}')
  const ran = await world.run('npm install --fetch-retries=0 2>&1')
  expect(ran.stdout).toContain('added 1 package')
  expect(existsSync(join(world.project.path, 'node_modules/useful/package.json'))).toBe(true)
  const put = await world.run(
    `curl -s -m 20 --noproxy '' -X PUT -d x ${registry.url}evil; curl -s -m 20 -X PUT -d x ${registry.url}evil`,
  )
  expect(put.stdout.match(/commands may only read there/g)).toHaveLength(2)
  const other = await world.run(
    `curl -s -m 20 --noproxy '' -H 'Host: other.example' -o /dev/null -w '%{http_code}' ${registry.url}`,
  )
  expect(other.stdout).toBe('400')
  expect(registry.requests.filter(({ line }) => !/^GET /.test(line))).toEqual([])
  // The key that signs is in no file.
  const found = await world.run('grep -rl "PRIVATE[ ]KEY" /.baton /run /tmp ~ 2>/dev/null')
  expect(found.stdout).toBe('')
  folder.remove()
})

test('the proxy adds a login that stays outside to requests for its server alone, in place of any other', {
  timeout: 300_000,
}, async () => {
  const folder = scratch('bn-')
  const seen: Record<string, unknown>[] = []
  const serve = async () => {
    const server = createHttpServer((request, response) => {
      seen.push(request.headers)
      response.end('answered')
    })
    await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
    return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
  }
  const [model, other] = [await serve(), await serve()]
  await using registry = await npmRegistry(folder.path, 'useful', { 'package.json': MANIFEST })
  let token = 'first'
  const login: OutsideLogin = {
    server: model.url,
    headers: ({ path }) => (path === '/v1/files' ? { authorization: `Bearer ${token}` } : undefined),
    environment: {},
    variables: [],
    files: [],
  }
  await using here = await registryWorld(registry, () => [`* ${model.url}`, `* ${other.url}`], 0, [], login)
  const ask = (url: string, path = '/v1/files') =>
    here.world.run(
      `curl -s -m 20 -X POST -d x -H 'x-api-key: anothers' -H 'Authorization: Bearer anothers' -H 'Cookie: a=anothers' ${url}${path}; env; grep -rs first ~ /run /tmp`,
    )
  for (const next of ['first', 'second']) {
    token = next
    const { stdout } = await ask(model.url)
    expect(stdout).toContain('answered')
    expect(stdout).not.toMatch(/Bearer (first|second)/)
    expect(seen.at(-1)).toMatchObject({ authorization: `Bearer ${next}` })
    expect(JSON.stringify(seen.at(-1))).not.toContain('anothers')
  }
  // A request that gets no login gets none of another account either.
  await ask(model.url, '/api/keys')
  expect(JSON.stringify(seen.at(-1))).not.toMatch(/second|anothers/)
  await ask(other.url)
  expect(JSON.stringify(seen.at(-1))).not.toContain('second')
  expect(seen.at(-1)).toMatchObject({ authorization: 'Bearer anothers' })
  model.server.close()
  other.server.close()
  folder.remove()
})

test('an agent renews its login through the proxy: the server gets the real tokens, and the agent placeholders', {
  timeout: 300_000,
}, async () => {
  const folder = scratch('bn-')
  const path = join(folder.path, 'credentials.json')
  const tokens = { accessToken: 'old-token', refreshToken: 'renews-once', expiresAt: Date.now() + 60_000 }
  writeFileSync(path, JSON.stringify({ claudeAiOauth: tokens }))
  const seen: string[] = []
  const sent: object[] = []
  const server = createHttpServer((request, response) => {
    let body = ''
    request.on('data', chunk => {
      body += chunk
    })
    request.on('end', () => {
      seen.push(`${request.method} ${request.url} ${body}`)
      sent.push(request.headers)
      // A token that renews counts once.
      const isKnown = body.includes('renews-once') && seen.length === 1
      response.writeHead(isKnown ? 200 : 400, { 'content-type': 'application/json' })
      const renewed = { access_token: 'new-token', refresh_token: 'renews-next', expires_in: 3600 }
      response.end(JSON.stringify(isKnown ? renewed : { error: 'invalid_grant', error_description: body }))
    })
  })
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const login: OutsideLogin = {
    server: 'http://127.0.0.1:9',
    headers: () => undefined,
    environment: {},
    variables: [],
    files: [],
    renewal: { ...claudeRenewal(path, Date.now), server: url },
  }
  await using registry = await npmRegistry(folder.path, 'useful', { 'package.json': MANIFEST })
  await using here = await registryWorld(registry, () => hostsOfLogin(login), 0, [], login)
  const body = JSON.stringify({ grant_type: 'refresh_token', refresh_token: 'placeholder' })
  const renew = `curl -s -m 60 --compressed -X POST -H 'content-type: text/x' -H 'x-own: chosen' -d '${body}' ${url}/v1/oauth/token`
  const both = await here.world.run(`${renew} & ${renew}; wait`)
  expect(both.stdout.match(/"refresh_token":"sk-ant-baton/g)).toHaveLength(2)
  expect(both.stdout).not.toMatch(/new-token|renews-/)
  expect(seen).toEqual([expect.stringMatching(/^POST \/v1\/oauth\/token .*renews-once/)])
  expect(sent).toEqual([
    expect.objectContaining({ 'content-type': 'application/json', 'user-agent': 'baton' }),
  ])
  expect(sent[0]).not.toHaveProperty('x-own')
  expect(readFileSync(path, 'utf8')).toMatch(/new-token.*renews-next/)
  // Nothing else passes there, and only the code of a server's error is passed on.
  const others = [
    `curl -s -m 20 -X POST -d x ${url}/v1/files`,
    `curl -s -m 20 '${url}/v1/oauth/token'`,
    `curl -s -m 20 -X POST -d x '${url}/v1/oauth/token?a'`,
  ]
  const refused = await here.world.run(others.join(';'))
  expect(refused.stdout.match(/Baton's sandbox blocks/g)).toHaveLength(3)
  expect(seen).toHaveLength(1)
  writeFileSync(path, JSON.stringify({ claudeAiOauth: { ...tokens, refreshToken: 'renews-no-more' } }))
  const failed = await here.world.run(renew)
  expect(failed.stdout).toBe('{"error":"invalid_grant"}')
  server.close()
  folder.remove()
})
