import { spawn } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { profiles } from '../../src/adapters/agents/profiles.ts'
import type { Transport } from '../../src/hook/launcher.ts'
import { DAEMON_MEMORY } from '../../src/hook/spawn.ts'
import { lateDaemon, WITH_LATE_DAEMON } from '../hook/late-daemon.ts'
import {
  type Called,
  type HookWorld,
  hookWorld,
  isSafe,
  replyWith,
  standIn,
  toolCall,
} from '../hook/world.ts'
import { until } from '../world/wait.ts'

const PRE = ['claude-code', 'PreToolUse', '--source', 'user']
/** Until the safe answer of a client whose daemon hangs: curl needs a few seconds, and the machine may be busy. */
const SOON_MS = 15_000
const anyone = { uid: 65534 }

/** What every hook client must do, whatever it is written in. */
export function hookClientContract(transport: Transport): void {
  describe(`the ${transport} hook client`, () => {
    describe('with a daemon', () => {
      let world: HookWorld
      let launcher: string
      beforeAll(async () => {
        world = hookWorld()
        launcher = world.launcher(transport)
        expectAnswer(await world.call(launcher, PRE, { input: toolCall('first') }))
      })
      afterAll(async () => await world[Symbol.asyncDispose]())

      const eventOf = async (id: string) => {
        const found = (await world.entries({ kind: 'event' })).filter(entry => entry.toolUseId === id)
        expect(found).toHaveLength(1)
        const [entry] = found
        return entry?.body.kind === 'event' ? { ...entry, event: entry.body.event } : undefined
      }

      test("brings the daemon's answer, and the event into the journal with its source", async () => {
        expectAnswer(await world.call(launcher, PRE, { input: toolCall('normal') }))
        expect((await eventOf('normal'))?.body).toMatchObject({ source: 'user' })
      })

      test('reads the name of the event from the payload when the settings do not give it', async () => {
        expectAnswer(await world.call(launcher, ['claude-code'], { input: toolCall('unnamed') }))
        expectAnswer(
          await world.call(launcher, ['claude-code', '--source', 'project'], {
            input: toolCall('unnamed-2'),
          }),
        )
        expect((await eventOf('unnamed-2'))?.body).toMatchObject({ source: 'project' })
      })

      test('carries 10 MB, whatever bytes they are', async () => {
        const text = 'ä€😀"\\n'.repeat(1_000_000)
        const input = toolCall('large', { tool_input: { command: 'ls', description: text } })
        expect(Buffer.byteLength(input)).toBeGreaterThan(10_000_000)
        expectAnswer(await world.call(launcher, PRE, { input }))
        await eventOf('large')
      })

      test('is not troubled by invalid UTF-8 inside a string', async () => {
        const [before = '', after = ''] = toolCall('odd-bytes', {
          tool_input: { command: 'ls #HERE' },
        }).split('HERE')
        const input = Buffer.concat([
          Buffer.from(before),
          Buffer.from([0xff, 0xc3, 0x28, 0x80]),
          Buffer.from(after),
        ])
        expectAnswer(await world.call(launcher, PRE, { input }))
        await eventOf('odd-bytes')
      })

      test.each([
        ['nothing', ''],
        ['no JSON', 'hello'],
        ['cut-off JSON', toolCall('cut').slice(0, -5)],
        ['the JSON of something else', '[1, 2]'],
        ['binary bytes', Buffer.from(Array.from({ length: 4096 }, (_, i) => i % 256))],
      ])('answers what is safe to %s', async (_, input) => {
        const called = await world.call(launcher, PRE, { input })
        expectOneLine(called)
        expect(isSafe(called.stdout)).toBe(true)
      })

      test('names folders with blanks, quotes, line breaks and other letters', async () => {
        const cwd = join(world.home, 'a "b" \'c\'\n$(touch x) ${HOME} ünï')
        mkdirSync(cwd)
        const { cwd: _, ...rest } = JSON.parse(toolCall('odd-folder', { session_id: 'odd-folder' }))
        expectAnswer(await world.call(launcher, PRE, { input: JSON.stringify(rest), cwd }))
        expect((await eventOf('odd-folder'))?.project).toBe(cwd.replace('\n', '?'))
        expect(existsSync(join(world.home, 'x'))).toBe(false)
      })

      test('works from a folder that was removed', async () => {
        const cwd = join(world.home, 'gone')
        mkdirSync(cwd)
        const through = ['sh', '-c', 'rmdir "$PWD" && exec "$@"', 'sh']
        expectAnswer(await world.call(launcher, PRE, { input: toolCall('no-folder'), cwd, through }))
      })

      test("does not let the person's curl settings or proxies in between", async () => {
        world.scratch.write('home/.curlrc', 'output = /dev/null\nproxy = http://127.0.0.1:9\n')
        const env = { http_proxy: 'http://127.0.0.1:9', ALL_PROXY: 'http://127.0.0.1:9' }
        expectAnswer(await world.call(launcher, PRE, { input: toolCall('proxy'), env }))
        rmSync(join(world.home, '.curlrc'))
      })

      test('works without HOME and from any other home', async () => {
        for (const HOME of [undefined, '/nonexistent'])
          expectAnswer(
            await world.call(launcher, PRE, { input: toolCall(`home-${HOME?.length}`), env: { HOME } }),
          )
        await eventOf('home-12')
        await oneDaemon(world)
      })

      test('reaches the daemon by BATON_ENDPOINT and translates the paths of a container', async () => {
        const elsewhere = { BATON_HOME: join(world.home, 'elsewhere') }
        const { url } = await endpoint(world)
        const token = readFileSync(world.folder.token, 'utf8').trim()
        const ways = [
          { BATON_ENDPOINT: `unix:${world.folder.socket}` },
          { BATON_ENDPOINT: url, BATON_TOKEN: token },
        ]
        for (const [i, way] of ways.entries()) {
          const env = { ...elsewhere, ...way, BATON_PATH_MAP: '/workspace=/srv/code' }
          const input = toolCall(`endpoint-${i}`, { session_id: `container-${i}`, cwd: '/workspace/app' })
          expectAnswer(await world.call(launcher, PRE, { input, env }))
          expect((await eventOf(`endpoint-${i}`))?.event.cwd).toBe('/srv/code/app')
        }
      })

      test('answers what is safe when BATON_ENDPOINT leads nowhere or does not know the token', async () => {
        const { url } = await endpoint(world)
        const wrong = [
          { BATON_ENDPOINT: url, BATON_TOKEN: 'f'.repeat(64) },
          { BATON_ENDPOINT: url },
          { BATON_ENDPOINT: 'http://127.0.0.1:1' },
          { BATON_ENDPOINT: `unix:${world.home}/none.sock` },
          { BATON_ENDPOINT: 'ftp://x' },
        ]
        for (const env of wrong) {
          const called = await world.call(launcher, PRE, { input: toolCall('wrong-endpoint'), env })
          expectOneLine(called)
          expect(isSafe(called.stdout), JSON.stringify(env)).toBe(true)
        }
      })

      test('runs the engine by itself with BATON_INLINE', async () => {
        const state = join(world.home, 'inline')
        const env = { BATON_INLINE: '1', BATON_HOME: state }
        expectAnswer(await world.call(launcher, PRE, { input: toolCall('inline'), env }))
        expect(existsSync(join(state, 'baton.db'))).toBe(true)
        expect(existsSync(join(state, 'daemon.sock'))).toBe(false)
      })

      test('speaks for a newer protocol in vain, and says so', async () => {
        const newer = join(world.scratch.path, `newer-${transport}`)
        const program = readFileSync(launcher, 'latin1')
          .replace("PROTOCOL = '1'", "PROTOCOL = '9'")
          .replace('Protocol: 1', 'Protocol: 9')
        writeFileSync(newer, program, { encoding: 'latin1', mode: 0o755 })
        // The Node client always is of one version with Baton itself.
        if (transport === 'node') return
        const before = world.failures().length
        const called = await world.call(newer, PRE, { input: toolCall('newer') })
        expectOneLine(called)
        expect(isSafe(called.stdout)).toBe(true)
        expect(world.failures().slice(before)).toEqual([expect.stringContaining('refused (426)')])
      })
    })

    describe('without a daemon', () => {
      test('starts one that has nothing of its caller: no variables, no pipes, no process group', async () => {
        await using world = hookWorld()
        const env = {
          CLAUDECODE: '1',
          SECRET_OF_AGENT: 'x',
          NODE_OPTIONS: '',
          ANTHROPIC_API_KEY: 'kept-by-list',
        }
        // `close` waits for fd 3 to 9, too: had the daemon kept one, this call would never end.
        let group = 0
        const called = await world.call(world.launcher(transport), PRE, {
          input: toolCall('cold'),
          env,
          pipes: 7,
          onStart: pid => {
            group = pid
          },
        })
        expectAnswer(called)
        const [pid = 0] = await oneDaemon(world)
        if (process.platform === 'linux') {
          const given = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').filter(Boolean)
          const settings = Object.entries(DAEMON_MEMORY).map(pair => pair.join('='))
          expect(given).toEqual(expect.arrayContaining(settings))
          const others = given.filter(pair => !settings.includes(pair))
          expect(others.map(pair => pair.split('=')[0]).sort()).toEqual(['ANTHROPIC_API_KEY', 'HOME', 'PATH'])
        }
        expect(groupOf(pid)).not.toBe(groupOf(process.pid))
        expect(groupOf(pid)).not.toBe(group)
      })

      test('starts one daemon for forty calls at once and loses none', { timeout: 240_000 }, async () => {
        await using world = hookWorld()
        const launcher = world.launcher(transport)
        const ids = Array.from({ length: 40 }, (_, i) => `call-${i}`)
        const all = await Promise.all(
          ids.map((id, i) =>
            world.call(launcher, PRE, { input: toolCall(id, { session_id: `session-${i % 7}` }) }),
          ),
        )
        for (const called of all) expectAnswer(called)
        await oneDaemon(world)
        const events = await world.entries({ kind: 'event' })
        expect(events.map(entry => entry.toolUseId).sort()).toEqual(ids.sort())
        expect((await world.entries({ kind: 'daemon' })).map(({ body }) => body)).toMatchObject([
          { what: 'started' },
        ])
        expect(world.failures()).toEqual([])
      })

      test('finds its way into a folder whose path is longer than a socket may have', async () => {
        await using world = hookWorld({ state: `${'long-name/'.repeat(20)}state with "blanks"` })
        expect(world.folder.socket.length).toBeGreaterThan(200)
        expectAnswer(await world.call(world.launcher(transport), PRE, { input: toolCall('long') }))
        expectAnswer(await world.call(world.launcher(transport), PRE, { input: toolCall('long-2') }))
        await oneDaemon(world)
      })

      test('makes the state folder where there is none yet', async () => {
        await using world = hookWorld({ state: 'not/here/yet', made: false })
        expectAnswer(await world.call(world.launcher(transport), PRE, { input: toolCall('new-folder') }))
        expect(statSync(world.folder.dir).mode & 0o777).toBe(0o700)
      })

      test('asks the Node on PATH when the recorded one is gone', async () => {
        await using world = hookWorld()
        const launcher = world.launcher(transport, { node: '/nonexistent/node' })
        expectAnswer(await world.call(launcher, PRE, { input: toolCall('other-node') }))
      })

      test('gives the safe answer quickly without Node', async () => {
        await using world = hookWorld()
        const programs = join(world.home, 'bin')
        mkdirSync(programs)
        for (const name of ['cat', 'curl', 'date', 'sed', 'head', 'tr']) linkTo(name, programs)
        const launcher = world.launcher(transport, { node: '/nonexistent/node' })
        const called = await world.call(launcher, PRE, {
          input: toolCall('no-node'),
          env: { PATH: programs },
        })
        expectSafe(called, world)
      })

      test('answers what is safe, soon, when Baton itself was removed', async () => {
        await using world = hookWorld()
        const launcher = world.launcher(transport, {
          cli: '/nonexistent/cli.js',
          daemon: '/nonexistent/daemon.js',
        })
        expectSafe(await world.call(launcher, PRE, { input: toolCall('removed') }), world)
      })

      test('stands aside once Baton has been gone for two minutes, and says once how to clean up', async () => {
        await using world = hookWorld()
        const gone = { cli: '/nonexistent/cli.js', daemon: '/nonexistent/daemon.js' }
        const launcher = world.launcher(transport, gone)
        const mark = join(world.folder.dir, 'package-removed')
        const ask = (event = 'PreToolUse') =>
          world.call(launcher, ['claude-code', event], { input: toolCall('removed') })
        const isAsked = async () => isSafe((await ask()).stdout)
        // An update replaces the files in seconds.
        expect([await isAsked(), await isAsked()]).toEqual([true, true])
        const old = Date.now() / 1000 - 300
        utimesSync(mark, old, old)
        const told = await ask()
        expectOneLine(told)
        expect(JSON.parse(told.stdout)).toEqual({
          systemMessage: expect.stringContaining('npx batonpass uninstall'),
        })
        for (const event of ['PreToolUse', 'PermissionRequest', 'Stop', 'PostToolUse'])
          expect(await ask(event)).toMatchObject({ code: 0, stdout: '{}\n' })
        // Where one of the two is still there, or a daemon may be, nothing was removed.
        const half = world.launcher(transport, { ...gone, cli: join(world.home, '.baton.yaml') })
        const answer = await world.call(half, PRE, { input: toolCall('half') })
        expect(isSafe(answer.stdout)).toBe(true)
        await using _ = await standIn(world.folder, connection => connection.end('no daemon\n'))
        expect(await isAsked()).toBe(true)
      })

      test('works again when Baton was installed again', async () => {
        await using world = hookWorld()
        for (const name of ['package-removed', 'package-removed.told'])
          writeFileSync(join(world.folder.dir, name), '')
        expectAnswer(await world.call(world.launcher(transport), PRE, { input: toolCall('again') }))
        await until(() => !existsSync(join(world.folder.dir, 'package-removed')), {
          what: 'the daemon to forget the removal',
        })
      })

      test('says why the daemon does not start, and waits for nothing', async () => {
        await using world = hookWorld()
        mkdirSync(world.folder.socket)
        const launcher = world.launcher(transport)
        expectSafe(await world.call(launcher, PRE, { input: toolCall('no-start') }), world)
        expect(world.failures()[0]).toContain('exists and is not a socket')
      })

      test('answers what is safe when the disk is full', async () => {
        await using world = hookWorld()
        // No file may grow beyond 16 KB: every write of the journal fails.
        const through = ['bash', '-c', 'trap "" XFSZ; ulimit -f 16; exec "$@"', 'bash']
        const called = await world.call(world.launcher(transport), PRE, { input: toolCall('full'), through })
        expectSafe(called, world)
      })

      test('answers what is safe in a folder that it cannot write, and keeps nothing inline', async () => {
        await using world = hookWorld()
        await using bin = readableCopy(world)
        chmodSync(world.scratch.path, 0o755)
        if (process.getuid?.() === 0) chownSync(world.folder.dir, anyone.uid, anyone.uid)
        chmodSync(world.folder.dir, 0o500)
        const launcher = world.launcher(transport, bin.places)
        const who = process.getuid?.() === 0 ? anyone : {}
        const input = toolCall('read-only')
        const called = await world.call(launcher, PRE, { input, ...who })
        expectOneLine(called)
        expect(isSafe(called.stdout)).toBe(true)
        expect(called.ms).toBeLessThan(SOON_MS)
        const env = { BATON_INLINE: '1' }
        expectAnswer(await world.call(launcher, PRE, { input, env, ...who }))
        chmodSync(world.folder.dir, 0o700)
      })

      test('gives each event its own safe answer', { timeout: 240_000 }, async () => {
        await using world = hookWorld()
        await using _ = await standIn(world.folder, connection => connection.end('no daemon\n'))
        const launcher = world.launcher(transport)
        const points = profiles.flatMap(profile => profile.hooks.map(({ event }) => ({ profile, event })))
        const modes = ['default', 'bypassPermissions', 'dontAsk', 'acceptEdits']
        const wanted = points.flatMap(({ profile, event }) =>
          (event === 'PreToolUse' ? modes : ['default']).map(native => ({ profile, event, native })),
        )
        const answers = await inTurns(6, wanted, ({ profile, event, native }) =>
          world.call(launcher, [profile.name, event], {
            input: JSON.stringify({ session_id: 's', permission_mode: native, hook_event_name: event }),
          }),
        )
        for (const [i, { profile, event, native }] of wanted.entries()) {
          const called = answers[i]
          if (!called) throw new Error('no answer')
          expectOneLine(called)
          const safe = profile.encode(profile.safe(event, profile.modes[native]), event)
          expect(JSON.parse(called.stdout), `${profile.name} ${event} ${native}`).toEqual(safe)
        }
        expect(world.failures()).toHaveLength(wanted.length)
      })

      test('gives nothing to an agent it does not know', async () => {
        await using world = hookWorld()
        const called = await world.call(world.launcher(transport), ['nobody', 'PreToolUse'], { input: '{}' })
        expectOneLine(called)
        expect(called.stdout).toBe('{}\n')
        expect(world.failures()).toHaveLength(1)
      })
    })

    // Compiling blocks this process, so the times of C clients that run side by side would contain each other's compilers.
    const describeFailures = transport === 'c' ? describe.sequential : describe.concurrent
    describeFailures('with a daemon that fails', () => {
      const large = toolCall('large', { tool_input: { command: 'x'.repeat(4_000_000) } })

      test('does not wait for one that accepts and never answers', async () => {
        await using world = hookWorld()
        await using _ = await standIn(world.folder, connection => connection.resume())
        expectSafe(await world.call(world.launcher(transport), PRE, { input: toolCall('hung') }), world)
        expect(world.daemons()).toEqual([])
      })

      test('does not wait for one that never reads', async () => {
        await using world = hookWorld()
        await using _ = await standIn(world.folder, () => {})
        expectSafe(await world.call(world.launcher(transport), PRE, { input: large }), world)
      })

      test('does not wait in a queue that no process serves', async () => {
        await using world = hookWorld()
        const full = spawn('perl', ['-e', FULL_QUEUE, world.folder.dir], {
          stdio: ['pipe', 'pipe', 'inherit'],
        })
        await new Promise(resolve => full.stdout.once('data', resolve))
        expectSafe(await world.call(world.launcher(transport), PRE, { input: toolCall('queue') }), world)
        full.kill('SIGKILL')
      })

      test('stops waiting when the signs of life cease', async () => {
        await using world = hookWorld()
        const begun = 'HTTP/1.1 200 OK\r\nbaton-protocol: 1\r\nconnection: close\r\n\r\n    '
        await using _ = await standIn(world.folder, replyWith(begun, { close: false }))
        expectSafe(
          await world.call(world.launcher(transport), PRE, { input: toolCall('silent') }),
          world,
          11_000,
        )
      })

      const ok = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n'
      test('waits at a stop for a daemon that is silent for longer than other calls wait', async () => {
        await using world = hookWorld()
        const answer = '{"decision":"block","reason":"Continue."}\n'
        const reply = replyWith(`${ok}baton-protocol: 1\r\n\r\n${answer}`)
        await using _ = await standIn(world.folder, connection => setTimeout(reply, 8000, connection))
        const input = JSON.stringify({ session_id: 's1', cwd: world.home, hook_event_name: 'Stop' })
        const call = world.call(world.launcher(transport), ['claude-code', 'Stop', '--source', 'user'], {
          input,
        })
        expect((await call).stdout).toBe(answer)
        expect(world.failures()).toEqual([])
      })

      test.each([
        ['no HTTP', 'SSH-2.0-OpenSSH_9.2\r\n'],
        ['an HTML page', `${ok}\r\n<html>{}</html>\n`],
        ['JSON without our header', `${ok}\r\n{"hookSpecificOutput":{"permissionDecision":"allow"}}\n`],
        ['two lines', `${ok}baton-protocol: 1\r\n\r\n{"a":1}\n{"b":2}\n`],
        ['text before the JSON', `${ok}baton-protocol: 1\r\n\r\nhello {"b":2}\n`],
        [
          'an error',
          'HTTP/1.1 500 Oops\r\nbaton-protocol: 1\r\nContent-Length: 3\r\nConnection: close\r\n\r\n{}\n',
        ],
        [
          'a redirect',
          'HTTP/1.1 302 Found\r\nLocation: http://example.com/\r\nConnection: close\r\n\r\n{}\n',
        ],
        ['JSON that is cut off', `${ok}baton-protocol: 1\r\n\r\n   {"a":{"b":1}`],
        ['less than it promised', `${ok}baton-protocol: 1\r\nContent-Length: 99\r\n\r\n{"a":1}`],
        ['nothing', ''],
      ])('answers what is safe when it gets %s', async (_, reply) => {
        await using world = hookWorld()
        await using _standIn = await standIn(world.folder, replyWith(reply))
        expectSafe(await world.call(world.launcher(transport), PRE, { input: toolCall('garbage') }), world)
      })

      test('asks again when the daemon is killed while it holds the call', WITH_LATE_DAEMON, async () => {
        await using world = hookWorld()
        await using daemon = await lateDaemon(world)
        const call = world.call(world.launcher(transport), PRE, { input: toolCall('held') })
        await until(() => daemon.held() === 1, { what: 'the daemon to hold the call' })
        daemon.kill('SIGKILL')
        expectAnswer(await call)
        const held = (await world.entries({ kind: 'event' })).filter(entry => entry.toolUseId === 'held')
        expect(held).toHaveLength(1)
        expect(world.failures()).toEqual([])
      })

      test('waits for a late answer as long as there are signs of life', WITH_LATE_DAEMON, async () => {
        await using world = hookWorld()
        // Longer than any client waits for a first byte, and than curl bears a slow connection.
        await using daemon = await lateDaemon(world, { answerAfterMs: 4500 })
        const called = await world.call(world.launcher(transport), PRE, { input: toolCall('late') })
        expectAnswer(called)
        expect(called.stdout).toContain('said late')
        expect(called.ms).toBeGreaterThan(4500)
        expect(daemon.held()).toBe(1)
      })

      test('lets go of the call when it is ended by SIGTERM', WITH_LATE_DAEMON, async () => {
        await using world = hookWorld()
        await using daemon = await lateDaemon(world, { answerAfterMs: 600_000 })
        let pid = 0
        const call = world.call(world.launcher(transport), PRE, {
          input: toolCall('ended'),
          onStart: started => {
            pid = started
          },
        })
        await until(() => daemon.held() === 1, { what: 'the daemon to hold the call' })
        process.kill(pid, 'SIGTERM')
        const { stdout, code } = await call
        // A shell that waits for curl can only die; the others still answer.
        if (code === 0) expect(isSafe(stdout)).toBe(true)
        else expect(stdout).toBe('')
        await until(() => daemon.letGo() === 1, { what: 'the daemon to know that nobody waits' })
      })
    })
  })
}

