import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, type RequestOptions, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Health, SessionList } from '@batonpass/contract/api'
import { PROTOCOL } from '@batonpass/contract/protocol'
import { adapters } from '../../packages/baton/src/adapters/agents/registry.ts'
import { stateFolder } from '../../packages/baton/src/config/state-folder.ts'
import { WAIT_SECONDS } from '../../packages/baton/src/hook/deadline.ts'
import { makeLauncher, TRANSPORTS, type Transport } from '../../packages/baton/src/hook/launcher.ts'
import { programPaths } from '../../packages/baton/src/hook/program.ts'

const run = promisify(execFile)

/** A separate daemon in its own folder, with every launcher and some hook payloads. */
export async function benchDaemon() {
  const home = mkdtempSync(join(tmpdir(), 'baton-bench-'))
  const folder = stateFolder(home)
  const programs = programPaths()
  const env = { HOME: home, BATON_HOME: home, PATH: process.env.PATH ?? '', LC_ALL: 'C' }
  writeFileSync(join(home, '.baton.yaml'), 'daemon:\n  port: 0\n')
  for (const transport of TRANSPORTS) {
    const places = { home, ...programs, agents: adapters, waitSeconds: WAIT_SECONDS }
    const program = makeLauncher(transport, places)
    if (!program) throw new Error(`Cannot build the hook client ${transport} on this machine`)
    writeFileSync(launcher(transport), program, { mode: 0o755 })
  }
  for (let i = 0; i < 64; i++) {
    writeFileSync(join(home, `before-${i}.json`), payload('PreToolUse', `bench-${i}`))
    writeFileSync(join(home, `after-${i}.json`), payload('PostToolUse', `bench-${i}`))
  }
  await baton('up')
  await health()
  const warm = new Agent({ keepAlive: true, maxSockets: 1 })

  function launcher(transport: Transport): string {
    return join(home, `hook-${transport}`)
  }

  async function baton(...words: string[]): Promise<void> {
    await run(programs.node, [programs.cli, ...words], { env })
  }

  async function health(): Promise<Health> {
    return Health.parse(await get('/api/health'))
  }

  async function get(path: string): Promise<unknown> {
    return JSON.parse(await call({ socketPath: folder.socket, path }, ''))
  }

  return {
    home,
    env,
    launcher,
    health,
    /** Plain curl with an empty request. */
    plainCurl: ['curl', '-q', '-s', '--unix-socket', folder.socket, '-d', '{}', 'http://baton/hook/selftest'],
    payload: (kind: 'before' | 'after') => join(home, `${kind}-%d.json`),
    /** One call over a connection that stays open: the cost of the daemon itself. */
    ask: (event: 'PreToolUse' | 'PostToolUse') =>
      call(
        {
          socketPath: folder.socket,
          path: '/hook/claude-code',
          method: 'POST',
          agent: warm,
          headers: { 'baton-protocol': PROTOCOL, 'baton-event': event, 'baton-source': 'user' },
        },
        payload(event, 'bench-0'),
      ),
    /** The number of events in the journal over all sessions. */
    async events() {
      const { sessions } = SessionList.parse(await get('/api/sessions?limit=1000'))
      return sessions.reduce((sum, { events }) => sum + events, 0)
    },
    async down() {
      await baton('down').catch(() => {})
      while (existsSync(folder.socket)) await new Promise(resolve => setTimeout(resolve, 10))
    },
    up: () => baton('up'),
    async remove() {
      warm.destroy()
      await baton('down').catch(() => {})
      rmSync(home, { recursive: true, force: true })
    },
  }
}

export function payload(event: 'PreToolUse' | 'PostToolUse', session: string): string {
  const common = {
    session_id: session,
    transcript_path: `/tmp/transcripts/${session}.jsonl`,
    cwd: '/tmp',
    permission_mode: 'default',
    hook_event_name: event,
    tool_name: 'Bash',
    tool_input: { command: 'git status --short && ls -la src', description: 'Look around' },
    tool_use_id: 'toolu_01BenchBenchBenchBenchBench',
  }
  return JSON.stringify(
    event === 'PreToolUse' ? common : { ...common, tool_response: { stdout: 'x'.repeat(800), stderr: '' } },
  )
}

function call(options: RequestOptions, body: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const req = request(options, response => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', chunk => {
        text += chunk
      })
      response.on('end', () => (response.statusCode === 200 ? resolve(text) : reject(new Error(text))))
    })
    req.on('error', reject)
    req.end(body)
  })
}
