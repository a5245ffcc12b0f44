import { execFile, execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { PROTOCOL } from '@batonpass/contract/protocol'
import { stateFolder } from '../../packages/baton/src/config/state-folder.ts'
import { programPaths } from '../../packages/baton/src/hook/program.ts'
import { benchDaemon } from '../hook-cost/daemon.ts'

/** What happens between two commands of the agent. */
export const CASES = ['nothing', 'an edit', 'git add', 'a commit'] as const
type Case = (typeof CASES)[number]

export interface Waits {
  /** How long each command waited for its snapshot, as the daemon recorded it. */
  readonly snapshot: number[]
  /** How long each hook call took, from its request to its answer. */
  readonly hook: number[]
}

/** A daemon with an agent's session in a worktree. Only the agent is played: its hook calls are real ones. */
export async function playSession(work: string) {
  const daemon = await benchDaemon()
  const { socket } = stateFolder(daemon.home)
  const { node, cli } = programPaths()
  let n = 0
  let session = ''
  const hook = (event: string, more: object) =>
    post(socket, event, {
      session_id: session,
      transcript_path: join(daemon.home, `${session}.jsonl`),
      cwd: work,
      permission_mode: 'default',
      hook_event_name: event,
      ...more,
    })
  const startSession = async () => {
    session = `undo-${++n}`
    await hook('SessionStart', { source: 'startup' })
  }
  /** One command: the time of its first hook is what the agent waits for. */
  const command = async (happens: Case): Promise<number> => {
    const call = {
      tool_name: 'Bash',
      tool_input: { command: `touch touched-${++n}`, description: 'Bench' },
      tool_use_id: `toolu_${n}`,
    }
    const began = performance.now()
    await hook('PreToolUse', call)
    const took = performance.now() - began
    change(work, happens, n)
    await hook('PostToolUse', { ...call, tool_response: { stdout: '', stderr: '' } })
    return took
  }
  /** Of the last commands. */
  const recorded = async (count: number): Promise<number[]> => {
    const args = [cli, 'logs', '--kind', 'decision', '--json', '--lines', String(count)]
    const { stdout } = await promisify(execFile)(node, args, { env: daemon.env, maxBuffer: 1e9 })
    return [...stdout.matchAll(/"snapshotMs":\s*([\d.]+)/g)].map(([, ms]) => Number(ms))
  }
  const measure = async (times: number, round: () => Promise<number>): Promise<Waits> => {
    const hooks: number[] = []
    for (let i = 0; i < times; i++) hooks.push(await round())
    const snapshot = await recorded(times)
    if (snapshot.length !== times) throw new Error(`${snapshot.length} of ${times} commands had a snapshot`)
    return { snapshot, hook: hooks }
  }
  return {
    /** Commands of one session, each after something happened and the agent thought for a while. */
    async commands(happens: Case, thinkMs: number, times: number): Promise<Waits> {
      await command(happens)
      return measure(times, async () => {
        await pause(thinkMs)
        return command(happens)
      })
    },
    /** The first command of each of many sessions. */
    firstCommands: (thinkMs: number, times: number) =>
      measure(times, async () => {
        await startSession()
        await pause(thinkMs)
        return command('an edit')
      }),
    startSession,
    memoryMb: async () => (await daemon.health()).memoryMb,
    remove: () => daemon.remove(),
  }
}

function change(work: string, happens: Case, n: number): void {
  if (happens === 'nothing') return
  writeFileSync(join(work, 'packages/p1/src/m1/file-1.ts'), `export const n = ${n}\n`)
  const git = ['-c', 'user.name=B', '-c', 'user.email=b@example.com']
  if (happens === 'git add') execFileSync('git', ['add', '-A'], { cwd: work })
  if (happens === 'a commit') execFileSync('git', [...git, 'commit', '-qam', 'One'], { cwd: work })
}

function post(socketPath: string, event: string, body: object): Promise<string> {
  const headers = { 'baton-protocol': PROTOCOL, 'baton-event': event, 'baton-source': 'user' }
  return new Promise((resolve, reject) => {
    const call = request({ socketPath, path: '/hook/claude-code', method: 'POST', headers }, response => {
      let text = ''
      response.on('data', chunk => {
        text += chunk
      })
      response.on('end', () => (response.statusCode === 200 ? resolve(text) : reject(new Error(text))))
    })
    call.on('error', reject)
    call.end(JSON.stringify(body))
  })
}
