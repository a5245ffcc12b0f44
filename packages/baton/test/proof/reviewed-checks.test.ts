import { BatonError } from '@batonpass/contract/errors'
import { type Check, type CheckResult, Proof } from '@batonpass/contract/proof'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { ChangedFile, Checkouts } from '../../src/ports/checkouts.ts'
import type { Model } from '../../src/ports/model.ts'
import { judgeProof } from '../../src/proof/judge-proof.ts'
import { runOutsideChecks } from '../../src/proof/outside-checks.ts'
import { problemsOf } from '../../src/proof/problems.ts'
import { noteOnReview, type ReviewCheck } from '../../src/proof/review-check.ts'
import { askReviewer, type Reviewers, shapeOf } from '../../src/proof/review-session.ts'
import { runChecks } from '../../src/proof/run-checks.ts'
import { compareHere } from './memory-tree.ts'

const TEST = "test('adds', () => expect(add(1, 2)).toBe(3))\n"
const PASSED: CheckResult = { name: 'npm test', status: 'passed', seconds: 1 }
const FAILED: CheckResult = { ...PASSED, status: 'failed', why: 'failed with exit code 1' }
const task = (text: string): Check => ({
  kind: 'task',
  name: text,
  source: 'issue',
  where: 'issue #42',
  task: text,
  minutes: 15,
})
const KEPT: Check = {
  kind: 'diff',
  name: 'no test weakened',
  source: 'derived',
  where: 'the tests before the work',
  only: [],
  keepsTests: true,
}

interface Given {
  checks: Check[]
  /** What the agent that reviews answers, one after the other. Absent: none is installed. */
  answers?: unknown[]
  before?: CheckResult[]
  /** The reasons in the commits of the work. */
  trailers?: string[]
  issue?: string
}

/** The checks of a commit that deletes a test, with everything that is asked. */
async function prove({ checks, answers, before = [], trailers = [], issue }: Given) {
  const [left, prompts] = [[...(answers ?? [])], [] as string[]]
  const kept = new Map<string, CheckResult>()
  const changes: ChangedFile[] = [
    { path: 'sum.test.ts', status: 'removed', addedLines: 0, removedLines: 1 },
    { path: 'src/sum.ts', status: 'changed', addedLines: 1, removedLines: 1 },
  ]
  const parts = {
    checkouts: {
      tree: () => ({
        paths: async () => ['src/sum.ts'],
        read: async (path: string) => (path === 'sum.test.ts' ? TEST : 'export {}'),
      }),
      changes: async () => changes,
      patch: async () => '-export const sum',
      trailers: async () => trailers,
    } as unknown as Checkouts,
    compareTests: compareHere,
    cache: {
      get: async (_: unknown, { name }: { name: string }) => kept.get(name),
      put: async (_: unknown, { name }: { name: string }, result: CheckResult) => {
        if (result.status !== 'not-run') kept.set(name, result)
      },
    },
    ids: { id: () => 'x'.repeat(26) },
    reviewers: answers && {
      find: () => ({
        by: 'claude',
        model: {
          ask: async (question, shape) => {
            prompts.push(question.prompt)
            try {
              return shape.parse(left.shift())
            } catch {
              throw new BatonError('model_failed', 'Claude Code gave no usable answer')
            }
          },
        } as Pick<Model, 'ask'> as Model,
      }),
    },
    clock: { now: () => 0, elapsed: () => 0 },
    redact: (text: string) => text.replaceAll('s3cret', '***'),
    fault: () => {},
    containment: { whyUnavailable: async () => undefined, open: () => Promise.reject(new Error('no')) },
    folderFor: () => '/nowhere',
  }
  const once = async () => {
    let proof = Proof.parse({
      version: 1,
      id: `prf_${'0'.repeat(20)}`,
      project: '/app',
      commit: 'a',
      base: 'b',
      checks,
      results: before,
      startedAt: '2026-11-15T12:00:00.000Z',
      ...(issue ? { issue: { number: 42, text: issue } } : {}),
    })
    const progress = {
      running: async () => {},
      setup: async () => {},
      result: async (result: CheckResult) => {
        proof = { ...proof, results: [...proof.results, result] }
      },
    }
    const { signal } = new AbortController()
    await runChecks(parts, proof, progress, signal)
    await runOutsideChecks(parts, proof, progress, signal)
    return proof
  }
  const proof = await once()
  const results = proof.results.slice(before.length)
  const verdict = judgeProof(checks, proof.results, undefined)
  return { results, verdict, prompts, problems: problemsOf(proof), again: once }
}

