import { type Label, Scribe, type Trace } from './trace.ts'

type Script = (scribe: Scribe, i: number) => void

/** Some honest work, then five to seven turns of the given kind. */
const standing = (
  label: Label,
  name: string,
  script: Script,
  more: { nature?: Trace['nature']; turns?: number; git?: boolean } = {},
) =>
  [1, 2, 3].map((n): Trace => {
    const scribe = new Scribe(more.git ?? true)
    for (let i = 0; i < n; i++) scribe.write(`src/begun${i}.ts`, `work ${i}`).stop()
    for (let i = 0; i < (more.turns ?? 4) + n; i++) {
      script(scribe, i)
      scribe.stop()
    }
    return { name: `${name} ${n}`, label, nature: more.nature ?? 'building', intervals: scribe.intervals }
  })
const stuck = (name: string, script: Script, more = {}) => standing('stuck', name, script, more)
const busy = (name: string, script: Script, more = {}) => standing('busy', name, script, more)

/** Stuck runs, each in three sizes. */
export const STUCK: readonly Trace[] = [
  ...stuck('only words', () => {}),
  ...stuck('only words, while planning', () => {}, { nature: 'thinking' }),
  ...stuck('the same command again and again', s => s.run('npm run deploy', 'waiting for approval')),
  ...stuck('polling with a longer pause each time', (s, i) =>
    s.run(`sleep ${i * 10}; gh run view 123${i}`, 'in progress'),
  ),
  ...stuck('every call is denied', (s, i) => s.denied(`rm -rf build${i}`)),
  ...stuck('looking at the status', s => s.run('git status', 'clean').run('git log --oneline', 'a')),
  ...stuck('the same file read again and again', s => s.read('src/big.ts')),
  ...stuck('the same failing command', s => s.run('gh pr create --fill', 'error: no permission', true)),
  ...stuck('saying so in the shell', (s, i) =>
    s.run(`echo "still waiting for the user, turn ${i}"`, 'still waiting'),
  ),
]

/** Runs with much activity and no progress. */
export const BUSY: readonly Trace[] = [
  ...busy('an edit and its opposite', (s, i) => s.write('src/toggle.ts', i % 2 === 0 ? 'on' : 'off')),
  ...busy('new tries at one file, the same failure', (s, i) =>
    s.write('src/bug.ts', `try ${i}`).test('hard'),
  ),
  ...busy('a commit for each try, the same failure', (s, i) =>
    s.write('src/bug.ts', `try ${i}`).test('hard').commit(`Try ${i}`),
  ),
  ...busy('a todo list rewritten without a point done', s => s.todo('pending', 'in_progress', 'pending')),
  ...busy(
    'other words searched each time, nothing written',
    (s, i) => s.search(`guess-${'abcdefghijkl'[i]}`),
    { turns: 7 },
  ),
  ...busy(
    'one throw-away script after another',
    (s, i) => s.run(`node -e "console.log('${'abcdefghijkl'[i]}')"`, 'x'),
    { turns: 7 },
  ),
  ...busy('two formatters against each other', (s, i) =>
    s
      .write('src/style.ts', i % 2 === 0 ? 'tabs' : 'spaces')
      .run(i % 2 === 0 ? 'npx prettier -w src' : 'npx eslint --fix src'),
  ),
  ...busy('white space in one file, two tests failing', (s, i) =>
    s.write('src/bug.ts', `x${' '.repeat(i)}`).test('a', 'b'),
  ),
  ...busy(
    'a new note about the failure each time',
    (s, i) => s.write(`notes/attempt-${i}.md`, `Try ${i}`).test('hard'),
    { turns: 8 },
  ),
  ...busy('install and uninstall', (s, i) =>
    s.run(i % 2 === 0 ? 'npm install left-pad' : 'npm uninstall left-pad'),
  ),
  ...busy('resetting and starting over', (s, i) =>
    s
      .write('src/attempt.ts', i % 2 === 0 ? 'draft' : '')
      .run('git checkout -- .')
      .test('same'),
  ),
  ...busy('reading on and on instead of planning', s => s.read('docs/a.md').read('docs/b.md'), {
    nature: 'thinking',
  }),
]
