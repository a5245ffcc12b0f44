import { HandoffDocument, HandoffLedger } from '@batonpass/contract/handoff'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Evidence } from '../../src/handoff/evidence.ts'
import { findUnverified, markUnverified } from '../../src/handoff/statements/check-statements.ts'
import { withoutMark } from '../../src/handoff/statements/lines.ts'
import { lookupsOf } from '../../src/handoff/statements/lookups.ts'
import type { CommandRun, TranscriptFacts } from '../../src/session/transcript/collect-facts.ts'
import { Mentions } from '../../src/session/transcript/mentions.ts'

const ran = (command: string, failed = false): [string, CommandRun] => [
  command,
  { command, failed, at: undefined },
]
/** What the session's commands printed and the user typed. */
const SEEN = [
  'listening on http://localhost:5173',
  'npm run dev',
  'touched lib/old.ts',
  'abc1234 is from another fork',
  'before 2391.2 s, after 417.8 s',
]

const evidenceFor = (document: HandoffDocument, more: Partial<TranscriptFacts> = {}): Evidence => {
  const lookups = lookupsOf(document)
  const mentions = new Mentions(lookups.words, lookups.together)
  for (const text of SEEN) mentions.addOutput('', text)
  const disk = ['README.md', 'src', 'src/limit.ts', 'src/undone.ts']
  return {
    root: '/work/shop',
    names: ['shop'],
    agent: 'claude-code',
    session: 'abc',
    git: {
      root: '/work/shop',
      head: 'a1b2c3d4e5f6',
      branch: 'issue-42',
      ahead: 1,
      behind: 0,
      dirty: ['src/limit.ts'],
    },
    commits: [],
    lookedUp: {
      commits: lookups.commits.filter(id => id === '77aa88b'),
      refs: ['main', 'issue-42', 'origin/next'],
    },
    transcript: {
      session: 'abc',
      cwd: '/work/shop',
      startedAt: 0,
      lastAt: 1,
      messages: 8,
      instructions: ['Limit the orders endpoint to 20 requests a minute'],
      commands: [],
      outcomes: new Map([
        ran('npm test 2>&1 | tail -5', true),
        ran('npm run build'),
        ran('git checkout -- src/undone.ts'),
        ran('cd web && npm run lint', true),
      ]),
      written: ['/work/shop/packages/api/src/routes.ts'],
      todos: [{ text: 'Document the limits', done: false }],
      test: { command: 'npm test', passed: false, at: undefined },
      pullRequest: undefined,
      lastReply: undefined,
      mentioned: mentions.found,
      ...more,
      facts: {
        instructions: ['Limit the orders endpoint to 20 requests a minute'],
        summarized: [],
        pasted: [],
        decisions: [],
        deadEnds: [],
        said: [],
        replies: ['A sliding window fits better than fixed buckets here, so I take that one.'],
        next: undefined,
        lastWords: undefined,
        environment: [],
        results: [],
        failing: ['limits > rejects'],
        lastCommand: undefined,
        secrets: [],
      },
    },
    contextTokens: undefined,
    issue: undefined,
    pr: undefined,
    stage: undefined,
    present: new Map(lookups.paths.map(path => [path, disk.includes(path)])),
  }
}

const marked = (draft: object, ledger?: HandoffLedger): HandoffDocument => {
  const document = HandoffDocument.parse(draft)
  return markUnverified(document, findUnverified(document, evidenceFor(document), ledger))
}
const done = (text: string) => ({ completed: [{ text, done: true }] })
const note = (text: string) => ({ notes: [text] })
const next = (text: string) => ({ nextSteps: [text] })
const textOf = ({ completed, notes, nextSteps, decisions, constraints }: HandoffDocument) =>
  [...completed.map(({ text }) => text), ...notes, ...nextSteps, ...decisions, ...constraints].join('\n')

