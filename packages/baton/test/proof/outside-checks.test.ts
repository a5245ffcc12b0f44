import { type CheckDeclaration, type CheckResult, Proof } from '@batonpass/contract/proof'
import { describe, expect, it } from 'vitest'
import { type CheckState, type Checks, checksOf, ForgeError } from '../../src/ports/forge.ts'
import { checksFrom, withKeptTests } from '../../src/proof/declared-checks.ts'
import { judgeProof } from '../../src/proof/judge-proof.ts'
import { type OutsidePorts, runOutsideChecks } from '../../src/proof/outside-checks.ts'
import { problemsOf } from '../../src/proof/problems.ts'

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
  answers: { ci?: (Checks | undefined | 'offline')[]; person?: 'yes' | 'no' | 'none' } = {},
  before: CheckResult[] = [],
  more: { setupResult?: CheckResult; noPorts?: boolean; stop?: AbortController } = {},
) {
  let now = 0
  const looks = [...(answers.ci ?? [])]
  const asked: string[] = []
  const outside: OutsidePorts = {
    async ciOf() {
      const next = looks.length > 1 ? looks.shift() : looks[0]
      if (next === 'offline') throw new ForgeError('unreachable', 'offline')
      return next
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
    startedAt: '2026-11-15T12:00:00.000Z',
  })
  const results: CheckResult[] = []
  await runOutsideChecks(
    {
      clock: { now: () => now, elapsed: () => now },
      outside: more.noPorts ? undefined : outside,
      redact: text => text.replaceAll('s3cret', '***'),
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

  it('shows no secret in its reason', async () => {
    const { results } = await outcome([{ person: 'Is s3cret right?' }], { person: 'none' })
    expect(results[0]?.why).toBe('Is *** right? was not answered')
  })
})
