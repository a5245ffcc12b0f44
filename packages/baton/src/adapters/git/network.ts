import { spawn } from 'node:child_process'
import { BatonError } from '@batonpass/contract/errors'
import type { GitLogin } from '../../ports/git-work.ts'

interface Call {
  cwd: string
  input?: string
  env?: Readonly<Record<string, string>>
  timeoutMs?: number
  /** Run the repository's own hooks, as if the user called git. */
  hooks?: boolean
  /** Passed to git without appearing in its arguments. */
  login?: GitLogin | undefined
  /** Return a failing exit code instead of throwing. */
  lenient?: boolean
}

export interface GitSaid {
  code: number
  out: string
  err: string
}

const TIMEOUT_MS = 60_000
const MAX_OUTPUT = 16 * 1024 * 1024
/** Submodules are separate repositories with their own settings: never fetch, push or run anything in them. */
const ALONE = [
  'submodule.recurse=false',
  'fetch.recurseSubmodules=false',
  'push.recurseSubmodules=no',
].flatMap(setting => ['-c', setting])

/** Runs the user's own git, network included, without terminal and prompts, with argument lists only. */
export function networkGit(args: readonly string[], call: Call): Promise<GitSaid> {
  const quiet = [...ALONE, ...(call.hooks ? [] : ['-c', 'core.hooksPath=/dev/null'])]
  const said = new Promise<GitSaid>((resolve, reject) => {
    const child = spawn('git', ['--no-pager', '-c', 'core.quotePath=false', ...quiet, ...args], {
      cwd: call.cwd,
      env: { ...environment(), ...loginOf(call.login), ...call.env },
      // A process group without a terminal: a program that would ask for a password fails instead.
      detached: true,
      stdio: 'pipe',
    })
    let out = ''
    let err = ''
    let late = false
    const end = () => {
      try {
        if (child.pid) process.kill(-child.pid, 'SIGKILL')
      } catch {
        // Already gone.
      }
    }
    const timer = setTimeout(() => {
      late = true
      end()
    }, call.timeoutMs ?? TIMEOUT_MS)
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      out += chunk
      if (out.length > MAX_OUTPUT) end()
    })
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      err = (err + chunk).slice(-8000)
    })
    child.stdin.on('error', () => {})
    child.stdin.end(call.input ?? '')
    child.once('error', cause => {
      clearTimeout(timer)
      reject(new BatonError('missing_tool', 'Cannot start git', { remedy: 'Install git.', cause }))
    })
    child.once('close', code => {
      clearTimeout(timer)
      if (late) reject(failed(args, 'it took too long'))
      else resolve({ code: code ?? -1, out, err })
    })
  })
  return call.lenient
    ? said
    : said.then(result => {
        if (result.code === 0) return result
        throw failed(args, `${result.out}\n${result.err}`)
      })
}

/** Turns git's output into an error that says what to do. */
export function failed(args: readonly string[], said: string): BatonError {
  const reason = reasonIn(said)
  const known = MEANINGS.find(([pattern]) => pattern.test(said))
  return new BatonError('git_failed', `git ${args[0] ?? ''} failed: ${known ? known[1] : reason}`, {
    ...(known ? { remedy: known[2], cause: new Error(reason) } : {}),
  })
}

const NOT_LOGGED_IN = 'the remote does not accept your login'

const MEANINGS: [RegExp, string, string][] = [
  [
    /could not read (Username|Password)|Authentication failed|Permission denied \(publickey|HTTP (Basic|401)|error: 401/i,
    NOT_LOGGED_IN,
    'Check git’s login: run `gh auth setup-git`, or check your ssh key.',
  ],
  [
    /error: 403|denied to|Permission to .* denied|not allowed to push|protected branch|GH006|insufficient permission|hook declined/i,
    'you have no right to push there',
    'Ask for write access to the repository, or claim in your own fork.',
  ],
  [
    /Could not resolve host|Connection (refused|reset|timed out)|Failed to connect|Network is unreachable|unable to access|Operation timed out|Could not connect|early EOF|remote end hung up/i,
    'the remote cannot be reached',
    'Baton tries again by itself. If the problem lasts, check the network.',
  ],
  [
    /does not appear to be a git repository|Repository not found|repository '.*' not found|No such remote/i,
    'there is no such repository at the remote address',
    'Check the address with `git remote -v`.',
  ],
]

/** The last line with content, without the passwords that addresses may contain. */
function reasonIn(said: string): string {
  const lines = said
    .split('\n')
    .map(line => line.trim())
    .filter(line => /^(fatal|error|remote|!|\S)/.test(line) && !/^(To |Done|hint:)/.test(line))
  const line = lines.find(each => /^(fatal|error|!)/.test(each)) ?? lines.at(-1) ?? 'no reason given'
  return line
    .replaceAll(/\/\/[^@\s/]+@/g, '//')
    .replaceAll(/[\x00-\x1f\x7f]/g, ' ')
    .slice(0, 300)
}

/** Whether the remote wanted a login that git did not have. */
export const isStranger = (error: unknown): boolean =>
  error instanceof BatonError && error.message.endsWith(NOT_LOGGED_IN)

/** Whether the remote rejected a push because its ref has moved. */
export const isMoved = ({ out, err }: GitSaid): boolean =>
  /\[(?:remote )?rejected\]|stale info|non-fast-forward|fetch first|cannot lock ref|already exists/i.test(
    `${out}${err}`,
  ) && !/hook declined|protected|denied/i.test(`${out}${err}`)

/** Drops variables such as GIT_DIR, which would point to another repository, but keeps how the user's git reaches remotes. */
function environment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) =>
      !name.startsWith('GIT_') || /^GIT_(CONFIG_(GLOBAL|SYSTEM|NOSYSTEM)|SSH|SSH_COMMAND|SSL_.*)$/.test(name),
  )
  return { ...Object.fromEntries(kept), GIT_TERMINAL_PROMPT: '0', GCM_INTERACTIVE: 'never', LC_ALL: 'C' }
}

function loginOf(login: GitLogin | undefined): Record<string, string> {
  if (!login || !/^https?:\/\//.test(login.url)) return {}
  const { origin } = new URL(login.url)
  const basic = Buffer.from(`x-access-token:${login.token}`).toString('base64')
  return {
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: `http.${origin}/.extraheader`,
    GIT_CONFIG_VALUE_0: `Authorization: Basic ${basic}`,
  }
}