describe('A statement without evidence is marked:', () => {
  it.each([
    [done('Wrote src/ghost.ts'), 'there is no file `src/ghost.ts`'],
    [done('Created the folder `lib/phantom/`'), 'there is no folder `lib/phantom`'],
    [done('Moved `src/limit.ts` into packages/unicorn/'), 'there is no folder `packages/unicorn`'],
    [
      done('Deployed everything with `kubectl apply -f x` and more'),
      '`kubectl apply -f x` was not run in this session',
    ],
    [done('The helper in src/undone.ts ships with the limit'), 'nothing in the session shows this'],
    [note('The user wants Kafka to limit the orders endpoint.'), 'no prompt of the user says this'],
    [done('Updated `README.md`'), 'nothing shows a change of `README.md`'],
    [done('Committed as deadbee'), 'there is no commit deadbee here'],
    [done('Committed as abc1234'), 'there is no commit abc1234 here'],
    [done('Ran `npm run deploy`'), '`npm run deploy` was not run in this session'],
    [note('I ran cargo clippy and it was clean.'), '`cargo clippy` was not run in this session'],
    [note('The linter passes.'), 'the last run of `cd web && npm run lint` failed'],
    [note('All tests are green.'), 'the last run of `npm test` failed'],
    [note('It went from 2391.2 s to 41.8 s.'), 'nothing in the session shows this'],
    [note('It does not take 2391.2 s, but 417.8 s.'), 'nothing in the session shows this'],
    [note('Alle Tests sind grün.'), 'the last run of `npm test` failed'],
    [note('0 tests failed'), 'the last run of `npm test` failed'],
    [note('`src/limit.ts` does not exist yet.'), '`src/limit.ts` exists'],
    [note('returnsTheLimit still fails'), 'nothing in the session shows this'],
    [done('Document the limits'), 'its todo is still open in the agent’s list'],
    [done('Limits: documented'), 'its todo is still open in the agent’s list'],
    [note('npm run build reported two errors.'), 'nothing in the session shows this'],
    [note('The user wants ten requests a minute on the orders endpoint.'), 'no prompt of the user says this'],
    [note('All todos are done.'), '1 todos are still open'],
    [note('We are on branch `main`.'), 'the branch is `issue-42`'],
    [note('The branch `feature/zebra` holds it.'), 'there is no branch `feature/zebra`'],
    [note('The API listens on port 9999.'), 'nothing shows port 9999'],
    [note('The working tree is clean.'), '`src/limit.ts` is not committed'],
    [done('Pushed to origin'), 'no push was seen in this session'],
    [note('The user said that zebras may go.'), 'no prompt of the user says this'],
    [{ constraints: ['Never touch the zebra module'] }, 'no prompt of the user says this'],
    [{ decisions: ['Use Kafka, because zebras need it'] }, 'nothing in the session shows this'],
    [next('Fix the bug in `src/never.ts`'), 'there is no file `src/never.ts`'],
    [note('Tous les tests passent.'), 'the last run of `npm test` failed'],
    [note('テストはすべて成功しています。'), 'the last run of `npm test` failed'],
    [note('Test status: all green.'), 'the last run of `npm test` failed'],
    [note('The pipeline on GitHub passed.'), 'no run of the CI was seen in this session'],
    [done('Rolled the change out to production'), 'no command of this session shows a deployment'],
    [note('Nothing is failing any more.'), 'the last run of `npm test` failed'],
    [note('No spec is red any longer.'), 'the last run of `npm test` failed'],
    [note('The suite is no longer red.'), 'the last run of `npm test` failed'],
    [note('Not a single test in the suite fails.'), 'the last run of `npm test` failed'],
    [note('None of the specs are broken anymore.'), 'the last run of `npm test` failed'],
    [note("The tests aren't failing."), 'the last run of `npm test` failed'],
    [note('Keine Tests schlagen fehl.'), 'the last run of `npm test` failed'],
    [note('Executed `flyway migrate` without problems.'), '`flyway migrate` was not run in this session'],
    [done('Merged the pull request'), 'no command of this session shows a merge'],
    [done('Tagged the release v12.0.0'), 'there is no tag `v12.0.0`'],
    [note('You told me to remove the zebra banner.'), 'no prompt of the user says this'],
    [note('Per your request the zebra is off.'), 'no prompt of the user says this'],
    [note("L'utilisateur a demandé de supprimer le module zebra."), 'no prompt of the user says this'],
  ])('%j', (draft, reason) => {
    expect(textOf(marked(draft))).toMatch(`[unverified: ${reason}] `)
  })
})