const decision = (n: number, verdict: string, more: object = {}) => ({
  task: n,
  verdict,
  file: '',
  line: 0,
  check: '',
  what: 'It says so.',
  ...more,
})

describe('The task list of an issue', () => {
  it('is decided by one session, box by box', async () => {
    const checks = ['Add a sum', 'Test it', 'Document it', 'Announce it'].map(task)
    const { results, verdict, prompts, problems, again } = await prove({
      checks,
      before: [PASSED],
      answers: [
        { tasks: [], read: ['src/sum.ts'] },
        {
          tasks: [
            decision(1, 'done', { file: 'src/sum.ts', line: 3 }),
            decision(2, 'done', { check: 'npm test' }),
            decision(3, 'not-done', { what: 'There is no page; s3cret.' }),
            decision(4, 'cannot-tell'),
          ],
          read: [],
        },
      ],
    })
    expect(results.map(({ name, status, output }) => [name, status, output])).toEqual([
      ['Add a sum', 'passed', 'src/sum.ts:3: It says so.'],
      ['Test it', 'passed', 'the check npm test: It says so.'],
      ['Document it', 'failed', 'There is no page; ***.'],
      ['Announce it', 'not-run', 'It says so.'],
    ])
    expect(verdict).toEqual({ verdict: 'unproven', why: 'Document it is not done, claude found' })
    expect(problems).toMatchObject([{ what: 'Document it is not done, claude found', most: 2 }])
    expect(prompts).toHaveLength(2)
    expect(prompts[0]).toContain('"passedChecks":["npm test"]')
    // Only the box that no session decided is asked about again.
    expect((await again()).results.slice(1).map(({ cached, status }) => [cached, status])).toEqual([
      [true, 'passed'],
      [true, 'passed'],
      [true, 'failed'],
      [undefined, 'not-run'],
    ])
    expect(prompts[2]).toContain('"tasks":[{"number":1,"task":"Announce it"}]')
  })

  it.each<[string, unknown[] | undefined, string]>([
    ['no agent can review', undefined, 'Add a sum: no agent can review here'],
    [
      'it is not answered',
      [{ tasks: [decision(2, 'done')], read: [] }],
      'Add a sum: claude did not decide it',
    ],
    [
      'it is answered twice',
      [{ tasks: [decision(1, 'done'), decision(1, 'not-done')], read: [] }],
      'Add a sum: claude did not decide it',
    ],
    [
      'only words show it',
      [{ tasks: [decision(1, 'done')], read: [] }],
      'Add a sum: nothing shows that it is done',
    ],
    [
      'a file that does not exist shows it',
      [{ tasks: [decision(1, 'done', { file: '/etc/passwd', line: 1 })], read: [] }],
      'Add a sum: nothing shows that it is done',
    ],
    [
      'a check that did not pass shows it',
      [{ tasks: [decision(1, 'done', { check: 'npm run e2e' })], read: [] }],
      'Add a sum: nothing shows that it is done',
    ],
    ['it is only words', ['LGTM'], 'Add a sum: Claude Code gave no usable answer'],
  ])('never passes if %s', async (_, answers, why) => {
    const { results, verdict } = await prove({
      checks: [task('Add a sum')],
      before: [PASSED],
      ...(answers ? { answers } : {}),
    })
    expect(results).toMatchObject([{ status: 'not-run', why }])
    expect(verdict).toEqual({ verdict: 'unproven', why })
  })

  it('costs nothing while another check fails', async () => {
    const { results, prompts } = await prove({ checks: [task('Add a sum')], before: [FAILED], answers: [] })
    expect(results).toMatchObject([{ status: 'not-run', why: expect.stringContaining('not looked at') }])
    expect(prompts).toEqual([])
  })
})

