import { appendFileSync, renameSync, statSync } from 'node:fs'
import { findProfile } from '../../adapters/agents/profiles.ts'
import { systemClock } from '../../adapters/system/clock.ts'
import { stateDir } from '../../config/places.ts'
import { type StateFolder, stateFolder } from '../../config/state-folder.ts'
import { askDaemon, type ClientAnswer, SELF_TEST } from '../../hook/client.ts'
import { hookSeconds, hookSilence, SILENCE_SECONDS, WAIT_SECONDS } from '../../hook/deadline.ts'
import { programPaths } from '../../hook/program.ts'
import { claimStart } from '../../hook/start-mark.ts'
import type { AgentProfile } from '../../ports/agent.ts'
import { EXIT, flag, type Given, type Handler, text } from '../command.ts'
import type { Io } from '../io.ts'

/** Reads one hook's JSON on stdin and writes the agent's answer: always valid JSON, always exit 0. */
export const hook: Handler = async (given, io) => {
  const [name = '', named = ''] = given.positionals
  const profile = findProfile(name)
  const folder = stateFolder(text(given, 'state-dir') ?? stateDir(io.env, io.home))
  const call: Call = { given, io, folder, agent: profile?.name ?? name, event: named, body: Buffer.alloc(0) }
  const result = await answerTo(call, profile).catch((cause: unknown) => ({ failed: messageOf(cause) }))
  if ('answer' in result) {
    io.stdout.write(`${result.answer}\n`)
    return EXIT.ok
  }
  io.stdout.write(`${JSON.stringify(profile ? safeAnswer(profile, call) : {})}\n`)
  if (name !== SELF_TEST)
    logFailure(folder, `${call.agent} ${call.event}: ${result.failed}; answered what is safe`)
  if (!profile) io.stderr.write(`baton: ${result.failed}\n`)
  return EXIT.ok
}

interface Call {
  given: Given
  io: Io
  folder: StateFolder
  agent: string
  event: string
  body: Buffer
}

async function answerTo(call: Call, profile: AgentProfile | undefined): Promise<ClientAnswer> {
  const { io, given } = call
  const nobodyWaits = AbortSignal.any([io.signal, launcherGone(io.env.BATON_LAUNCHER)])
  if (!profile && call.agent !== SELF_TEST) return { failed: 'Baton has no adapter for this agent' }
  const seconds = () =>
    profile ? hookSeconds(profile, call.event, Number(io.env.BATON_HOOK_SECONDS) || WAIT_SECONDS) : 10
  call.body = await readAll(io.stdin, AbortSignal.any([nobodyWaits, AbortSignal.timeout(seconds() * 1000)]))
  call.event ||= eventIn(call.body)
  const signal = AbortSignal.any([nobodyWaits, AbortSignal.timeout(seconds() * 1000)])
  return flag(given, 'inline') && profile
    ? await inline(call, profile, signal)
    : await asked(call, signal, profile ? hookSilence(profile, call.event) : SILENCE_SECONDS)
}

async function asked(
  { given, io, folder, agent, event, body }: Call,
  signal: AbortSignal,
  silence: number,
): Promise<ClientAnswer> {
  const { node, daemon } = programPaths()
  const { env } = io
  return await askDaemon({
    agent,
    event,
    body,
    source: text(given, 'source') ?? 'manual',
    request: env.BATON_REQUEST ?? requestName(),
    retry: flag(given, 'retry'),
    socket: folder.socket,
    endpoint: env.BATON_ENDPOINT,
    token: env.BATON_TOKEN,
    silence,
    headers: {
      cwd: io.cwd,
      home: env.BATON_HOME || env.AGENTIZE_HOME,
      pane: env.TMUX_PANE && `${env.TMUX_PANE} ${(env.TMUX ?? '').split(',')[0]}`,
      pid: env.CLAUDE_PID || String(process.ppid),
      'path-map': env.BATON_PATH_MAP,
      marker: env.BATON_MARKER,
      attended: env.CLAUDE_CODE_SESSION_ATTENDED,
    },
    signal,
    claim: () => claimStart(folder.dir),
    // Loaded only where a daemon has to be started, like everything that a call does not need.
    start: async () => void (await import('../../hook/spawn.ts')).spawnDaemon(node, daemon, folder.dir, env),
  })
}

/** Without a daemon (a sandbox, a read-only home): the same engine in this process, one at a time. */
async function inline(
  { given, io, folder, event, body }: Call,
  { name }: AgentProfile,
  signal: AbortSignal,
): Promise<ClientAnswer> {
  const { takeInline } = await import('../../hook/inline.ts')
  const { env, home, cwd } = io
  const source = text(given, 'source') ?? 'manual'
  return { answer: await takeInline({ agent: name, event, body, source, cwd, env, home, folder, signal }) }
}

const LOOK_MS = 500

/** Aborts when the launcher that waits for us has been ended: a signal to it does not reach us. */
function launcherGone(pid: string | undefined): AbortSignal {
  const gone = new AbortController()
  if (!pid || !/^\d{1,10}$/.test(pid)) return gone.signal
  const look = setInterval(() => {
    try {
      process.kill(Number(pid), 0)
    } catch {
      clearInterval(look)
      gone.abort()
    }
  }, LOOK_MS)
  look.unref()
  return gone.signal
}

function readAll(stdin: Io['stdin'], signal: AbortSignal): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    stdin.on('data', (chunk: Buffer) => chunks.push(chunk))
    stdin.once('end', () => resolve(Buffer.concat(chunks)))
    stdin.once('error', reject)
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
}

/** Unique without loading a source of chance: a process makes one call. */
const requestName = (): string =>
  `${process.pid}-${systemClock.now()}-${process.hrtime.bigint() % 1_000_000_000n}`

function safeAnswer(profile: AgentProfile, { event, body }: Call): Record<string, unknown> {
  return profile.encode(profile.safe(event, modeIn(profile, body)), event)
}

const eventIn = (body: Buffer): string =>
  /"hook_event_name"\s*:\s*"([A-Za-z.]{1,64})"/.exec(body.toString('latin1'))?.[1] ?? ''

/** The strictest mode named anywhere: a payload cannot talk the client into a weaker answer. */
function modeIn({ modes }: AgentProfile, body: Buffer) {
  const named = [...body.toString('latin1').matchAll(/"permission_mode"\s*:\s*"([A-Za-z]{1,32})"/g)].map(
    m => modes[m[1] ?? ''],
  )
  return named.find(mode => mode === 'bypass') ?? named.find(mode => mode === 'never-ask') ?? named[0]
}

const ROTATE_AT_BYTES = 1_000_000

function logFailure({ hookLog }: StateFolder, message: string): void {
  const line = message.replace(/[\x00-\x1f\x7f]/g, '?')
  try {
    if ((statSync(hookLog, { throwIfNoEntry: false })?.size ?? 0) > ROTATE_AT_BYTES)
      renameSync(hookLog, `${hookLog}.1`)
    appendFileSync(hookLog, `${new Date(systemClock.now()).toISOString()} ${line}\n`, { mode: 0o600 })
  } catch {
    // No folder or no space: the answer has been given, and that is what counts.
  }
}

const messageOf = (cause: unknown): string => {
  if (!(cause instanceof Error)) return String(cause)
  return cause.name === 'TimeoutError'
    ? 'time is up'
    : cause.name === 'AbortError'
      ? 'ended by a signal'
      : cause.message
}
