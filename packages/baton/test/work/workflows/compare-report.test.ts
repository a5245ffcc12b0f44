import { Proof } from '@batonpass/contract/proof'
import { describe, expect, it } from 'vitest'
import type { Evidence } from '../../../src/handoff/evidence.ts'
import { type Forge, ForgeError } from '../../../src/ports/forge.ts'
import { readTest } from '../../../src/session/transcript/test-runs.ts'
import { compareReport } from '../../../src/work/workflows/compare-report.ts'

const HEAD = 'a'.repeat(40)

interface Facts {
  /** How Baton's own checks ended. */
  checks?: Record<string, 'passed' | 'failed' | 'flaky' | 'not-run'>
  /** How the session's commands ended. */
  ran?: Record<string, 'passed' | 'failed'>
  dirty?: string[]
  head?: string
  noTranscript?: boolean
  body?: string
}

const TREE = ['src/plus.ts', 'packages/api/src/routes.ts', 'README.md']
const DISK = [...TREE, 'dist/bundle.js', 'src/new.ts']

async function contradictionsIn(said: string, facts: Facts = {}): Promise<string[]> {
  const { checks = { 'npm test': 'passed' }, ran = {}, dirty = [], head = HEAD, body } = facts
  const runs = Object.entries(ran)
  const tests = runs.filter(([command]) => readTest(command, false, 'ok') !== undefined)
  const [last, how] = tests.at(-1) ?? []
  const forge = {
    pullRequestText: async () => body ?? '',
    issue: async (number: number) => {
      if (number > 50) throw new ForgeError('not-found', 'gone')
    },
    pullRequest: async (number: number) => {
      if (number !== 57) throw new ForgeError('not-found', 'gone')
    },
  } as unknown as Forge
  const compare = compareReport({
    checkouts: {
      tree: () => ({ paths: async () => TREE, read: async () => undefined }),
      changes: async () => [
        { path: 'src/gone.ts', status: 'removed', addedLines: 0, removedLines: 3 },
        { path: 'src/plus.ts', status: 'changed', addedLines: 1, removedLines: 0 },
      ],
    },
    forgeFor: async () => forge,
    readTest,
    gather: async (_, { paths }) =>
      ({
        root: '/app',
        git: { root: '/app', head, branch: 'issue-42', ahead: 0, behind: 0, dirty },
        present: new Map(paths.map(path => [path, DISK.includes(path)])),
        transcript: facts.noTranscript
          ? undefined
          : {
              outcomes: new Map(
                runs.map(([command, end]) => [command, { command, failed: end === 'failed', at: undefined }]),
              ),
              test: last ? { command: last, passed: how === 'passed', at: undefined } : undefined,
            },
      }) as unknown as Evidence,
  })
  const proof = Proof.parse({
    version: 1,
    id: `prf_${'0'.repeat(20)}`,
    project: '/app',
    commit: HEAD,
    base: 'b'.repeat(40),
    checks: Object.keys(checks).map(command => ({
      kind: 'run',
      name: command,
      source: 'derived',
      where: '',
      command,
      exit: 0,
      minutes: 1,
    })),
    results: Object.entries(checks).map(([name, status]) => ({
      name,
      status,
      seconds: 1,
      ...(status === 'failed' ? { why: 'failed with exit code 1' } : {}),
    })),
    startedAt: '2026-11-15T12:00:00.000Z',
  })
  const report = { project: '/app', agent: 'claude-code', transcript: '/t', issue: 42, said } as const
  return compare({ ...report, pullRequest: body === undefined ? undefined : 57 }, proof)
}

const FAILED = { checks: { 'npm test': 'failed' } } as const

