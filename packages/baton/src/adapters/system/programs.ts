import { type ChildProcess, spawn } from 'node:child_process'
import { Readable } from 'node:stream'
import { BatonError } from '@batonpass/contract/errors'
import { MAX_PROGRAM_OUTPUT, type ProgramEnd, type Programs } from '../../ports/programs.ts'

/** Time between SIGTERM and SIGKILL, in which agents can end the process groups that they started. */
const GRACE_MS = 2000
/** After the program exits, wait only this long for its pipes: another process may have inherited one and keep it open. */
const DRAIN_MS = 250
const MAX_STDERR = 8192

/** Runs each program in its own process group. The whole group is killed when the program ends, times out or is aborted. */
export const systemPrograms: Programs = {
  async run({ program, args, cwd, env, input, moreInput, withinMs }, signal) {
    if (signal.aborted) return { why: 'aborted', code: undefined, stdout: '', stderr: '' }
    const child = spawn(program, args, { cwd, env, detached: true, stdio: 'pipe' })
    const group = new Group(child)
    let why: ProgramEnd['why'] = 'itself'
    const end = (reason: ProgramEnd['why']) => {
      if (why !== 'itself' || group.ended) return
      why = reason
      group.endSoon()
    }
    const onAbort = () => end('aborted')
    signal.addEventListener('abort', onAbort, { once: true })
    const timer = setTimeout(() => end('timed-out'), withinMs)

    const stdout: Buffer[] = []
    let size = 0
    child.stdout.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > MAX_PROGRAM_OUTPUT) end('too-much-output')
      else stdout.push(chunk)
    })
    let stderr = ''
    child.stderr.on('data', (chunk: Buffer) => {
      stderr = (stderr + chunk.toString('utf8')).slice(-MAX_STDERR)
    })
    // A program may end without reading its input; that is not an error.
    child.stdin.on('error', () => undefined)
    if (moreInput) {
      child.stdin.write(input)
      Readable.from(moreInput).pipe(child.stdin)
    } else child.stdin.end(input)
    try {
      const code = await group.gone
      return { why, code, stdout: Buffer.concat(stdout).toString('utf8'), stderr }
    } catch (cause) {
      throw new BatonError('missing_tool', `Cannot start ${program}`, {
        cause,
        remedy: 'Install it, or add its folder to the PATH of the daemon.',
      })
    } finally {
      clearTimeout(timer)
      signal.removeEventListener('abort', onAbort)
    }
  },
}

/** Running groups; they are killed when this process exits. */
const running = new Set<Group>()

class Group {
  readonly gone: Promise<number | undefined>
  ended = false
  readonly #child: ChildProcess
  #last: NodeJS.Timeout | undefined

  constructor(child: ChildProcess) {
    this.#child = child
    if (running.size === 0) process.on('exit', killAll)
    running.add(this)
    this.gone = new Promise<number | undefined>((resolve, reject) => {
      child.once('error', reject)
      child.once('exit', code => {
        this.ended = true
        // Kill what it left running in its group.
        this.kill('SIGKILL')
        const drained = setTimeout(() => {
          child.stdout?.destroy()
          child.stderr?.destroy()
        }, DRAIN_MS)
        child.once('close', () => {
          clearTimeout(drained)
          resolve(code ?? undefined)
        })
      })
    }).finally(() => {
      clearTimeout(this.#last)
      running.delete(this)
      if (running.size === 0) process.off('exit', killAll)
    })
  }

  endSoon(): void {
    this.kill('SIGTERM')
    this.#last = setTimeout(() => this.kill('SIGKILL'), GRACE_MS)
  }

  kill(name: NodeJS.Signals): void {
    if (!this.#child.pid) return
    try {
      process.kill(-this.#child.pid, name)
    } catch {
      // Already gone.
    }
  }
}

function killAll(): void {
  for (const group of running) group.kill('SIGKILL')
}
