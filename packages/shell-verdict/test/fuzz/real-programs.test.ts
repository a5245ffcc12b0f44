import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { GAWK, MAWK } from './generators/awk.ts'
import { FIND } from './generators/find.ts'
import { GIT } from './generators/git.ts'
import { SED } from './generators/sed.ts'
import { SQLITE } from './generators/sql.ts'
import { TMUX } from './generators/tmux.ts'
import { TripWires } from './trip-wires.ts'
import { isHarmless, LINES, LONG, tryLines } from './try-lines.ts'

/** psql needs a server: psql.test.ts. */
const FUZZED = [SED, MAWK, GAWK, SQLITE, FIND, GIT, TMUX]

describe.each(FUZZED)('$program', ({ program, args, holes }) => {
  let wires: TripWires

  beforeAll(async () => {
    wires = new TripWires()
    await wires.listen()
    if (program === 'sqlite3')
      wires.prepare('sqlite3', 'db', "create table t (a, b); insert into t values (1, 'x')")
    if (program === 'git') {
      wires.prepare('git', 'init', '-q', '.')
      wires.prepare('git', 'add', 'f')
      wires.prepare('git', '-c', 'user.name=x', '-c', 'user.email=x', 'commit', '-qm', 'x')
    }
    if (program === 'tmux') {
      wires.prepare('tmux', '-L', 'fuzz', '-f', '/dev/null', 'new-session', '-d', '-s', 'main', 'sh')
      wires.prepare('tmux', '-L', 'fuzz', 'set-option', '-g', 'remain-on-exit', 'on')
    }
    wires.keep()
  }, 120_000)

  afterAll(() => {
    if (program === 'tmux') wires.prepare('tmux', '-L', 'fuzz', 'kill-server')
    wires.close()
  })

  const run = async (lines: readonly (readonly string[])[]) => {
    await wires.run(program, lines)
    // tmux runs commands beside what it prints: by then those have ended.
    if (program === 'tmux') wires.prepare('tmux', '-L', 'fuzz', 'run-shell', ':')
    return wires.whatTripped()
  }

  test(
    'whatever is called harmless does nothing when it really runs',
    async () => {
      const seed = LONG ? Date.now() % 1_000_000 : 7
      const { harmless, missed } = await tryLines(args, LINES, seed, words => isHarmless(program, words), run)
      console.log(`${program}: ${LINES} lines, ${harmless} judged harmless and run`)
      expect(missed, `seed ${seed}`).toBeUndefined()
      expect(harmless / LINES).toBeGreaterThanOrEqual(0.3)
    },
    LONG ? 3_600_000 : 300_000,
  )

  test.each(Object.entries(holes))(
    'a reader in which %s is found out',
    async (_, overlook) => {
      // Only what the hole lets through has to run.
      const judge = (words: readonly string[]) =>
        !isHarmless(program, words) && isHarmless(program, overlook(words))
      expect((await tryLines(args, 20_000, 11, judge, run)).missed).toBeDefined()
    },
    300_000,
  )
})
