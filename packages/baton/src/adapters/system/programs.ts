import { type ChildProcess, spawn } from 'node:child_process'
import { BatonError } from '@batonpass/contract/errors'
import { MAX_PROGRAM_OUTPUT, type ProgramEnd, type Programs } from '../../ports/programs.ts'

/** Agents end what they started in groups of their own only when asked politely; after this they are killed. */
const GRACE_MS = 2000
/** A pipe that a stranger inherited may stay open for ever: the end of the program is what counts. */
const DRAIN_MS = 250
const STDERR_KEPT = 8192

/** Each program is a process group of its own, and the whole group goes when it ends, is late or is no longer wanted. */
export const systemPrograms: Programs = {
  async run({ program, args, cwd, env, input, withinMs }, signal) {
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
      stderr = (stderr + chunk.toString('utf8')).slice(-STDERR_KEPT)
    })
    // A program that ends without reading its input is no failure of ours.
    child.stdin.on('error', () => undefined)
    child.stdin.end(input)
    try {
      const code = await group.gone
      return { why, code, stdout: Buffer.concat(stdout).toString('utf8'), stderr }
    } catch (cause) {
      throw new BatonError('missing_tool', `${program} could not be started`, {
        cause,
        remedy: 'Is it installed, and on the PATH of the daemon?',
      })
    } finally {
      clearTimeout(timer)
      signal.removeEventListener('abort', onAbort)
    }
  },
}

/** Groups that still run: they go when this process goes. */
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
        // What it left behind in its group is not wanted any longer than itself.
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
