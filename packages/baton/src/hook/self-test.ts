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
  /** The launcher that was tried; undefined when this machine cannot make it. */
  program: Buffer | undefined
}

const CALLS = 5

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
      const ms = program && (await measure(launcher, places.home))
      tried.push({ transport, ms, program })
      if (ms !== undefined) break
    }
    return tried
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** How long the launcher takes to bring the daemon's word back, or undefined when it does not. */
export async function measure(launcher: string, home: string): Promise<number | undefined> {
  const took: number[] = []
  for (let i = 0; i < CALLS; i++) {
    const word = systemIds.id(12).replace(/[0-9]/g, 'x')
    const began = performance.now()
    if (!(await repeats(launcher, home, word))) return undefined
    took.push(performance.now() - began)
  }
  return took.sort((a, b) => a - b)[Math.floor(CALLS / 2)]
}

function repeats(launcher: string, home: string, word: string): Promise<boolean> {
  return new Promise(resolve => {
    const { PATH, HOME } = process.env
    const env = { PATH, HOME, BATON_HOME: home }
    const child = execFile(launcher, [SELF_TEST, word], { env, timeout: 10_000 }, (error, stdout) =>
      resolve(!error && stdout.trim() === JSON.stringify({ selftest: word })),
    )
    child.stdin?.on('error', () => {})
    child.stdin?.end('{}')
  })
}
