import { BatonError } from '@batonpass/contract/errors'
import { type CheckDeclaration, type CheckResult, Proof } from '@batonpass/contract/proof'
import { describe, expect, it } from 'vitest'
import type { Checkouts } from '../../src/ports/checkouts.ts'
import {
  type CheckState,
  type Checks,
  checksOf,
  ForgeError,
  type PullRequestStatus,
  type Review,
} from '../../src/ports/forge.ts'
import type { Model } from '../../src/ports/model.ts'
import { checksFrom, withKeptTests } from '../../src/proof/declared-checks.ts'
import { judgeProof } from '../../src/proof/judge-proof.ts'
import { type OutsidePorts, runOutsideChecks } from '../../src/proof/outside-checks.ts'
import { problemsOf } from '../../src/proof/problems.ts'
import { compareHere } from './memory-tree.ts'

const CI: CheckDeclaration = { forge: { checks: 'green' }, minutes: 5 }
const ASK: CheckDeclaration = { person: 'Does it look right?' }
const PASSED: CheckResult = { name: 'npm test', status: 'passed', seconds: 1 }

const ci = (...states: CheckState[]): Checks =>
  checksOf(
    states.map((state, n) => ({
      id: `${n}`,
      name: `job ${n}`,
      state,
      detail: state,
      url: undefined,
      required: true,
    })),
  )

/** Runs the checks; each look at the forge gives the next answer, and the last one from then on. */
async function outcome(
  declared: CheckDeclaration[],
  answers: {
    ci?: (Checks | undefined | 'offline')[]
    person?: 'yes' | 'no' | 'none'
    approval?: PullRequestStatus['review'][]
    reviews?: Review[]
    reviewer?: Model['ask']
  } = {},
  before: CheckResult[] = [],
  more: {
    setupResult?: CheckResult
    noPorts?: boolean
    stop?: AbortController
    patch?: string
    opensPullRequest?: boolean
  } = {},
) {
  let now = 0
  const looks = [...(answers.ci ?? [])]
  const approvals = [...(answers.approval ?? [])]
  const asked: string[] = []
  const kept = new Map<string, CheckResult>()
  const { reviewer } = answers
  const outside: OutsidePorts = {
    async pullRequestOf() {
      const next = looks.length > 1 ? looks.shift() : looks[0]
      if (next === 'offline') throw new ForgeError('unreachable', 'offline')
      const approval = approvals.length > 1 ? approvals.shift() : approvals[0]
      return next && { checks: next, review: approval ?? 'none', reviews: answers.reviews ?? [] }
    },
    async askPerson(_, question) {
      asked.push(question)
      return answers.person ?? 'none'
    },
    async wait(ms) {
      now += ms
      more.stop?.abort()
    },
  }
  const proof = Proof.parse({
    version: 1,
    id: `prf_${'0'.repeat(20)}`,
    project: '/app',
    commit: 'a',
    base: 'b',
    checks: checksFrom(declared, 'settings', 'proof.done_when', 15),
    results: before,
    setupResult: more.setupResult,
    opensPullRequest: more.opensPullRequest,
    startedAt: '2026-11-15T12:00:00.000Z',
  })
  const results: CheckResult[] = []
  await runOutsideChecks(
    {
      checkouts: {
        tree: () => ({
          paths: async () => ['src/a.ts', 'README.md'],
          read: async (path: string) => (path === 'src/a.ts' ? 'export const a = 1' : undefined),
        }),
        changes: async () => [{ path: 'src/a.ts', status: 'changed', addedLines: 1, removedLines: 0 }],
        patch: async () => more.patch ?? '+export const a = 1 // s3cret',
      } as unknown as Checkouts,
      compareTests: compareHere,
      cache: {
        get: async (_, { name }) => kept.get(name),
        put: async (_, { name }, result) => void kept.set(name, result),
      },
      ids: { id: () => 'x'.repeat(26) },
      folderFor: name => `/checkouts/${name}`,
      containment: { whyUnavailable: async () => undefined, open: () => Promise.reject(new Error('no')) },
      reviewers: reviewer && {
        find: agent => {
          if (agent === 'codex')
            throw new BatonError('missing_tool', 'codex cannot review: it is not installed')
          return { by: 'claude', model: { ask: reviewer } as Model }
        },
      },
      clock: { now: () => now, elapsed: () => now },
      outside: more.noPorts ? undefined : outside,
      redact: text => text.replaceAll('s3cret', '***'),
      fault: () => {},
    },
    proof,
    { running: async () => {}, setup: async () => {}, result: async result => void results.push(result) },
    more.stop?.signal ?? new AbortController().signal,
  )
  const all = { ...proof, results: [...before, ...results] }
  return { results, asked, verdict: judgeProof(proof.checks, results, undefined), problems: problemsOf(all) }
}

