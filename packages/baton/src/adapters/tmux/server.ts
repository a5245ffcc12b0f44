import { spawn } from 'node:child_process'
import { stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { type Answer, ControlClient } from './control-client.ts'
import { lineOf } from './quote.ts'

/** After this long without a call the connection is given up: it would count as a client for nothing. */
const IDLE_MS = 60_000
const CALL_MS = 5000
/** After a connection that could not be had, calls go one by one for this long. */
const AGAIN_MS = 10_000

export interface ServerParts {
  env: NodeJS.ProcessEnv
  /** Monotonic milliseconds. */
  elapsed(): number
}

/** One tmux server, by its socket. Calls go over one control-mode connection, which is made when it is needed. */
export class TmuxServer {
  readonly #socket: string
  readonly #env: NodeJS.ProcessEnv
  readonly #elapsed: () => number
  #control: Promise<ControlClient | undefined> | undefined
  #notBefore = 0
  #idle: NodeJS.Timeout | undefined

  constructor(socket: string, parts: ServerParts) {
    this.#socket = socket
    this.#env = cleaned(parts.env)
    this.#elapsed = parts.elapsed
  }

  /** Undefined when there is no such server, or it went before it answered. */
  async run(words: readonly string[]): Promise<Answer | undefined> {
    const control = await this.#connection()
    if (!control) return this.once([words])
    this.#stayFor(IDLE_MS)
    const answer = await control.run(words)
    // The session it was attached to may have been closed in this moment, which says nothing of the server.
    if (!answer && !control.open && harmless(words)) return this.once([words])
    return answer
  }

  /** Without the connection; with `start`, the server is started when there is none. */
  async once(
    lines: readonly (readonly string[])[],
    how: { start?: boolean; env?: NodeJS.ProcessEnv } = {},
  ): Promise<Answer | undefined> {
    if (!(await isOurs(this.#socket, how.start === true))) return undefined
    const start = how.start ? ['start-server', ';'] : []
    // By standard input: nobody reads a secret off the list of processes.
    return call(
      ['-u', '-S', this.#socket, ...start, 'source-file', '-'],
      `${lines.map(lineOf).join('\n')}\n`,
      how.env ? cleaned(how.env) : this.#env,
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
    // Several calls at once share the attempt.
    this.#control = this.#connect().then(control => {
      if (!control) this.#notBefore = this.#elapsed() + AGAIN_MS
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
 * The session to attach to: one of Baton's own, else one that somebody looks at, so that a plain `tmux attach` finds
 * what it would find without us. One that is to end when nobody looks at it is never held. A session of our own, hidden,
 * would show up in every list and keep the server alive.
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
 * A tmux server can make its clients run programs, and where a hook says its server listens, a repository's settings may
 * have said: only a socket of our own user, in a folder that is ours or the system's, is spoken to.
 */
export async function isOurs(socket: string, mayBeAbsent: boolean): Promise<boolean> {
  const user = process.getuid?.()
  const [file, folder] = await Promise.all(
    [stat(socket), stat(dirname(socket))].map(one => one.catch(() => undefined)),
  )
  if (!folder || (folder.uid !== user && folder.uid !== 0)) return false
  return file ? file.isSocket() && file.uid === user : mayBeAbsent
}

/** Asking twice changes nothing. */
const harmless = ([command = '']: readonly string[]): boolean =>
  /^(?:list-|capture-|display-|show-)/.test(command)

/** A client inside of a pane would be refused, and its pane is not ours. */
function cleaned({ TMUX, TMUX_PANE, ...env }: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return env
}

function call(args: readonly string[], input: string, env: NodeJS.ProcessEnv): Promise<Answer | undefined> {
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
