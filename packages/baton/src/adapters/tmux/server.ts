import { spawn } from 'node:child_process'
import { stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { type Answer, ControlClient } from './control-client.ts'
import { lineOf } from './quote.ts'

/** Close the connection after this long without a call, because it counts as a client of the server. */
const IDLE_MS = 60_000
const CALL_MS = 5000
/** After a failed connection, run each call in its own process for this long. */
const RECONNECT_MS = 10_000

export interface ServerParts {
  env: NodeJS.ProcessEnv
  /** Monotonic milliseconds. */
  elapsed(): number
}

/** One tmux server, by its socket. Calls share one control-mode connection, opened on demand. */
export class TmuxServer {
  readonly #socket: string
  readonly #env: NodeJS.ProcessEnv
  readonly #elapsed: () => number
  #control: Promise<ControlClient | undefined> | undefined
  #notBefore = 0
  #idle: NodeJS.Timeout | undefined

  constructor(socket: string, parts: ServerParts) {
    this.#socket = socket
    this.#env = withoutTmux(parts.env)
    this.#elapsed = parts.elapsed
  }

  /** Runs a command. Undefined if there is no such server, or if it ended before it answered. */
  async run(args: readonly string[]): Promise<Answer | undefined> {
    const control = await this.#connection()
    if (!control) return this.once([args])
    this.#stayFor(IDLE_MS)
    const answer = await control.run(args)
    // The session it was attached to may have just been closed while the server still runs.
    if (!answer && !control.open && isReadOnly(args)) return this.once([args])
    return answer
  }

  /** Runs commands in a separate process. With `start`, starts the server if there is none. */
  async once(
    lines: readonly (readonly string[])[],
    how: { start?: boolean; env?: NodeJS.ProcessEnv } = {},
  ): Promise<Answer | undefined> {
    if (!(await isOurs(this.#socket, how.start === true))) return undefined
    const start = how.start ? ['start-server', ';'] : []
    // Through standard input, so that no secret appears in the process list.
    return runTmux(
      ['-u', '-S', this.#socket, ...start, 'source-file', '-'],
      `${lines.map(lineOf).join('\n')}\n`,
      how.env ? withoutTmux(how.env) : this.#env,
    )
  }

  close(): void {
    clearTimeout(this.#idle)
    void this.#control?.then(control => control?.close())
    this.#control = undefined
  }

  async #connection(): Promise<ControlClient | undefined> {
    const known = await this.#control
    if (known?.open) return known
    if (this.#elapsed() < this.#notBefore) return undefined
    // Concurrent calls share the attempt.
    this.#control = this.#connect().then(control => {
      if (!control) this.#notBefore = this.#elapsed() + RECONNECT_MS
      return control
    })
    return this.#control
  }

  async #connect(): Promise<ControlClient | undefined> {
    const format = '#{session_id} #{destroy-unattached} #{session_attached} #{?@baton-session,1,0}'
    const listed = await this.once([['list-sessions', '-F', format]])
    const session = listed?.ok ? bestSession(listed.lines) : undefined
    if (!session) return undefined
    const control = new ControlClient(this.#socket, session, this.#env)
    control.unref()
    return (await control.run(['display-message', '-p', 'here']))?.ok ? control : undefined
  }

  #stayFor(ms: number): void {
    clearTimeout(this.#idle)
    this.#idle = setTimeout(() => this.close(), ms)
    this.#idle.unref()
  }
}

/**
 * The session to attach to: one that Baton started, else one that a person is attached to, so that a plain `tmux attach`
 * chooses the same session as without us. Never a session with `destroy-unattached`, which we would keep alive. A hidden
 * session of our own would appear in every list and keep the server alive.
 */
export function bestSession(lines: readonly string[]): string | undefined {
  const sessions = lines.flatMap(line => {
    const [, id, holds, attached, own] = /^(\$\d+) (\S*) (\d+) ([01])$/.exec(line) ?? []
    return id && (holds === '0' || holds === 'off')
      ? [{ id, attached: Number(attached), own: own === '1' }]
      : []
  })
  const best = sessions.find(({ own }) => own) ?? sessions.find(({ attached }) => attached > 0) ?? sessions[0]
  return best?.id
}

/**
 * Whether it is safe to connect to this socket. A tmux server can make its clients run programs, and a repository's
 * settings may have chosen the socket that a hook names. So the socket must belong to our user, in a folder of ours or root's.
 */
export async function isOurs(socket: string, mayBeAbsent: boolean): Promise<boolean> {
  const user = process.getuid?.()
  const [file, folder] = await Promise.all(
    [stat(socket), stat(dirname(socket))].map(each => each.catch(() => undefined)),
  )
  if (!folder || (folder.uid !== user && folder.uid !== 0)) return false
  return file ? file.isSocket() && file.uid === user : mayBeAbsent
}

/** Commands that can be repeated without effect. */
const isReadOnly = ([command = '']: readonly string[]): boolean =>
  /^(?:list-|capture-|display-|show-)/.test(command)

/** Without TMUX, because tmux refuses a client that runs inside a pane, and that pane is not ours. */
function withoutTmux({ TMUX, TMUX_PANE, ...env }: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return env
}

function runTmux(
  args: readonly string[],
  input: string,
  env: NodeJS.ProcessEnv,
): Promise<Answer | undefined> {
  return new Promise(resolve => {
    const child = spawn('tmux', args, {
      stdio: 'pipe',
      timeout: CALL_MS,
      killSignal: 'SIGKILL',
      env,
      cwd: '/',
    })
    let out = ''
    let err = ''
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      out += chunk
    })
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      err = (err + chunk).slice(-2000)
    })
    child.stdin.on('error', () => {})
    child.once('error', () => resolve(undefined))
    child.once('close', code => {
      if (code === 0) resolve({ ok: true, lines: out.replace(/\n$/, '').split('\n') })
      else
        resolve(
          /no server running|error connecting|lost server/.test(err)
            ? undefined
            : { ok: false, why: err.trim() },
        )
    })
    child.stdin.end(input)
  })
}
