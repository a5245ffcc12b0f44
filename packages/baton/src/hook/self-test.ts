import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemIds } from '../adapters/system/ids.ts'
import { SELF_TEST } from './client.ts'
import { type LauncherPlaces, makeLauncher, TRANSPORTS, type Transport } from './launcher.ts'

export interface Tried {
  transport: Transport
  /** Median of a few calls in milliseconds; undefined when one failed. */
  ms: number | undefined
  /** Why it does not work here. */
  problem?: string
  /** The launcher that was tried; undefined when this machine cannot make it. */
  program: Buffer | undefined
}

const CALLS = 5
const LONGEST_MS = 20_000

/**
 * Tries the ways of reaching the running daemon on this machine, the fastest first, until one works: that one is last in the
 * list. Trying the others, too, would take most of the time that `baton init` takes.
 */
export async function tryTransports(
  places: LauncherPlaces,
  transports: readonly Transport[] = TRANSPORTS,
): Promise<Tried[]> {
  const folder = mkdtempSync(join(tmpdir(), 'baton-try-'))
  try {
    const tried: Tried[] = []
    for (const transport of transports) {
      const launcher = join(folder, transport)
      const program = makeLauncher(transport, places)
      if (program) writeFileSync(launcher, program, { mode: 0o755 })
      const measured = program ? await measure(launcher, places.home) : { problem: 'not on this machine' }
      tried.push({ transport, ms: undefined, program, ...measured })
      if ('ms' in measured) break
    }
    return tried
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** How long the launcher takes to bring the daemon's word back, or why it does not. */
export async function measure(launcher: string, home: string): Promise<{ ms: number } | { problem: string }> {
  const took: number[] = []
  let failed = 0
  while (took.length < CALLS) {
    const word = systemIds.id(12).replace(/[0-9]/g, 'x')
    const began = performance.now()
    const problem = await problemOfCall(launcher, home, word)
    if (problem === undefined) took.push(performance.now() - began)
    // One call may fail because the machine is busy or something forks while the launcher is being written.
    else if (failed++ > 0) return { problem }
  }
  return { ms: took.sort((a, b) => a - b)[Math.floor(CALLS / 2)] ?? 0 }
}

function problemOfCall(launcher: string, home: string, word: string): Promise<string | undefined> {
  return new Promise(resolve => {
    const { PATH, HOME } = process.env
    const env = { PATH, HOME, BATON_HOME: home }
    const child = execFile(
      launcher,
      [SELF_TEST, word],
      { env, timeout: LONGEST_MS },
      (error, stdout, stderr) => {
        if (error?.killed) resolve(`did not answer within ${LONGEST_MS / 1000} seconds`)
        else if (error) resolve(stderr.trim().split('\n', 1)[0] || error.message.split('\n', 1)[0])
        else if (stdout.trim() !== JSON.stringify({ selftest: word }))
          resolve(`answered ${JSON.stringify(stdout.slice(0, 80))}`)
        else resolve(undefined)
      },
    )
    child.stdin?.on('error', () => {})
    child.stdin?.end('{}')
  })
}
