import { spawn } from 'node:child_process'
import { BatonError } from '@batonpass/contract/errors'
import type { GitLogin } from '../../ports/git-work.ts'

interface Call {
  cwd: string
  input?: string
  env?: Readonly<Record<string, string>>
  timeoutMs?: number
  /** Whether the repository's own hooks run, as when a person calls git. */
  hooks?: boolean
  /** Given to git without showing in its arguments. */
  login?: GitLogin | undefined
  /** The program's own code tells, instead of an error. */
  lenient?: boolean
}

export interface GitSaid {
  code: number
  out: string
  err: string
}

const TIMEOUT_MS = 60_000
const MAX_OUTPUT = 16 * 1024 * 1024
/** Submodules are repositories of their own, with settings of their own: nothing is fetched, pushed or run in them. */
const ALONE = [
  'submodule.recurse=false',
  'fetch.recurseSubmodules=false',
  'push.recurseSubmodules=no',
].flatMap(setting => ['-c', setting])

/** The person's own git, network included: no terminal, no prompts, argument lists only. */
export function networkGit(args: readonly string[], call: Call): Promise<GitSaid> {
  const quiet = [...ALONE, ...(call.hooks ? [] : ['-c', 'core.hooksPath=/dev/null'])]
  const said = new Promise<GitSaid>((resolve, reject) => {
    const child = spawn('git', ['--no-pager', '-c', 'core.quotePath=false', ...quiet, ...args], {
      cwd: call.cwd,
      env: { ...environment(), ...loginOf(call.login), ...call.env },
      // A group without a terminal: whatever would ask for a password fails instead.
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
      reject(new BatonError('missing_tool', 'git cannot be started', { remedy: 'Install git.', cause }))
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

/** What git's words mean for a person. */
export function failed(args: readonly string[], said: string): BatonError {
  const reason = reasonIn(said)
  const known = MEANINGS.find(([pattern]) => pattern.test(said))
  return new BatonError('git_failed', `git ${args[0] ?? ''} failed: ${known ? known[1] : reason}`, {
    ...(known ? { remedy: known[2], cause: new Error(reason) } : {}),
  })
}

const STRANGER = 'the remote does not know who you are'

const MEANINGS: [RegExp, string, string][] = [
  [
    /could not read (Username|Password)|Authentication failed|Permission denied \(publickey|HTTP (Basic|401)|error: 401/i,
    STRANGER,
    'Check the login of git (gh auth setup-git, or your ssh key).',
  ],
  [
    /error: 403|denied to|Permission to .* denied|not allowed to push|protected branch|GH006|insufficient permission|hook declined/i,
    'you have no right to push there',
    'Ask for write access to the repository, or claim in a fork of your own.',
  ],
  [
    /Could not resolve host|Connection (refused|reset|timed out)|Failed to connect|Network is unreachable|unable to access|Operation timed out|Could not connect|early EOF|remote end hung up/i,
    'the remote cannot be reached',
    'Baton tries again by itself; check the network if it lasts.',
  ],
  [
    /does not appear to be a git repository|Repository not found|repository '.*' not found|No such remote/i,
    'there is no such repository at the remote address',
    'Check it: git remote -v',
  ],
]

/** The last line that says something, without addresses that may hold a password. */
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

/** Whether the remote wanted a login that git could not give. */
export const isStranger = (error: unknown): boolean =>
  error instanceof BatonError && error.message.endsWith(STRANGER)

/** Whether a push was refused because the remote ref is not where it was expected. */
export const isMoved = ({ out, err }: GitSaid): boolean =>
  /\[(?:remote )?rejected\]|stale info|non-fast-forward|fetch first|cannot lock ref|already exists/i.test(
    `${out}${err}`,
  ) && !/hook declined|protected|denied/i.test(`${out}${err}`)

/** A variable such as GIT_DIR would speak for another repository; how git reaches its remotes is the person's to say. */
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