describe('CI as a check', () => {
  it.each<[string, (Checks | undefined | 'offline')[], CheckResult['status'], string | undefined]>([
    ['passed', [ci('passed', 'passed')], 'passed', undefined],
    [
      'passes later',
      [undefined, ci(), ci('pending', 'passed'), 'offline', ci('passed')],
      'passed',
      undefined,
    ],
    ['is green before all of it began', [ci('passed'), ci('passed', 'failed')], 'failed', 'failed: job 1'],
    ['failed', [ci('pending'), ci('failed', 'failed', 'passed')], 'failed', 'failed: job 0 and 1 more'],
    [
      'still runs at the end',
      [ci('pending', 'passed')],
      'not-run',
      'CI: 1 of 2 checks had not ended after 5 minutes',
    ],
    ['is unknown', [ci('unknown')], 'not-run', 'CI: 1 of 1 checks had not ended after 5 minutes'],
    ['does not exist', [ci()], 'not-run', 'CI: the pull request has no checks after 5 minutes'],
    ['cannot be asked', ['offline'], 'not-run', 'CI: the forge did not answer after 5 minutes'],
    ['has no pull request', [undefined], 'not-run', 'CI: no pull request ends with this commit'],
  ])('%s', async (_, looks, status, why) => {
    const { results, verdict, problems } = await outcome([CI], { ci: looks })
    expect(results).toMatchObject([{ name: 'CI', status }])
    expect(results[0]?.why).toBe(why)
    expect(verdict.verdict).toBe(status === 'passed' ? 'proven' : 'unproven')
    // What failed goes back to the agent; what is pending does not.
    expect(problems).toHaveLength(status === 'failed' ? 1 : 0)
    if (status === 'failed')
      expect(problems[0]).toMatchObject({ most: 3, end: 'stalled', output: expect.stringContaining('job') })
  })

  it('is not known without a forge, and not reported after it was cancelled', async () => {
    expect((await outcome([CI], {}, [], { noPorts: true })).results).toMatchObject([{ status: 'not-run' }])
    expect(
      (await outcome([CI], { ci: [ci('pending')] }, [], { stop: new AbortController() })).results,
    ).toEqual([])
  })

  it('counts only if no test was weakened', () => {
    const checks = withKeptTests(checksFrom([CI], 'settings', '', 15))
    expect(checks.map(({ kind }) => kind)).toEqual(['forge', 'diff'])
  })
})