/** Listens with the shortest queue there is, fills it and never looks at it. */
const FULL_QUEUE = `
  chdir shift; my $name = pack('S a108', 1, 'daemon.sock');
  socket(my $s, 1, 1, 0); bind($s, $name); listen($s, 0); my @held;
  for (1 .. 4) { socket(my $c, 1, 1, 0); fcntl($c, 4, 2048); connect($c, $name); push @held, $c }
  syswrite STDOUT, 'full'; sleep 60`

/** Whatever happens: exit code 0 and one line of JSON. */
function expectOneLine({ code, stdout, stderr }: Called): void {
  expect({ code, lines: stdout.split('\n').length, end: stdout.at(-1) }, stderr).toEqual({
    code: 0,
    lines: 2,
    end: '\n',
  })
  expect(JSON.parse(stdout)).toBeTypeOf('object')
}

function expectAnswer(called: Called): void {
  expectOneLine(called)
  expect(isSafe(called.stdout), called.stdout).toBe(false)
}

/** The safe answer, soon, and one line about it in the log. */
function expectSafe(called: Called, world: HookWorld, withinMs = SOON_MS): void {
  expectOneLine(called)
  expect(isSafe(called.stdout), called.stdout).toBe(true)
  expect(called.ms).toBeLessThan(withinMs)
  expect(world.failures()).toEqual([
    expect.stringMatching(/^\d{4}-.*Z claude-code PreToolUse: .*answered what is safe$/),
  ])
}

