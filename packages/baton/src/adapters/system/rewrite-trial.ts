import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { delimiter, dirname, join } from 'node:path'
import type { RewriteTrial } from '../../ports/agent.ts'

const TRIAL_MS = 30_000
const MAX_BODY_BYTES = 4_000_000
const [ITSELF, REPLACEMENT] = ['ran-itself', 'ran-replacement']
const ANSWER_VARIABLE = 'BATON_TRIAL_ANSWER'
const PREFIX = 'trial-'

/**
 * Starts an agent's program in an empty folder below `parent`, where a scripted model wants a command and a hook replaces it, and sees which
 * of the two ran: `proven` if only the replacement did. Undefined if neither ran.
 */
export async function runRewriteTrial(
  program: string,
  trial: RewriteTrial,
  parent: string,
  { withinMs = TRIAL_MS, signal }: { withinMs?: number; signal?: AbortSignal | undefined } = {},
): Promise<'proven' | 'dropped' | undefined> {
  // Of a trial that was killed.
  for (const name of readdirSync(parent))
    if (name.startsWith(PREFIX)) rmSync(join(parent, name), { recursive: true, force: true })
  const home = mkdtempSync(join(parent, PREFIX))
  const project = join(home, 'project')
  const server = serveModel(trial)
  try {
    mkdirSync(project)
    for (const [name, text] of Object.entries(
      trial.files({ replacement: `touch ${REPLACEMENT}`, answerVariable: ANSWER_VARIABLE }),
    )) {
      mkdirSync(dirname(join(home, name)), { recursive: true })
      writeFileSync(join(home, name), text)
    }
    const url = await listen(server)
    const env = {
      // Nothing of the caller's environment: its PATH may begin with a project's own programs.
      // This Node first: the system's may be too old for the agent.
      PATH: [dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin'].join(delimiter),
      HOME: home,
      TMPDIR: home,
      LANG: 'C.UTF-8',
      SHELL: '/bin/sh',
      [ANSWER_VARIABLE]: join(home, 'answer'),
      ...trial.env({ home, url }),
    }
    await runProgram(program, trial.args, { cwd: project, env, withinMs, signal })
    if (existsSync(join(project, ITSELF))) return 'dropped'
    return existsSync(join(project, REPLACEMENT)) ? 'proven' : undefined
  } finally {
    server.closeAllConnections()
    server.close()
    rmSync(home, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** Resolves when the program has ended, with all that it started: also if this process is told to end. */
function runProgram(
  program: string,
  args: readonly string[],
  order: {
    cwd: string
    env: Record<string, string>
    withinMs: number
    signal: AbortSignal | undefined
  },
): Promise<void> {
  const { cwd, env, withinMs, signal } = order
  return new Promise(resolve => {
    // A group of its own, so that what it starts ends with it.
    const child = spawn(program, args, { cwd, env, detached: true, stdio: 'ignore' })
    const kill = () => {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
      } catch {
        // All of it has ended.
      }
    }
    const end = () => {
      clearTimeout(timer)
      process.off('exit', kill)
      signal?.removeEventListener('abort', end)
      kill()
      resolve()
    }
    const timer = setTimeout(end, withinMs)
    process.once('exit', kill)
    signal?.addEventListener('abort', end)
    child.once('error', end)
    child.once('exit', end)
    if (signal?.aborted) end()
  })
}

function serveModel(trial: RewriteTrial): Server {
  return createServer((request, response) => {
    const chunks: Buffer[] = []
    let size = 0
    request.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > MAX_BODY_BYTES) request.destroy()
      else chunks.push(chunk)
    })
    request.on('end', () => {
      const path = (request.url ?? '').split('?', 1)[0] ?? ''
      const body = parseBody(Buffer.concat(chunks).toString())
      const { type, text } = trial.reply({ path, body, command: `touch ${ITSELF}` })
      response.writeHead(200, { 'content-type': type }).end(text)
    })
  })
}

function parseBody(text: string): object {
  try {
    const body: unknown = JSON.parse(text)
    return typeof body === 'object' && body !== null ? body : {}
  } catch {
    return {}
  }
}

const listen = (server: Server): Promise<string> =>
  new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`))
  })