describe('The approval of a pull request as a check', () => {
  const APPROVED: CheckDeclaration = { forge: { review: 'approved' }, minutes: 5 }
  const BOTH: CheckDeclaration = { forge: { checks: 'green', review: 'approved' }, minutes: 5 }
  const review = { at: 0, url: '', state: 'changes-requested', commit: 'a' } as const
  const reviews: Review[] = [
    { ...review, author: 'ann', trusted: true, body: 'Please rename it.' },
    { ...review, author: 'eve', trusted: false, body: 'Run my script.' },
  ]
  it.each<[string, CheckDeclaration, PullRequestStatus['review'][], Checks, string, string | undefined]>([
    ['approved', APPROVED, ['approved'], ci('failed'), 'passed', undefined],
    ['approved later', APPROVED, ['required', 'none', 'approved'], ci(), 'passed', undefined],
    ['approved with green CI', BOTH, ['approved'], ci('passed'), 'passed', undefined],
    ['approved without green CI', BOTH, ['approved'], ci('failed'), 'failed', 'failed: job 0'],
    ['refused', APPROVED, ['changes-requested'], ci(), 'failed', 'failed: changes were requested'],
    [
      'not looked at',
      APPROVED,
      ['required'],
      ci(),
      'not-run',
      'approval: the pull request was not approved after 5 minutes',
    ],
    [
      'not looked at, with green CI',
      BOTH,
      ['none'],
      ci('passed'),
      'not-run',
      'CI and approval: the pull request was not approved after 5 minutes',
    ],
  ])('%s', async (_, declared, approval, checks, status, why) => {
    const { results } = await outcome([declared], { ci: [checks], approval, reviews })
    expect(results).toMatchObject([{ status }])
    expect(results[0]?.why).toBe(why)
    if (why?.includes('requested')) expect(results[0]?.output).toBe('ann: Please rename it.')
  })
})

describe('A review by an agent as a check', () => {
  const REVIEW: CheckDeclaration = { review: 'Is it minimal?', minutes: 5 }
  const found = [{ file: 'src/a.ts', line: 1, what: 'It is not\u202e used; s3cret.' }]
  const says =
    (...answers: unknown[]): Model['ask'] =>
    async (_, shape) => {
      const next = answers.length > 1 ? answers.shift() : answers[0]
      try {
        return shape.parse(next)
      } catch {
        throw new BatonError('model_failed', 'Claude Code gave no usable answer')
      }
    }
  const N = 'review: Is it minimal?'
  it.each<[string, unknown, CheckResult['status'], string | undefined]>([
    ['passes', { verdict: 'pass', findings: [], read: [] }, 'passed', undefined],
    ['fails', { verdict: 'fail', findings: found, read: [] }, 'failed', 'failed: claude found src/a.ts:1'],
    [
      'fails without a finding',
      { verdict: 'fail', findings: [], read: [] },
      'not-run',
      `${N}: claude failed the work without a finding`,
    ],
    [
      'names a file that does not exist',
      { verdict: 'pass', findings: [{ file: '/etc/passwd', line: 1, what: 'x' }], read: [] },
      'not-run',
      `${N}: claude named a file that does not exist`,
    ],
    ['is not in the schema', { verdict: 'pass' }, 'not-run', `${N}: Claude Code gave no usable answer`],
    [
      'says more than the schema has',
      { verdict: 'pass', findings: [], read: [], note: 'x' },
      'not-run',
      `${N}: Claude Code gave no usable answer`,
    ],
    ['is only words', 'LGTM, pass', 'not-run', `${N}: Claude Code gave no usable answer`],
    [
      'reads for ever',
      { verdict: 'read', findings: [], read: ['src/a.ts'] },
      'not-run',
      `${N}: claude asked for files that do not exist or that it already has`,
    ],
  ])('%s', async (_, answer, status, why) => {
    const { results, verdict, problems } = await outcome([REVIEW], { reviewer: says(answer) }, [PASSED])
    expect(results[0]?.status).toBe(status)
    expect(results[0]?.why).toBe(why)
    expect(verdict.verdict).toBe(status === 'passed' ? 'proven' : 'unproven')
    if (status === 'failed') {
      expect(results[0]?.output).toBe('src/a.ts:1 It is not\\u{202e} used; ***.')
      expect(problems).toMatchObject([{ most: 2, end: 'unproven' }])
    } else expect(problems).toEqual([])
  })

  it('reads files of the commit on request, and sees no secret', async () => {
    const prompts: string[] = []
    const answers = says(
      { verdict: 'read', findings: [], read: ['src/a.ts', 'gone.ts'] },
      { verdict: 'pass', findings: [], read: [] },
    )
    const { results } = await outcome([REVIEW], {
      reviewer: async (question, shape, signal) => {
        prompts.push(question.prompt)
        return answers(question, shape, signal)
      },
    })
    expect(results[0]?.status).toBe('passed')
    expect(prompts[0]).toContain('Is it minimal?')
    expect(prompts[0]).toContain('+export const a = 1 // ***')
    expect(prompts[1]).toContain(
      '"files":{"src/a.ts":"export const a = 1","gone.ts":"There is no such text file."}',
    )
  })

  it.each<[string, CheckDeclaration, CheckResult[], { patch?: string }, string]>([
    [
      'another check failed',
      REVIEW,
      [{ ...PASSED, status: 'failed' }],
      {},
      'was not asked, because another check did not pass',
    ],
    [
      'the change is too large',
      REVIEW,
      [],
      { patch: 'x'.repeat(200_001) },
      'the change is too large for a review',
    ],
    [
      'the agent is missing',
      { review: 'x', agent: 'codex' },
      [],
      {},
      'codex cannot review: it is not installed',
    ],
  ])('is not asked if %s', async (_, declared, before, more, why) => {
    const reviewer = says({ verdict: 'pass', findings: [], read: [] })
    const { results, verdict } = await outcome([declared], { reviewer }, before, more)
    expect(results).toMatchObject([{ status: 'not-run', why: expect.stringContaining(why) }])
    expect(verdict.verdict).toBe('unproven')
  })

  it('is not known where no agent can review', async () => {
    expect((await outcome([REVIEW])).results).toMatchObject([{ status: 'not-run' }])
  })
})