/** On a slow machine another may have been started, too; it sees the first one and goes. */
async function oneDaemon(world: HookWorld): Promise<number[]> {
  return await until(() => world.daemons().length === 1 && world.daemons(), {
    what: 'one daemon',
    timeout: 120_000,
  })
}

async function endpoint(world: HookWorld): Promise<{ url: string }> {
  return JSON.parse(readFileSync(world.folder.endpoint, 'utf8'))
}

function groupOf(pid: number): string | undefined {
  return /\)\s\S+\s\d+\s(\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1]
}

function linkTo(program: string, folder: string): void {
  const found = (process.env.PATH ?? '')
    .split(':')
    .map(place => join(place, program))
    .find(existsSync)
  if (found) symlinkSync(found, join(folder, program))
}

/** Baton where another user may read it, too. */
function readableCopy(
  world: HookWorld,
): AsyncDisposable & { places: { node: string; cli: string; daemon: string } } {
  const root = join(world.scratch.path, 'baton')
  const built = join(import.meta.dirname, '../../dist')
  cpSync(built, join(root, 'dist'), { recursive: true })
  const modules = dirname(dirname(dirname(new URL(import.meta.resolve('better-sqlite3')).pathname)))
  symlinkSync(modules, join(root, 'node_modules'))
  return {
    places: { node: process.execPath, cli: join(root, 'dist/cli.js'), daemon: join(root, 'dist/daemon.js') },
    async [Symbol.asyncDispose]() {},
  }
}

/** Runs over the items, at most so many at a time, and gives the results in their order. */
async function inTurns<T, R>(
  atOnce: number,
  items: readonly T[],
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = []
  let next = 0
  const worker = async () => {
    for (let i = next++; i < items.length; i = next++) {
      const item = items[i]
      if (item !== undefined) results[i] = await work(item)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
  return results
}