describe('A review in the sandbox', () => {
  const passes = { tasks: [decision(1, 'done', { file: 'src/sum.ts', line: 1 })], read: [] }
  const folder = `/checkouts/prf_${'0'.repeat(20)}-review`

  it.each<[string, string | undefined, string[]]>([
    [
      'reads a clean checkout, which is removed afterwards',
      undefined,
      [`remove ${folder}`, `make ${folder}`, `ask in ${folder}`, `remove ${folder}`],
    ],
    ['has no tools where there is no sandbox', 'there is none', ['ask']],
  ])('%s', async (_, missing, steps) => {
    const done: string[] = []
    const model = (where: string) =>
      ({
        ask: async (question, shape) => {
          done.push(`ask${where}`)
          expect(question.prompt.includes('A clean checkout of the commit is in /')).toBe(where !== '')
          return shape.parse(passes)
        },
      }) as Pick<Model, 'ask'> as Model
    const question = {
      system: '',
      facts: {},
      shape: shapeOf(z.object({ tasks: z.array(z.unknown()), read: z.array(z.string()) })),
      wanted: () => undefined,
      minutes: 1,
    }
    const reviewed = await askReviewer(
      {
        checkouts: {
          tree: () => ({ paths: async () => [], read: async () => undefined }),
          changes: async () => [],
          patch: async () => '',
          make: async (_, __, to) => void done.push(`make ${to}`),
          remove: async from => void done.push(`remove ${from}`),
        },
        containment: { whyUnavailable: async () => missing },
        folderFor: name => `/checkouts/${name}`,
        reviewers: {
          find: () => ({
            by: 'claude',
            model: model(''),
            inCheckout: async to => ({ model: model(` in ${to}`), reads: to }),
          }),
        },
        clock: { now: () => 0, elapsed: () => 0 },
        ids: { id: () => 'x'.repeat(26) },
        redact: text => text,
      },
      { id: `prf_${'0'.repeat(20)}`, project: '/app', commit: 'a', base: 'b' } as Proof,
      question,
      new AbortController().signal,
    )
    expect(reviewed).toMatchObject({ answer: passes, by: 'claude' })
    expect(done).toEqual(steps)
  })
})

describe('What a person learns about a review before it runs', () => {
  const check = { kind: 'review', agent: 'codex' } as ReviewCheck
  const reviewer = { by: 'codex', model: {} as Model }
  it.each<[string, Reviewers | undefined, string | undefined]>([
    [
      'nothing, if it runs in the sandbox',
      { find: () => ({ ...reviewer, whyOutside: async () => undefined }) },
      undefined,
    ],
    [
      'why it does not run in the sandbox',
      { find: () => ({ ...reviewer, whyOutside: async () => 'Codex logs in with ChatGPT' }) },
      'codex reviews without tools and outside the sandbox: Codex logs in with ChatGPT',
    ],
    [
      'why it cannot run',
      {
        find: () => {
          throw new BatonError('missing_tool', 'codex cannot review: it is not installed')
        },
      },
      'cannot run: codex cannot review: it is not installed',
    ],
    ['that no agent can', undefined, 'cannot run: no agent can review here'],
  ])('%s', async (_, reviewers, note) => {
    expect(await noteOnReview(reviewers, check)).toBe(note)
  })
})

describe('A reason for weaker tests', () => {
  const reason = { checks: [KEPT], before: [PASSED], trailers: ['The sum is gone.'], issue: 'Remove the sum' }
  const answer = (verdict: string) => ({ verdict, what: 'It removes the sum.', read: [] })
  const WEAKER = '1 test fewer (sum.test.ts); 1 strict assertion fewer'

  it('counts if the issue asks for it, and is shown', async () => {
    const { results, verdict, prompts, again } = await prove({ ...reason, answers: [answer('asked-for')] })
    expect(verdict).toEqual({ verdict: 'proven' })
    expect(results).toMatchObject([
      {
        status: 'passed',
        note: `Weaker tests: ${WEAKER}. The agent says why: The sum is gone. claude finds that issue #42 asks for it. It removes the sum.`,
      },
    ])
    expect(prompts[0]).toContain('"issue":"Remove the sum"')
    expect((await again()).results.at(-1)).toMatchObject({ status: 'passed', cached: true })
  })

  it.each<[string, Partial<Given>, string]>([
    [
      'the issue does not ask for it',
      { answers: [answer('not-asked-for')] },
      'claude finds that issue #42 does not ask for it. It removes the sum.',
    ],
    [
      'there is no issue',
      { answers: [answer('asked-for')], issue: '' },
      'no issue is known that asks for it.',
    ],
    ['no agent can review', {}, 'no agent can review here.'],
    ['the answer has another form', { answers: ['yes'] }, 'Claude Code gave no usable answer.'],
    [
      'another check failed',
      { answers: [answer('asked-for')], before: [FAILED] },
      'another check did not pass.',
    ],
  ])('does not count if %s, and is shown', async (_, given, why) => {
    const { results } = await prove({ ...reason, ...given })
    expect(results).toMatchObject([
      {
        status: 'failed',
        why: `failed: ${WEAKER}`,
        note: `The agent says why: The sum is gone. It does not count: ${why}`,
      },
    ])
  })

  it('is asked for where there is none', async () => {
    const { results, problems } = await prove({ ...reason, trailers: [], answers: [answer('asked-for')] })
    expect(results).toMatchObject([{ status: 'failed', why: `failed: ${WEAKER}` }])
    expect(problems[0]?.output).toContain('Test-Change-Reason: the reason')
  })
})
