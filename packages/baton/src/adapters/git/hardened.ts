import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { duration } from '@batonpass/contract/duration'
import { BatonError } from '@batonpass/contract/errors'

export interface GitResult {
  code: number
  stdout: Buffer
  stderr: string
}

export interface GitOptions {
  cwd: string
  env?: Readonly<Record<string, string>>
  input?: Buffer | string
  /** Exit codes that count as success. Default: 0. */
  ok?: readonly number[]
  timeoutMs?: number
  /** Write branch moves to the reflog, as the user's own git does. */
  reflog?: boolean
}

/**
 * Runs git in a repository that may be hostile: its configuration, attributes and hooks name programs that must not run.
 * Use it only for commands that need no filter (clean, smudge), no diff driver and no network.
 */
export async function hardenedGit(args: readonly string[], options: GitOptions): Promise<GitResult> {
  const child = spawnGit(args, options)
  const out: Buffer[] = []
  let size = 0
  let tooMuch = false
  child.stdout.on('data', (chunk: Buffer) => {
    size += chunk.length
    if (size > MAX_OUTPUT) {
      tooMuch = true
      child.kill('SIGKILL')
    } else out.push(chunk)
  })
  const stderr = collect(child)
  const ended = endOf(child, options.timeoutMs ?? TIMEOUT_MS, args)
  child.stdin.on('error', () => {})
  child.stdin.end(options.input ?? '')
  const code = await ended
  const result = { code, stdout: Buffer.concat(out), stderr: stderr() }
  if (tooMuch) throw failed(args, 'it says more than fits')
  if (!(options.ok ?? [0]).includes(code)) throw failed(args, result.stderr)
  return result
}

/** Starts git, for callers that stream. */
export function spawnGit(args: readonly string[], options: GitOptions): ChildProcessWithoutNullStreams {
  const overrides = OVERRIDES.flatMap(setting => ['-c', setting])
  if (!options.reflog) overrides.push('-c', 'core.logAllRefUpdates=false')
  return spawn('git', ['--no-pager', ...overrides, ...args], {
    cwd: options.cwd,
    env: { ...inherited(), ...FIXED, ...options.env },
    stdio: 'pipe',
  })
}

/** Waits for the exit code, and kills a program that takes too long. */
export function endOf(
  child: ChildProcessWithoutNullStreams,
  timeoutMs: number,
  args: readonly string[],
): Promise<number> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      child.kill('SIGKILL')
      reject(new BatonError('timed_out', `git ${args[0] ?? ''} took longer than ${duration(timeoutMs)}`))
    }, timeoutMs)
    child.once('error', cause => {
      clearTimeout(timer)
      const missing = 'code' in cause && cause.code === 'ENOENT'
      reject(
        missing
          ? new BatonError('missing_tool', 'Cannot start git', { remedy: 'Install git.', cause })
          : cause,
      )
    })
    child.once('close', code => {
      clearTimeout(timer)
      resolve(code ?? -1)
    })
  })
}

export function collect(child: ChildProcessWithoutNullStreams): () => string {
  let text = ''
  child.stderr.on('data', (chunk: Buffer) => {
    if (text.length < 4000) text += chunk.toString('utf8')
  })
  return () => text.trim()
}

const failed = (args: readonly string[], why: string): BatonError =>
  new BatonError(
    'undo_unavailable',
    `git ${args[0] ?? ''} failed: ${why.split('\n').at(-1) || 'no reason given'}`,
  )

const TIMEOUT_MS = 20_000
const MAX_OUTPUT = 128 * 1024 * 1024

/** Settings with which a repository's own configuration could run a program or redirect git. */
const OVERRIDES = [
  'core.fsmonitor=false',
  'core.untrackedCache=false',
  'core.hooksPath=/dev/null',
  'core.attributesFile=/dev/null',
  'core.pager=cat',
  'core.editor=false',
  'core.sshCommand=false',
  'core.gitProxy=',
  'core.alternateRefsCommand=false',
  'core.splitIndex=false',
  'core.quotePath=false',
  'diff.external=',
  'gpg.program=false',
  'credential.helper=',
  'protocol.allow=never',
  'submodule.recurse=false',
  'gc.auto=0',
  'maintenance.auto=false',
  'log.showSignature=false',
]

const FIXED = {
  GIT_OPTIONAL_LOCKS: '0',
  GIT_TERMINAL_PROMPT: '0',
  // A partial clone would fetch missing objects through a program that its configuration names.
  GIT_NO_LAZY_FETCH: '1',
  GIT_ALLOW_PROTOCOL: 'none',
  GIT_NO_REPLACE_OBJECTS: '1',
  LC_ALL: 'C',
}

/** Drops variables such as GIT_DIR, which would point to another repository, but keeps the location of the user's settings. */
function inherited(): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !name.startsWith('GIT_') || /^GIT_CONFIG_(GLOBAL|SYSTEM|NOSYSTEM)$/.test(name),
    ),
  )
}
