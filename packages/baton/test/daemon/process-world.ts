import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { Health } from '@batonpass/contract/api'
import { callDaemon } from '../../src/cli/daemon.ts'
import type { StateFolder } from '../../src/config/state-folder.ts'
import { DAEMON_FLAGS } from '../../src/hook/spawn.ts'
import type { HookWorld } from '../hook/world.ts'
import { until } from '../world/wait.ts'

export const DIST = join(import.meta.dirname, '../../dist')

export interface Started {
  child: ChildProcess
  said(): string
  ended: Promise<number | null>
}

/** Runs the built daemon program, as a hook or `baton up` would, and tells what it says. */
export function startProgram(
  { folder, env }: HookWorld,
  { program = join(DIST, 'daemon.js'), flags = [] as string[] } = {},
): Started {
  const child = spawn(process.execPath, [...DAEMON_FLAGS, ...flags, program, `--state-dir=${folder.dir}`], {
    env,
    cwd: '/',
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', chunk => {
      said += chunk
    })
  const ended = once(child, 'close').then(([code]) => code as number | null)
  return { child, said: () => said, ended }
}

/** Runs a command of the built Baton in this world. */
export async function baton(
  world: HookWorld,
  words: readonly string[],
  { cli = join(DIST, 'cli.js'), env = {} as Record<string, string>, cwd = world.home } = {},
) {
  return await world.call(process.execPath, [cli, ...words], {
    env: { BATON_HOME: world.folder.dir, ...env },
    cwd,
  })
}

export async function health(folder: StateFolder): Promise<Health> {
  return Health.parse(await callDaemon(folder, 'GET', '/api/health'))
}

/** A daemon that answers. */
export async function startedDaemon(
  world: HookWorld,
  options: Parameters<typeof startProgram>[1] = {},
): Promise<Started> {
  const started = startProgram(world, options)
  await until(() => health(world.folder), {
    what: 'the daemon to answer',
    evidence: () => started.said(),
    timeout: 120_000,
  })
  return started
}

export interface Answer {
  status: number
  text: string
}

/** A hook caller that keeps its connections: fast enough for thousands of calls. */
export function hookCaller({ socket }: StateFolder): {
  call(body: string, headers?: Record<string, string>): Promise<Answer>
  close(): void
} {
  const agent = new Agent({ keepAlive: true, maxSockets: 16 })
  return {
    call: (body, headers = {}) =>
      new Promise((resolve, reject) => {
        const sent = request(
          {
            agent,
            socketPath: socket,
            method: 'POST',
            path: '/hook/claude-code',
            headers: { 'baton-protocol': '1', 'baton-source': 'user', ...headers },
          },
          response => {
            const chunks: Buffer[] = []
            response.on('data', chunk => chunks.push(chunk))
            response.once('error', reject)
            response.once('end', () =>
              resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }),
            )
          },
        )
        sent.once('error', reject)
        sent.end(body)
      }),
    close: () => agent.destroy(),
  }
}
