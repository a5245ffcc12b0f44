import { appendFileSync } from 'node:fs'
import { adapterFor } from '../../adapters/agents/registry.ts'
import { systemChance } from '../../adapters/system/chance.ts'
import { systemClock } from '../../adapters/system/clock.ts'
import { stateDir } from '../../config/places.ts'
import { type StateFolder, stateFolder } from '../../config/state-folder.ts'
import { askDaemon } from '../../hook/client.ts'
import { hookSeconds } from '../../hook/launcher.ts'
import { programPaths } from '../../hook/program.ts'
import { SELF_TEST } from '../../hook/self-test.ts'
import { spawnDaemon } from '../../hook/spawn.ts'
import type { AgentAdapter } from '../../ports/agent.ts'
import { EXIT, flag, type Given, type Handler, text } from '../command.ts'
import type { Io } from '../io.ts'

/** Reads one hook's JSON on stdin and writes the agent's answer: always valid JSON, always exit 0. */
export const hook: Handler = async (given, io) => {
  if (given.positionals[0] === SELF_TEST) return await selfTest(given, io)
  const adapter = adapterFor(given.positionals[0] ?? '')
  const folder = stateFolder(stateDir(io.env, io.home))
  const body = await readAll(io.stdin)
  const event = given.positionals[1] || eventIn(body)
  const result = flag(given, 'inline')
    ? await inline(adapter, event, body, given, io, folder)
    : await asked(adapter, event, body, given, io, folder)
  if ('answer' in result) io.stdout.write(`${result.answer}\n`)
  else {
    io.stdout.write(`${JSON.stringify(adapter.encode(adapter.safe(event, modeIn(adapter, body)), event))}\n`)
    logFailure(folder, `${adapter.name} ${event}: ${result.failed}; answered what is safe`)
  }
  return EXIT.ok
}

/** What `baton init` and `baton doctor` try: the daemon's word comes back, or nothing. */
async function selfTest(given: Given, io: Io): Promise<number> {
  const folder = stateFolder(stateDir(io.env, io.home))
  const { node, daemon } = programPaths()
  const result = await askDaemon({
    agent: SELF_TEST,
    event: given.positionals[1] ?? '',
    body: Buffer.alloc(0),
    source: 'manual',
    request: SELF_TEST,
    retry: false,
    socket: folder.socket,
    headers: {},
    withinMs: 10_000,
    start: () => spawnDaemon(node, daemon, folder.dir, io.env),
  })
  io.stdout.write('answer' in result ? `${result.answer}\n` : '{}\n')
  return EXIT.ok
}

type Result = { answer: string } | { failed: string }

async function asked(
  adapter: AgentAdapter,
  event: string,
  body: Buffer,
  given: Given,
  io: Io,
  folder: StateFolder,
): Promise<Result> {
  const { node, daemon } = programPaths()
  const { env } = io
  const seconds = hookSeconds(adapter, event, Number(env.BATON_HOOK_SECONDS) || 7260)
  return await askDaemon({
    agent: adapter.name,
    event,
    body,
    source: text(given, 'source') ?? 'manual',
    request: env.BATON_REQUEST ?? `${process.pid}-${systemChance.id(16)}`,
    retry: flag(given, 'retry'),
    socket: folder.socket,
    endpoint: env.BATON_ENDPOINT,
    token: env.BATON_TOKEN,
    headers: {
      cwd: io.cwd,
      home: env.BATON_HOME || env.AGENTIZE_HOME,
      pane: env.TMUX_PANE && `${env.TMUX_PANE} ${(env.TMUX ?? '').split(',')[0]}`,
      pid: String(process.ppid),
      'path-map': env.BATON_PATH_MAP,
      marker: env.BATON_MARKER,
      attended: env.CLAUDE_CODE_SESSION_ATTENDED,
    },
    withinMs: seconds * 1000,
    start: () => spawnDaemon(node, daemon, folder.dir, env),
  })
}

/** Without a daemon (a sandbox, a read-only home): the same engine in this process, one at a time. */
async function inline(
  adapter: AgentAdapter,
  event: string,
  body: Buffer,
  given: Given,
  io: Io,
  folder: StateFolder,
): Promise<Result> {
  const { takeInline } = await import('../../hook/inline.ts')
  try {
    return {
      answer: await takeInline({
        adapter,
        event,
        body,
        source: text(given, 'source') ?? 'manual',
        cwd: io.cwd,
        env: io.env,
        home: io.home,
        stateDir: folder.dir,
        signal: io.signal,
      }),
    }
  } catch (cause) {
    return { failed: cause instanceof Error ? cause.message : String(cause) }
  }
}

async function readAll(stdin: Io['stdin']): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of stdin) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks)
}

const eventIn = (body: Buffer): string =>
  /"hook_event_name"\s*:\s*"([A-Za-z.]{1,64})"/.exec(body.toString('latin1'))?.[1] ?? ''

/** The strictest mode named anywhere: a payload cannot talk the client into a weaker answer. */
function modeIn(adapter: AgentAdapter, body: Buffer) {
  const named = [...body.toString('latin1').matchAll(/"permission_mode"\s*:\s*"([A-Za-z]{1,32})"/g)].map(
    m => adapter.modes[m[1] ?? ''],
  )
  return named.find(mode => mode === 'bypass') ?? named.find(mode => mode === 'never-ask') ?? named[0]
}

function logFailure(folder: StateFolder, message: string): void {
  try {
    appendFileSync(folder.hookLog, `${new Date(systemClock.now()).toISOString()} ${message}\n`, {
      mode: 0o600,
    })
  } catch {
    // No folder or no space: the answer has been given, and that is what counts.
  }
}
