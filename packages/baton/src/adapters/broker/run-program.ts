import { type ChildProcess, execFile, spawn } from 'node:child_process'
import type { BrokerCall } from '../../ports/broker.ts'

/** Variables with which the user's programs find their settings and logins. */
const KEPT =
  /^(PATH|HOME|USER|LOGNAME|SHELL|LANG|LC_\w+|TZ|XDG_\w+|SSH_AUTH_SOCK|SSH_AGENT_PID|SSH_ASKPASS|GPG_\w+|DBUS_SESSION_BUS_ADDRESS|\w+_(proxy|PROXY)|SSL_CERT_\w+|GH_\w+|GITHUB_\w*TOKEN|GIT_(CONFIG_(GLOBAL|SYSTEM|NOSYSTEM)|SSH|SSH_COMMAND|SSL_\w+)|BATON_HOME|AGENTIZE_HOME)$/

const userEnvironment = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(env).filter(([name]) => KEPT.test(name)))

/** For gh: no prompt, no pager, no browser. */
export const ghEnvironment = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv => ({
  ...userEnvironment(env),
  GH_PROMPT_DISABLED: '1',
  GH_NO_UPDATE_NOTIFIER: '1',
  GH_PAGER: 'cat',
  GH_BROWSER: 'false',
  GH_EDITOR: 'false',
  NO_COLOR: '1',
})

export const gitEnvironment = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv => ({
  ...userEnvironment(env),
  GIT_TERMINAL_PROMPT: '0',
  GIT_NO_LAZY_FETCH: '1',
  GIT_NO_REPLACE_OBJECTS: '1',
  GIT_ALLOW_PROTOCOL: 'file:git:http:https:ssh',
  GCM_INTERACTIVE: 'never',
  LC_ALL: 'C',
})

const MOST_OUTPUT = 64 * 1024 * 1024
const LONGEST_MS = 30 * 60_000

/** What a program prints; undefined if it fails. */
export function textOf(
  file: string,
  args: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv,
): Promise<string | undefined> {
  return new Promise(done => {
    execFile(
      file,
      args,
      { cwd, env, timeout: 60_000, maxBuffer: MOST_OUTPUT, killSignal: 'SIGKILL' },
      (error, out) => done(error ? undefined : out),
    )
  })
}

/** Runs a program to its end and passes its output on. Ends it, with all it started, when the caller is gone. */
export const follow = (
  file: string,
  args: readonly string[],
  { cwd, env, input }: { cwd: string; env: NodeJS.ProcessEnv; input: string },
  streams: Pick<BrokerCall, 'out' | 'err' | 'signal'>,
): Promise<number> =>
  followChild(spawn(file, args, { cwd, env, detached: true, stdio: 'pipe' }), file, input, streams)

/** The same for a program that was started in a process group of its own. */
export function followChild(
  child: ChildProcess,
  file: string,
  input: string,
  { out, err, signal }: Pick<BrokerCall, 'out' | 'err' | 'signal'>,
): Promise<number> {
  return new Promise(done => {
    const kill = () => killGroup(child)
    const timer = setTimeout(kill, LONGEST_MS)
    signal.addEventListener('abort', kill, { once: true })
    let size = 0
    const pass = (to: (chunk: Buffer) => void) => (chunk: Buffer) => {
      size += chunk.length
      if (size > MOST_OUTPUT) kill()
      else to(chunk)
    }
    child.stdout?.on('data', pass(out))
    child.stderr?.on('data', pass(err))
    child.stdin?.on('error', () => undefined)
    child.stdin?.end(input)
    const end = (code: number) => {
      clearTimeout(timer)
      signal.removeEventListener('abort', kill)
      done(code)
    }
    child.once('error', cause => {
      err(`${file} cannot be started: ${cause.message}\n`)
      end(127)
    })
    child.once('close', code => end(code ?? 1))
  })
}

function killGroup({ pid }: ChildProcess): void {
  try {
    if (pid) process.kill(-pid, 'SIGKILL')
  } catch {
    // Already gone.
  }
}
