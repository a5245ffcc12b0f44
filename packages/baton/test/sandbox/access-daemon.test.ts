import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { batonIn } from '../world/baton.ts'
import { claudePayload } from '../world/hook-payload.ts'
import { asPerson } from '../world/person.ts'
import { npmRegistry } from '../world/registry.ts'
import { gitRepo, scratch } from '../world/scratch.ts'

/** A project, a running daemon with default settings, and a session whose commands run as Claude Code would run them. */
async function world() {
  const folder = scratch('bd-')
  const home = join(folder.path, 'home')
  const project = await gitRepo(join(home, 'project'))
  const baton = batonIn(home, project.path)
  const registry = await npmRegistry(folder.path, 'useful', { 'package.json': '{"name":"useful"}' })
  writeFileSync(join(home, '.npmrc'), `registry=${registry.url}\n`)
  await baton.must('up')
  let calls = 0
  const hook = async (event: string, command: string, more: object) => {
    const input = claudePayload(event, project.path, command, { tool_use_id: `t${calls}`, ...more })
    return JSON.parse((await baton.run(['hook', 'claude-code', event], { input })).stdout)
  }
  /** Runs a command in the sandbox; fails if Baton did not put it there. */
  const run = async (command: string) => {
    calls++
    const { hookSpecificOutput } = await hook('PreToolUse', command, {})
    const wrapped = hookSpecificOutput?.updatedInput?.command
    if (!wrapped)
      throw new Error(`${command} does not run in the sandbox: ${JSON.stringify(hookSpecificOutput)}`)
    const ran = await new Promise<{ code: number; text: string }>(done =>
      execFile(
        '/bin/bash',
        ['-c', wrapped],
        { cwd: project.path, env: { PATH: process.env.PATH, HOME: home } },
        (error, stdout, stderr) =>
          done({ code: typeof error?.code === 'number' ? error.code : 0, text: stdout + stderr }),
      ),
    )
    const told = await hook('PostToolUse', wrapped, { tool_response: {} })
    return { ...ran, told: String(told.hookSpecificOutput?.additionalContext ?? '') }
  }
  return {
    baton,
    run,
    registry,
    project,
    settings: () => readFileSync(join(home, '.baton.yaml'), 'utf8'),
    asks: () => baton.asks(),
    answer: (ask: string, choice: string) =>
      asPerson({ home, stateDir: baton.stateDir, cwd: project.path }, 'answer', ask, choice),
    async [Symbol.asyncDispose]() {
      await baton[Symbol.asyncDispose]()
      await registry[Symbol.asyncDispose]()
      await project[Symbol.asyncDispose]()
      folder.remove()
    },
  }
}

/** The status that a program inside gets for a request, by the proxy. The text does not name the host, as in a test suite. */
const GET = `cat > get.mjs <<'EOF'
import { request } from 'node:http'
const [url, method = 'GET'] = process.argv.slice(2)
const proxy = new URL(process.env.http_proxy)
request({ host: proxy.hostname, port: proxy.port, path: url, method, headers: { host: new URL(url).host } }, answer => {
  console.log(answer.statusCode, answer.statusMessage)
  answer.resume()
}).end()
EOF`

test('an unknown host is refused and asked about once; the answer lets the next try through; publishing stays refused', {
  timeout: 240_000,
}, async () => {
  await using here = await world()
  const { run, asks, answer, registry, baton } = here
  await run(GET)
  const first = await run('node get.mjs http://unknown.invalid/a')
  expect(first.text).toMatch(
    /^403 Baton's sandbox blocks http:\/\/unknown\.invalid\. The user is being asked once/,
  )
  expect(first.told).toContain('`baton request host http://unknown.invalid` waits for the answer')
  await run('node get.mjs http://unknown.invalid/b; node get.mjs http://unknown.invalid/c')
  const [ask, ...others] = await asks()
  expect(others).toEqual([])
  expect(ask).toMatchObject({ title: 'Let commands contact http://unknown.invalid?' })

  // Neither a command in the sandbox nor a turn's end answers or withdraws it.
  const own = await run(`echo 'baton "$@"' > own.sh && sh own.sh answer ${ask?.id} 3`)
  expect(own.code).toBe(1)
  expect(own.text).toContain('does not run from inside the sandbox')
  await baton.run(['hook', 'claude-code', 'Stop'], { input: claudePayload('Stop', here.project.path, '') })
  expect(await asks()).toHaveLength(1)

  const waiting = run('baton request host http://unknown.invalid')
  await answer(ask?.id ?? '', '4')
  expect(await waiting).toMatchObject({
    code: 0,
    text: 'The user allows http://unknown.invalid. Try again.\n',
  })
  // There is no such server: the proxy tried.
  expect((await run('node get.mjs http://unknown.invalid/d')).text).toMatch(/^502 /)
  expect(here.settings()).toContain(
    'sandbox:\n  projects:\n    - project: ~/project\n      hosts:\n        - http://unknown.invalid\n',
  )
  expect(await asks()).toEqual([])

  // The host is open for reads: what sends is a question of its own.
  const post = 'node get.mjs http://unknown.invalid/e POST'
  expect((await run(post)).text).toMatch(
    /^403 Baton's sandbox blocks POST to http:\/\/unknown\.invalid\. The user is being asked once; `baton request host http:\/\/unknown\.invalid --methods POST` waits/,
  )
  await run(`${post}; ${post}`)
  const [sends, ...more] = await asks()
  expect(more).toEqual([])
  expect(sends?.detail).toMatch(/^Commands could send http:\/\/unknown\.invalid POST requests\.\n/)
  await answer(sends?.id ?? '', '3')
  expect((await run(post)).text).toMatch(/^502 /)

  const registryUrl = registry.url.replace(/\/?$/, '/')
  expect((await run(`node get.mjs ${registryUrl}useful`)).text).toMatch(/^200 /)
  expect((await run(`node get.mjs ${registryUrl}useful PUT`)).text).toMatch(/^403 .*may only read/)
  // Questions whose yes would open nothing.
  const request = await run(`baton request host ${new URL(registryUrl).origin} --methods PUT`)
  expect(request).toMatchObject({ code: 1 })
  expect(request.text).toContain('is a package registry')
  expect((await run('node get.mjs http://169.254.169.254/latest')).text).toMatch(/^403 .*reserved/)
  expect(await asks()).toEqual([])
  expect(registry.requests.some(({ line }) => line.startsWith('PUT'))).toBe(false)
})

