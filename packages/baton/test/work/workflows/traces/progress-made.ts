import { Scribe, type Trace } from './trace.ts'

type Script = (scribe: Scribe, n: number) => void

const working = (name: string, script: Script, more: { nature?: Trace['nature']; git?: boolean } = {}) =>
  [1, 2, 3].map((n): Trace => {
    const scribe = new Scribe(more.git ?? true)
    script(scribe, n)
    return {
      name: `${name} ${n}`,
      label: 'progress',
      nature: more.nature ?? 'building',
      intervals: scribe.intervals,
    }
  })

const times = (count: number, work: (i: number) => void) => Array.from({ length: count }, (_, i) => work(i))

/** Runs with progress, each in three sizes. */
export const WORKING: readonly Trace[] = [
  ...working('tests first, then code, then a commit', (s, n) =>
    times(n + 1, i => {
      s.write(`test/part${i}.test.ts`, 'expect').test(`part${i}`).stop()
      s.write(`src/part${i}.ts`, 'code').test().commit(`Part ${i}`).stop()
    }),
  ),
  ...working('a long implementation while the same tests still fail', (s, n) => {
    s.write('test/all.test.ts', 'expect').test('a', 'b', 'c').stop()
    times(n + 1, i => s.write(`src/layer${i}.ts`, 'code').test('a', 'b', 'c').stop())
    s.write('src/index.ts', 'code').test().stop()
  }),
  ...working('reading first, writing later', (s, n) => {
    times(Math.min(n, 3), i => s.read(`src/old${i}.ts`).search(`term${i}`).stop())
    times(3, i => s.write(`src/new${i}.ts`, 'code').stop())
  }),
  ...working('a todo list that moves on', (s, n) =>
    times(n + 2, i => {
      const done = Array.from({ length: 5 }, (_, j) =>
        j <= i ? ('completed' as const) : ('pending' as const),
      )
      s.todo(...done)
        .run('npm run build')
        .stop()
    }),
  ),
  ...working('refactoring one file while the tests pass', (s, n) =>
    times(n + 3, i => s.write('src/large.ts', `version ${i}`).test().stop()),
  ),
  ...working('debugging with fewer failures each time', (s, n) => {
    const names = ['a', 'b', 'c', 'd', 'e'].slice(0, n + 2)
    times(names.length + 1, i =>
      s
        .write('src/bug.ts', `try ${i}`)
        .test(...names.slice(i))
        .stop(),
    )
  }),
  ...working(
    'planning: reading, looking up, asking helpers, posting',
    (s, n) => {
      times(n + 2, i =>
        s
          .read(`src/module${i}.ts`)
          .web(`https://example.com/${'x'.repeat(i)}`)
          .stop(),
      )
      s.helper('Propose boldly').helper('Criticise').stop()
      s.helper('Reduce').stop()
      s.run(
        'gh issue create --title "[plan] Thing" --body-file plan.md',
        'https://github.com/a/b/issues/7',
      ).stop()
    },
    { nature: 'thinking' },
  ),
  ...working('setting up a board, label by label', (s, n) => {
    s.run('gh auth status', 'Logged in')
      .run("gh api graphql -f query='mutation { createProjectV2 }'", '{}')
      .stop()
    times(n + 2, i => s.run(`gh label create label-${'abcdef'[i]} --force`, 'ok').stop())
  }),
  ...working('a rebase with conflicts', (s, n) => {
    s.run('git fetch origin').run('git rebase origin/main', 'CONFLICT (content)', true).stop()
    times(n, i => s.write(`src/conflict${i}.ts`, 'merged').commit(`Resolve ${i}`).stop())
    s.test().run('git push --force-with-lease', 'issue-1 -> issue-1').stop()
  }),
  ...working(
    'writing where there is no git',
    (s, n) => times(n + 3, i => s.write(`notes/${i}.md`, `text ${i}`).stop()),
    { git: false },
  ),
  ...working('installing, building, configuring', (s, n) => {
    s.run('npm install').stop()
    s.run('npm run build').stop()
    s.write('tsconfig.json', '{}').stop()
    times(n, i => s.write(`config/${i}.json`, '{}').run(`npm run step-${'abc'[i]}`).stop())
  }),
  ...working('one empty turn amid the work', (s, n) => {
    s.write('src/a.ts', 'a').stop()
    s.stop()
    times(n + 1, i => s.write(`src/b${i}.ts`, 'b').test().stop())
    s.stop()
    s.write('src/c.ts', 'c').commit('Done').stop()
  }),
  ...working('a hard bug: the same failure twice, then new insight', (s, n) => {
    s.write('src/bug.ts', 'try 0').test('hard').stop()
    times(2, i =>
      s
        .write('src/bug.ts', `try ${i + 1}`)
        .test('hard')
        .stop(),
    )
    s.read('src/cause.ts').write('src/cause.ts', 'fixed').test().stop()
    times(n, i => s.write(`src/more${i}.ts`, 'x').stop())
  }),
  ...working('milestones of the plan', (s, n) =>
    times(n + 2, i => s.run(`make stage-${'abcdef'[i]}`).milestone().stop()),
  ),
  ...working('a failure that changes as the code gets further', (s, n) => {
    times(n + 2, i => s.write('src/chain.ts', `step ${i}`).test(`stage-${'abcdef'[i]}`).stop())
    s.test().stop()
  }),
  ...working('a very hard bug, with an idea and a probe each time', (s, n) => {
    s.write('src/bug.ts', 'try 0').test('hard').stop()
    times(n + 1, i =>
      s
        .read(`src/suspect${i}.ts`)
        .write(`scripts/probe${i}.ts`, 'probe')
        .run(`node scripts/probe-${'abcd'[i]}.ts`, 'a clue')
        .test('hard')
        .stop(),
    )
    s.write('src/bug.ts', 'fixed').test().stop()
  }),
  ...working('review, fix, review', (s, n) =>
    times(n + 1, i => {
      s.helper(`Review round ${'abcd'[i]}`).stop()
      s.write('src/reviewed.ts', `round ${i}`).test().commit(`Settle review ${i}`).stop()
    }),
  ),
]
