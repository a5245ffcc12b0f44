import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readCommand } from '../../src/verdict.ts'
import { FUZZED } from './generators.ts'
import { TripWires } from './trip-wires.ts'

const long = process.env['BATON_LONG'] === '1'
const RUNS = long ? 20_000 : 300
const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

describe.each(FUZZED)('$program', ({ program, args, holes }) => {
  let wires: TripWires
  const isHarmless = (words: readonly string[]) =>
    readCommand([program, ...words].map(quote).join(' '), { cwd: '/work', home: '/home/me' }).onlyReads

  beforeAll(() => {
    wires = new TripWires()
    const run = (name: string, ...words: string[]) =>
      execFileSync(name, words, { cwd: wires.folder, env: wires.environment, stdio: 'ignore' })
    if (program === 'sqlite3') run('sqlite3', 'db', "create table t (a, b); insert into t values (1, 'x')")
    if (program === 'git') {
      run('git', 'init', '-q', '.')
      run('git', 'add', 'f')
      run('git', '-c', 'user.name=x', '-c', 'user.email=x', 'commit', '-qm', 'x')
    }
    if (program === 'tmux')
      run('tmux', '-L', 'fuzz', '-f', '/dev/null', 'new-session', '-d', '-s', 'main', 'sleep 3600')
    wires.arm()
  }, 60_000)

  afterAll(() => {
    if (program === 'tmux')
      execFileSync('tmux', ['-L', 'fuzz', 'kill-server'], { env: wires.environment, stdio: 'ignore' })
    wires.close()
  })

  /** Runs what is judged harmless, in the order it is generated, until something happens. */
  function tryAll(count: number, seed: number, judge: (words: readonly string[]) => boolean) {
    let harmless = 0
    for (const words of fc.sample(args, { numRuns: count, seed })) {
      if (!judge(words)) continue
      harmless++
      wires.run(program, words)
      const tripped = wires.whatTripped()
      if (tripped) return { harmless, missed: { words, tripped } }
    }
    return { harmless, missed: undefined }
  }

  test(
    'whatever is called harmless does nothing when it really runs',
    () => {
      const seed = long ? Date.now() % 1_000_000 : 7
      const { harmless, missed } = tryAll(RUNS, seed, isHarmless)
      expect(missed, `seed ${seed}`).toBeUndefined()
      expect(harmless / RUNS).toBeGreaterThanOrEqual(0.3)
    },
    long ? 3_600_000 : 120_000,
  )

  test.each(Object.entries(holes))(
    'a reader in which %s is found out',
    (_, overlook) => {
      // Only what the hole lets through has to run.
      const { missed } = tryAll(20_000, 11, words => !isHarmless(words) && isHarmless(overlook(words)))
      expect(missed).toBeDefined()
    },
    120_000,
  )
})