describe('A statement with evidence is not marked:', () => {
  it.each([
    [note('Aletsch: 2391.2 s before, 417.8 s after')],
    [note('Not checked: large inputs.')],
    [done('Reverted src/undone.ts')],
    [note('I do not know whether production is affected.')],
    [done('Wrote src/limit.ts and `src/routes.ts`')],
    [done('Committed as 77aa88b')],
    [done('Moved lib/gone.ts to src/limit.ts')],
    [note('See abc1234 in the other fork, and lib/old.ts.')],
    [note('`npm test` was run; two tests still fail.')],
    [note('The build succeeds.')],
    [done('Ran `npm run build`')],
    [note('The dev server is at localhost:5173.')],
    [note('Work is on branch issue-42, based on branch `next`.')],
    [note('The user wants at most 20 requests a minute on the orders endpoint.')],
    [{ constraints: ['The orders endpoint allows 20 requests per minute'] }],
    [{ decisions: ['Sliding window instead of fixed buckets'] }],
    [next('Create `src/new-file.ts`')],
    [next('Make all tests pass, then run `npm run deploy`')],
    [note('Once all tests pass, push.')],
    [note('Tests are not green yet.')],
    [note('limits > rejects still fails')],
    [note('No spec of the router is red, but two other tests fail.')],
    [note('The tests are red; I did not fix the failing tests.')],
    [note('The specs are red. No run was green.')],
    [note('The file config/zebra.yml does not exist.')],
    [note('Es gibt keine Datei `src/zebra.ts`.')],
    [next('Ask the user whether the zebra may go')],
    [note('The user wants at most twenty requests a minute on the orders endpoint.')],
    [note('There may be more places like this one.')],
    [note('I did not open a pull request. Nothing has been deployed.')],
    [done('npm run build, no complaints')],
  ])('%j', draft => {
    expect(textOf(marked(draft))).toBe(textOf(HandoffDocument.parse(draft)))
  })
})