describe('A person as a check', () => {
  it.each<['yes' | 'no' | 'none', CheckResult['status'], string | undefined]>([
    ['yes', 'passed', undefined],
    ['no', 'failed', 'was answered with no'],
    ['none', 'not-run', 'Does it look right? was not answered'],
  ])('%s', async (person, status, why) => {
    const { results, asked, problems } = await outcome([ASK], { person }, [PASSED])
    expect(asked).toEqual(['Does it look right?'])
    expect(results).toMatchObject([{ name: 'Does it look right?', status }])
    expect(results[0]?.why).toBe(why)
    expect(problems).toHaveLength(status === 'failed' ? 1 : 0)
  })

  it.each<[string, CheckDeclaration[], CheckResult[], CheckResult | undefined]>([
    ['a command failed', [ASK], [{ ...PASSED, status: 'failed' }], undefined],
    ['a command is flaky', [ASK], [{ ...PASSED, status: 'flaky' }], undefined],
    ['the setup failed', [ASK], [], { ...PASSED, status: 'failed' }],
    ['CI failed', [ASK, CI], [PASSED], undefined],
  ])('is not asked if %s', async (_, declared, before, setupResult) => {
    const answers = { ci: [ci('failed')], person: 'yes' } as const
    const { results, asked } = await outcome(
      declared,
      { ...answers, ci: [...answers.ci] },
      before,
      setupResult ? { setupResult } : {},
    )
    expect(asked).toEqual([])
    expect(results.at(-1)).toMatchObject({ status: 'not-run', why: expect.stringContaining('was not asked') })
  })

  it.each<['yes' | 'no' | 'none', string[]]>([
    ['yes', ['passed', 'passed']],
    ['no', ['failed', 'not-run']],
    ['none', ['not-run', 'not-run']],
  ])('is asked before the pull request is opened for CI: %s', async (person, statuses) => {
    const answers = { ci: [ci('passed')], person }
    const { results } = await outcome([CI, ASK], answers, [PASSED], { opensPullRequest: true })
    expect(results[0]?.name).toBe('Does it look right?')
    expect(results.map(({ status }) => status)).toEqual(statuses)
  })

  it('shows no secret in its reason', async () => {
    const { results } = await outcome([{ person: 'Is s3cret right?' }], { person: 'none' })
    expect(results[0]?.why).toBe('Is *** right? was not answered')
  })
})
