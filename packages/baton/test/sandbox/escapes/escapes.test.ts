import { execFileSync, spawn } from 'node:child_process'
import { accessSync, chmodSync, constants, copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { endOf } from '../../world/sandbox.ts'
import { type Scratch, scratch } from '../../world/scratch.ts'
import { attempts } from './attempts.ts'

/** An ordinary user without a name: nothing has to be created. */
const NOBODY = ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups']
const isRoot = process.getuid?.() === 0

interface Result {
  name: string
  escaped: boolean
  why: string
}

describe('attempts to escape', () => {
  let folder: Scratch
  beforeAll(async () => {
    folder = scratch('be-')
    // One file that another user can read, wherever this repository is.
    chmodSync(folder.path, 0o755)
    const outfile = join(folder.path, 'run.mjs')
    await build({
      entryPoints: [join(import.meta.dirname, 'run.ts')],
      outfile,
      bundle: true,
      platform: 'node',
      format: 'esm',
      logLevel: 'error',
    })
    chmodSync(outfile, 0o644)
  })
  afterAll(() => folder?.remove())

  const run = async (prefix: readonly string[], ...args: string[]): Promise<Result[]> => {
    const [program = '', ...rest] = [...prefix, nodeFor(prefix), join(folder.path, 'run.mjs'), ...args]
    const { stdout, stderr, code } = await endOf(
      spawn(program, rest, { cwd: '/', stdio: ['ignore', 'pipe', 'pipe'] }),
    )
    if (code !== 0) throw new Error(stderr)
    return JSON.parse(stdout) as Result[]
  }

  /** The same Node, at a place that the other user can reach. */
  const nodeFor = (prefix: readonly string[]): string => {
    if (prefix.length === 0) return process.execPath
    try {
      execFileSync('setpriv', [...prefix.slice(1), process.execPath, '--version'], { stdio: 'ignore' })
      return process.execPath
    } catch {
      const copy = join(folder.path, 'node')
      copyFileSync(process.execPath, copy)
      chmodSync(copy, 0o755)
      accessSync(copy, constants.X_OK)
      return copy
    }
  }
  const through = (results: readonly Result[]) =>
    results.filter(({ escaped }) => escaped).map(({ name, why }) => `${name}: ${why}`)
  const ordinary = isRoot ? NOBODY : []

  it('are at least 80', () => {
    expect(
      attempts({
        home: '/h',
        project: '/h/p',
        state: '/h/s',
        outside: '/o',
        pid: 1,
        port: 1,
        sockets: { docker: '', 'ssh-agent': '', 'd-bus': '', tmux: '', baton: '' },
        abstract: '',
      }).length,
    ).toBeGreaterThanOrEqual(80)
  })

  it('all fail for an ordinary user', { timeout: 600_000 }, async () => {
    expect(through(await run(ordinary))).toEqual([])
  })

  it.runIf(isRoot)('all fail for root', { timeout: 600_000 }, async () => {
    expect(through(await run([]))).toEqual([])
  })

  it('would work without a sandbox, where they need no privilege', { timeout: 600_000 }, async () => {
    const results = await run(ordinary, '--outside')
    expect(results.filter(({ escaped }) => !escaped).map(({ name }) => name)).toEqual([])
  })
})