test('a port of this machine is closed until a person opens it, and Baton’s own stays closed', {
  timeout: 240_000,
}, async () => {
  await using here = await world()
  const { run, asks, answer, baton } = here
  const server = createServer(socket => socket.end('hello from the host\n'))
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  try {
    const { port } = server.address() as AddressInfo
    const knock = `node -e "require('node:net').connect(${port}, '127.0.0.1').on('error', e => console.log(e.code)).pipe(process.stdout)"`
    expect((await run(knock)).text).toBe('ECONNREFUSED\n')
    const endpoint = JSON.parse(readFileSync(join(baton.stateDir, 'endpoint.json'), 'utf8')) as {
      url: string
    }
    const own = await run(`baton request port ${new URL(endpoint.url).port}`)
    expect(own).toMatchObject({ code: 1 })
    expect(own.text).toContain("Baton's own")
    const waiting = run(`baton request port ${port}`)
    await expect.poll(async () => (await asks()).length, { timeout: 120_000 }).toBe(1)
    await answer((await asks())[0]?.id ?? '', '3')
    expect((await waiting).code).toBe(0)
    expect((await run(knock)).text).toBe('hello from the host\n')
  } finally {
    server.close()
  }
})

test('a server in the sandbox answers on the loopback of this machine: under its own number, or another if that is taken', {
  timeout: 240_000,
}, async () => {
  await using here = await world()
  const { run, baton } = here
  const servers = async () => {
    const { sessions } = JSON.parse(await baton.must('ps', '--json')) as {
      sessions: { servers?: { inside: number; port: number }[] }[]
    }
    return sessions.flatMap(row => row.servers ?? [])
  }
  const answer = (port: number) => fetch(`http://127.0.0.1:${port}/`).then(got => got.text())
  const serve = (port: number) =>
    `node -e "require('node:http').createServer((q, s) => s.end('inside ' + ${port} + ' ' + q.url)).listen(${port}, () => require('node:fs').writeFileSync('up-${port}', String(process.pid)))" >/dev/null 2>&1 & until [ -s up-${port} ]; do sleep 0.1; done`
  // A port that this machine uses itself, one that is free, and one at which people expect a database.
  const taken = createServer(socket => socket.end())
  await listenAmong(taken)
  const { port } = taken.address() as AddressInfo
  const free = await freePort()
  try {
    const first = await run(`${serve(free)}; ${serve(port)}; ${serve(5432)}`)
    expect(first.told).toContain(`port ${free} of the sandbox at http://127.0.0.1:${free}`)
    const found = await servers()
    const at = (inside: number) => found.find(each => each.inside === inside)?.port ?? 0
    expect(at(free)).toBe(free)
    expect(at(port)).not.toBe(port)
    expect(at(5432)).not.toBe(5432)
    expect(await answer(at(free))).toBe(`inside ${free} /`)
    expect(await answer(at(port))).toBe(`inside ${port} /`)
    expect(await answer(at(5432))).toBe('inside 5432 /')
    expect(found).toHaveLength(3)
    expect(await baton.must('ps', '--once')).toContain(
      `http://127.0.0.1:${at(port)} answers for port ${port} of its sandbox`,
    )
    await run(`read pid < up-${free}; kill $pid; while kill -0 $pid 2>/dev/null; do sleep 0.1; done`)
    await expect.poll(servers, { timeout: 120_000 }).toHaveLength(2)
    await expect(answer(free)).rejects.toThrow()
  } finally {
    taken.close()
  }
})

/** Listens on a free port among those that servers keep. */
async function listenAmong(server: ReturnType<typeof createServer>): Promise<void> {
  for (let port = 7600; port < 7680; port++) {
    const isFree = await new Promise<boolean>(done => {
      server.once('error', () => done(false))
      server.listen(port, '127.0.0.1', () => done(true))
    })
    server.removeAllListeners('error')
    if (isFree) return
  }
  throw new Error('no free port')
}

async function freePort(): Promise<number> {
  const server = createServer()
  await listenAmong(server)
  const { port } = server.address() as AddressInfo
  await new Promise(done => server.close(done))
  return port
}