describe('What nothing shows is marked, whether it is true or not, and in any language:', () => {
  it.each([
    [done('Removed lib/gone.ts')],
    [note('A user who asked twice gets one mail.')],
    [note('Deploying needs the approval of the user first.')],
    [note('src/zebra.ts was never written, and no pull request was merged.')],
    [note('The user table and the client pass a deadline to Node.js; see example.com/a.html?b=c.')],
    [note('Security signed the threat model.')],
    [note('Der Speicherverbrauch hat sich halbiert.')],
    [note('Ninguna prueba falla.')],
    [note('全テストが通りました。')],
    [done('Handed the build to the store review')],
    [note('Limited the orders endpoint to 20 requests a minute')],
  ])('%j', draft => {
    expect(textOf(marked(draft))).toMatch(/^\[unverified: /)
  })
})

describe('A sentence about git, the last test run or a variable is compared with them as a whole:', () => {
  const git = {
    root: '/work/shop',
    head: 'a1b2c3d4e5f6',
    branch: 'issue-42',
    ahead: undefined,
    behind: undefined,
    dirty: [],
    state: ['A rebase is in progress (`git rebase --continue` or `--abort`)', 'git stash holds 1 entry'],
  }
  const lookedUp = { commits: [], refs: ['main', 'issue-42'], tags: [], subject: 'start', remotes: [] }
  const test = { command: 'bundle exec rspec', passed: false, failing: 2, numbers: [18, 2], at: undefined }
  const check = (text: string) => {
    const document = HandoffDocument.parse(note(text))
    const evidence = { ...evidenceFor(document, { test }), git, lookedUp }
    if (evidence.transcript?.facts) evidence.transcript.facts.environment = ['`export MAX_JOBS=1`']
    return textOf(markUnverified(document, findUnverified(document, evidence, undefined)))
  }
  it.each([
    'The branch is issue-42.',
    'The base branch is main.',
    'The last commit is “start”.',
    'No merge or cherry-pick is in progress.',
    'A rebase is in progress.',
    'There is a stash.',
    'Nothing was pushed in this session.',
    'The repository has no remote.',
    'At least one test still fails.',
    'Two tests are red.',
    'rspec: 18 examples, 2 failures.',
    '2 tests failed out of 18.',
    'rspec: 16 passed, 2 failed.',
    'MAX_JOBS is set to 1.',
    'We are still on `issue-42`.',
    'Nobody has tagged anything.',
    'Something is stashed.',
    'There is a test that does not pass.',
    'The repository has no remote, so nothing was pushed.',
    'Há um rebase por terminar.',
    'Rebase jest w toku.',
    'The merge is finished.',
  ])('true: %s', text => {
    expect(check(text)).toBe(text)
  })
  it.each([
    'The branch is main.',
    'The last commit is “fix the limits”.',
    'No merge or rebase is in progress.',
    'A merge is in progress.',
    'There is no stash.',
    'No changes are stashed.',
    'One test is red.',
    'At least three tests fail.',
    '0 failures in the last run.',
    'rspec: 18 of 18 ok.',
    'rspec: 18 examples, 1 failure.',
    'rspec: 20 examples, 2 failures.',
    'rspec: 18 passed, 2 failed.',
    'pytest: 16 passed, 2 failed.',
    'MAX_JOBS is set to 4.',
    'We are on main.',
    'El rebase está terminado.',
    'Der Rebase ist abgeschlossen.',
    'Nothing is stashed.',
    'The rebase dropped a commit.',
    'MAX_MODE is set to strict.',
    'There is a stash with the new parser in it.',
    'The repository has no remote, so the push went to a bundle.',
  ])('false or more than shown: %s', text => {
    expect(check(text)).toMatch(/^\[unverified: /)
  })
})

it('The sum of a run’s counts is known, also where the runner prints it elsewhere', () => {
  const test = {
    command: 'ceedling',
    passed: false,
    failing: 1,
    passing: 30,
    numbers: [30, 1],
    at: undefined,
  }
  const check = (text: string) => {
    const document = HandoffDocument.parse(note(text))
    return textOf(
      markUnverified(document, findUnverified(document, evidenceFor(document, { test }), undefined)),
    )
  }
  expect(check('ceedling: 31 tested, 30 passed, 1 failed.')).toMatch(/^ceedling/)
  expect(check('ceedling: 32 tested, 30 passed, 1 failed.')).toMatch(/^\[unverified: /)
})

it('A heading, a question and an empty point state nothing', () => {
  const draft = { notes: ['Open points:', 'Is the cache needed?', 'None'] }
  expect(textOf(marked(draft))).toBe(textOf(HandoffDocument.parse(draft)))
})

describe('An instruction that the user replaced supports nothing, and neither does the same one with another amount:', () => {
  const ledger = HandoffLedger.parse({
    goal: 'Rework the ingress',
    instructions: ['Actually, make the drain timeout 120 seconds'],
    replaced: ['The drain timeout is 90 seconds'],
  })
  it.each([
    ['Drain timeout: 90 seconds.', true],
    ['The drain timeout is 90 seconds', true],
    ['Drain timeout: 45 seconds.', true],
    ['Drain timeout: 120 seconds.', false],
  ])('%s', (text, isMarked) => {
    const constraint = textOf(marked({ constraints: [text] }, ledger))
    expect(constraint).toBe(isMarked ? `[unverified: no prompt of the user says this] ${text}` : text)
  })
})

it('What an earlier session established is evidence, unless it was marked then', () => {
  const ledger = HandoffLedger.parse({
    environment: ['`docker run -p 5499:5432 postgres`'],
    said: ['[unverified: nothing shows port 7001] The proxy listens on port 7001'],
  })
  expect(textOf(marked(note('PostgreSQL runs on port 5499.'), ledger))).toBe('PostgreSQL runs on port 5499.')
  expect(textOf(marked(note('The proxy is on port 7001.'), ledger))).toMatch(/^\[unverified/)
})

it("The agent's own handoff document is not evidence", () => {
  const mentions = new Mentions(['9999'])
  mentions.addText('cat > .bmad/handoffs/handoff-2026.md <<EOF\nport 9999\nEOF')
  expect(mentions.found.size).toBe(0)
  mentions.addText('port 99991')
  expect(mentions.found.size).toBe(0)
  mentions.addText('listening on :9999')
  expect([...mentions.found]).toEqual(['9999'])
})

it('A mark changes nothing but the beginning of its line, and is replaced, not repeated, by the next check', () => {
  const words = fc.constantFrom(
    'Wrote src/a.ts',
    'tests pass',
    'port 81',
    '`x`',
    'the user said no',
    '\n',
    '. ',
    '[x] ',
    '- ',
  )
  fc.assert(
    fc.property(fc.array(fc.array(words, { maxLength: 8 }), { maxLength: 5 }), points => {
      const document = HandoffDocument.parse({ notes: points.map(point => point.join(' ')) })
      const once = marked(document)
      const lines = (of: HandoffDocument) => of.notes.join('\n').split('\n')
      expect(lines(once).map(line => line.replace(/\[unverified: [^\]]*\] /, ''))).toEqual(lines(document))
      expect(marked(once)).toEqual(once)
    }),
  )
  expect(withoutMark('[unverified: no] text')).toBe('text')
})

it('A long hostile document is checked in bounded time, and what is not checked is marked', () => {
  const begin = performance.now()
  const notes = [
    `${'ran '.repeat(50_000)}`,
    `${'a/'.repeat(60_000)}b.ts`,
    ...Array<string>(20_000).fill('tests pass'),
  ]
  const document = marked({ notes })
  expect(document.notes.at(-1)).toBe('[unverified: the document is too long to check] tests pass')
  expect(performance.now() - begin).toBeLessThan(30_000)
})

describe('A sentence about numbers is shown only by what a command found out', () => {
  const sentence = 'p95 went from 2391 ms to 417 ms'
  const isShown = (command: string, output: string, text = sentence): boolean => {
    const { words, together } = lookupsOf(HandoffDocument.parse(note(text)))
    const mentions = new Mentions(words, together)
    mentions.addOutput(command, output)
    return together.some(group => mentions.found.has(group.join('\0')))
  }
  it.each([
    ['npm run bench', 'p95 before: 2391 ms\np95 after: 417 ms'],
    ['npm run bench -- --metric p95', 'p95 before: 2391 ms\np95 after: 417 ms'],
    ['echo "== bench"; npm run bench', '== bench\np95 before: 2391 ms\np95 after: 417 ms'],
  ])('shown: %s', (command, output) => expect(isShown(command, output)).toBe(true))
  it.each([
    ['git commit -m "p95 from 2391 ms to 417 ms"', '[main 1a2b3c4] 1 file changed'],
    ['git commit -q --amend --no-edit && git log -1', 'p95 from 2391 ms to 417 ms'],
    ['git -C shop log --oneline', '1a2b3c4 p95 from 2391 ms to 417 ms'],
    ['echo "p95 from 2391 ms to 417 ms"', 'p95 from 2391 ms to 417 ms'],
    ["cd shop && printf '%s' 'p95: 2391 ms, 417 ms'", 'p95: 2391 ms, 417 ms'],
    ['cat <<EOF p95 from 2391 ms to 417 ms EOF', 'p95 from 2391 ms to 417 ms'],
    [`node -e 'console.log("p95: 2391 ms, 417 ms")'`, 'p95: 2391 ms, 417 ms'],
    ['echo "p95 from 2391 ms"; cat now.txt', 'p95 from 2391 ms\n417 ms'],
    ['cd .bmad/handoffs && cat *.md', 'p95 from 2391 ms to 417 ms'],
    ['cd .bmad; sed -n 1,40p handoffs/handoff-2026-01-22-14-30.md', 'p95 from 2391 ms to 417 ms'],
    ['cat $DOCUMENT', '# Handoff Document\n\np95 from 2391 ms to 417 ms'],
  ])('not shown: %s', (command, output) => expect(isShown(command, output)).toBe(false))

  it('may be about what the command names', () => {
    const text = 'The dev server is up on 7070.'
    expect(isShown('PORT=7070 npx tsx src/server.ts', 'listening on 7070', text)).toBe(true)
    expect(isShown('PORT=7070 npx tsx src/server.ts', 'address in use', text)).toBe(false)
  })
})

describe('A sentence about something outside', () => {
  const check = (command: string, draft: object) => {
    const document = HandoffDocument.parse(draft)
    const evidence = evidenceFor(document, { outcomes: new Map([ran(command)]) })
    if (evidence.git) evidence.git.ahead = undefined
    return textOf(markUnverified(document, findUnverified(document, evidence, undefined)))
  }

  it.each([
    ['npm publish --access public', 'Nothing was published'],
    ['cd pkg && sudo npm publish', 'Nothing was published'],
    ['CI=1 kubectl apply -f prod.yml', 'Nothing was deployed'],
    ['./deploy.sh prod', 'Nothing was deployed'],
    ['gh pr create --fill', 'I did not open a pull request'],
    ['gh pr merge 12 --squash', 'Nothing was merged'],
    ['git push origin main', 'Nothing was pushed'],
  ])('is false after `%s`: %s', (command, text) =>
    expect(check(command, note(text))).toBe(`[unverified: \`${command}\` was run in this session] ${text}`),
  )

  it.each([
    ['cargo build --release', 'Nothing was published'],
    ['npm publish --dry-run', 'Nothing was published'],
    ['grep -rn "npm publish" docs', 'Nothing was published'],
    ['git push origin feature', 'Nothing was deployed'],
    ['cat docs/deploy.md', 'Nothing was deployed'],
    ['kubectl apply -f x.yml --dry-run=client', 'Nothing was deployed'],
    ['gh pr view 12', 'I did not open a pull request'],
    ['git merge --abort', 'Nothing was merged'],
  ])('is not called false after `%s`: %s', (command, text) =>
    expect(check(command, note(text))).toBe(`[unverified: nothing in the session shows this] ${text}`),
  )

  it.each([
    ['git push --dry-run origin main', 'Nothing was pushed'],
    ['npm test', 'Nothing was published'],
  ])('is true after `%s`: %s', (command, text) => expect(check(command, note(text))).toBe(text))

  it.each([
    ['git push --dry-run origin main', note('git push origin main ran successfully')],
    ['git push --dry-run origin main', done('git push origin main ran successfully')],
    ['git push --dry-run origin main', note('Everything was pushed')],
    ['npm run lint', note('npm run lint: errors found')],
    ['npm run lint', done('npm run lint: two warnings were reported.')],
  ])('is not shown by `%s`: %j', (command, draft) => expect(check(command, draft)).toMatch(/^\[unverified: /))

  it.each([
    ['git push --dry-run origin main', note('git push --dry-run origin main ran successfully')],
    ['npm run lint', note('npm run lint: no errors found')],
    ['ruff format --check src', note('ruff format src ran fine')],
  ])('is shown by `%s`: %j', (command, draft) => expect(check(command, draft)).not.toMatch(/unverified/))
})