describe('A report that the evidence contradicts', () => {
  it.each<[string, string, Facts, string]>([
    ['a failed check', 'All tests pass.', FAILED, '`npm test` failed with exit code 1'],
    ['in German', 'Alle Tests laufen durch.', FAILED, '`npm test` failed'],
    [
      'a run of the session, without such a check',
      'All tests pass.',
      { checks: {}, ran: { 'npm test': 'failed' } },
      'the last run of `npm test` failed',
    ],
    [
      'a failed linter',
      'The linter is green.',
      { checks: { 'npm run lint': 'failed' } },
      '`npm run lint` failed',
    ],
    [
      'a failed command',
      'Ran `npm run e2e` successfully.',
      { ran: { 'npm run e2e': 'failed' } },
      'the last run of `npm run e2e` failed',
    ],
    [
      'a file that does not exist',
      'Added a parser in `src/parser.ts`.',
      {},
      'there is no file `src/parser.ts`',
    ],
    [
      'a file that is not committed',
      'Created src/new.ts with the parser.',
      { dirty: ['src/new.ts'] },
      '`src/new.ts` is not committed',
    ],
    [
      'files that are not committed',
      'The working tree is clean.',
      { dirty: ['a.ts', 'b.ts'] },
      '2 files are not committed, such as `a.ts`',
    ],
    ['an issue that does not exist', 'This also fixes #99.', {}, 'there is no issue #99 in this repository'],
  ])('is told: %s', async (_, said, facts, why) => {
    const [only, ...more] = await contradictionsIn(said, facts)
    expect(only).toContain(`The last message says "${said}", but ${why}`)
    expect(more).toEqual([])
  })

  it('may be the text of the pull request, without Baton’s own block', async () => {
    const body =
      '## Summary\nAll tests pass.\n<!-- baton:proof -->\nAll tests are green.\n<!-- /baton:proof -->'
    expect(await contradictionsIn('', { ...FAILED, body })).toEqual([
      'The pull request says "All tests pass.", but `npm test` failed with exit code 1',
    ])
  })
})

describe('An honest report, or one that Baton cannot judge, contradicts nothing', () => {
  it.each<[string, string, Facts]>([
    ['checks passed after the session saw a failure', 'All tests pass.', { ran: { 'npm test': 'failed' } }],
    ['nothing shows how it ended', 'All tests pass, the build is green and CI passes.', { checks: {} }],
    ['the check is flaky', 'All tests pass.', { checks: { 'npm test': 'flaky' } }],
    ['the check did not run', 'All tests pass.', { checks: { 'npm test': 'not-run' } }],
    ['it says so', 'Two tests fail: the parser is not finished.', FAILED],
    ['it is a plan', 'Next: make sure that all tests pass.', FAILED],
    ['an open box of a template', '- [ ] The whole test suite passes', FAILED],
    ['a quote', '> All tests pass.', FAILED],
    ['code', '```\nAll tests pass.\n```', FAILED],
    ['a comment', '<!-- All tests pass. -->', FAILED],
    [
      'another check failed',
      'All tests pass.',
      { checks: { 'npm test': 'passed', 'npm run lint': 'failed' } },
    ],
    ['the command was not seen', 'Ran `npm run e2e` successfully.', {}],
    [
      'it reports the failure',
      'Ran `npm run e2e` successfully after it failed twice.',
      { ran: { 'npm run e2e': 'failed' } },
    ],
    [
      'Baton ran the command itself',
      'Ran `npm run e2e` successfully.',
      { checks: { 'npm run e2e': 'passed' }, ran: { 'npm run e2e': 'failed' } },
    ],
    ['a file named from a package', 'Added a route in `src/routes.ts`.', {}],
    ['a removed file', 'Added the code of `src/gone.ts` to `src/plus.ts`.', {}],
    ['an ignored file', 'Added the bundle as `dist/bundle.js`.', {}],
    ['a kind of file', 'Added support for `config/app.yml`.', {}],
    ['a name without a folder', 'Added reading of all `tsconfig.json`.', {}],
    ['the work moved on', 'The working tree is clean.', { head: 'c'.repeat(40), dirty: ['a.ts'] }],
    ['its own issue', 'Fixes #42.', {}],
    ['another issue, or a pull request', 'Fixes #7 and closes #57.', {}],
    ['no transcript', 'All tests pass. Ran `npm run e2e` successfully.', { noTranscript: true, checks: {} }],
    ['nothing said', '', FAILED],
  ])('%s', async (_, said, facts) => {
    expect(await contradictionsIn(said, facts)).toEqual([])
  })
})
