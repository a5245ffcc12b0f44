import { Proof } from '@batonpass/contract/proof'
import { describe, expect, test } from 'vitest'
import { claimMerges } from '../../src/claim/merge-steps.ts'
import type { ClaimPorts } from '../../src/claim/ports.ts'
import type { MergeRecord } from '../../src/fleet/job-record.ts'
import {
  type Attempt,
  type AttemptFacts,
  attemptStep,
  chooseMerges,
  type MergeCandidate,
  readinessOf,
} from '../../src/fleet/merge-steps.ts'
import { overlapsOf } from '../../src/fleet/overlaps.ts'
import { checksOf } from '../../src/ports/forge.ts'
import { checksFrom } from '../../src/proof/declared-checks.ts'

const NOW = 1_800_000_000_000
const MINUTE = 60_000

interface Given extends Partial<Omit<MergeCandidate, 'record' | 'seen'>> {
  record?: Partial<MergeRecord>
  seen?: Partial<MergeCandidate['seen']>
}

const candidate = (pull: number, { record, seen, ...more }: Given = {}): MergeCandidate => ({
  record: {
    version: 1,
    data: { repository: 'github.com/acme/app', issue: pull, project: '/app' },
    pull,
    base: 'main',
    since: NOW - 10 * MINUTE,
    lineage: ['head'],
    notBefore: 0,
    ...record,
  },
  seen: { head: 'head', base: 'main', isDraft: false, verdict: 'passed', approvedCommits: [], ...seen },
  review: 'none',
  hasConflict: false,
  policy: 'proven',
  ...more,
})

describe('what is missing before a merge', () => {
  test.each<[string, Given, string]>([
    ['nothing', {}, 'go'],
    ['a draft', { seen: { isDraft: true } }, 'wait'],
    ['failed checks', { seen: { verdict: 'failed' } }, 'wait'],
    ['checks that run', { seen: { verdict: 'pending' } }, 'wait'],
    ['a check in an unknown state', { seen: { verdict: 'unknown' } }, 'wait'],
    ['no checks at all', { seen: { verdict: 'none' } }, 'go'],
    ['checks that may not have started', { seen: { verdict: 'none' }, record: { since: NOW } }, 'wait'],
    ['requested changes, even if it is approved too', { review: 'changes-requested' }, 'wait'],
    ['a review that the forge requires', { review: 'required' }, 'wait'],
    ['a conflict comes before a question', { hasConflict: true, policy: 'person' }, 'refresh'],
    ['a person', { policy: 'person' }, 'ask'],
    ['a person said yes', { policy: 'person', answer: 'yes' }, 'go'],
    ['a person said no', { policy: 'person', answer: 'no' }, 'wait'],
    ['an approval instead of the yes', { policy: 'person', seen: { approvedCommits: ['head'] } }, 'go'],
    ['a person as a check', { lacksPerson: true }, 'wait'],
    [
      'a person as a check, although a review approves',
      { policy: 'approved', lacksPerson: true, seen: { approvedCommits: ['head'] } },
      'wait',
    ],
    [
      'a person as a check, who agreed to the merge',
      { policy: 'person', lacksPerson: true, answer: 'yes' },
      'go',
    ],
    ['an approval', { policy: 'approved' }, 'wait'],
    ['approved', { policy: 'approved', seen: { approvedCommits: ['head'] } }, 'go'],
    ['approved before the last commit', { policy: 'approved', seen: { approvedCommits: ['old'] } }, 'wait'],
    ['a yes does not replace the approval', { policy: 'approved', answer: 'yes' }, 'wait'],
    ['its agent has it', { record: { sentBack: { head: 'head', at: NOW, count: 1 } } }, 'author'],
    ['its agent changed it', { record: { sentBack: { head: 'old', at: NOW, count: 1 } } }, 'go'],
  ])('%s', (_, given, is) => {
    expect(readinessOf(candidate(1, given), NOW).is).toBe(is)
  })
})

describe('whose turn it is', () => {
  const chosen = (...all: MergeCandidate[]) => chooseMerges(all, NOW).map(({ record }) => record.pull)
  const attempt: Attempt = { via: 'baton', head: 'head', startedAt: NOW, hasChecks: true }

  test('the one that waits longest, one for each base branch', () => {
    const older = { since: NOW - 60 * MINUTE }
    expect(chosen(candidate(1), candidate(2, { record: older }), candidate(3))).toEqual([2])
    expect(chosen(candidate(1, { record: { base: 'next' } }), candidate(2, { record: older }))).toEqual([
      2, 1,
    ])
    expect(chosen(candidate(1, { record: { attempt } }), candidate(2))).toEqual([])
    expect(chosen(candidate(1, { record: { attempt: { ...attempt, via: 'forge' } } }), candidate(2))).toEqual(
      [2],
    )
    expect(chosen(candidate(1, { record: { notBefore: NOW + 1 } }), candidate(2))).toEqual([2])
  })

  test('a branch that went back to its agent twice holds its base for an hour, and goes first when it is back', () => {
    const lost = (count: number, at: number) => ({
      since: NOW - 90 * MINUTE,
      sentBack: { head: 'head', at, count },
    })
    expect(chosen(candidate(1, { record: lost(1, NOW) }), candidate(2))).toEqual([2])
    expect(chosen(candidate(1, { record: lost(2, NOW - MINUTE) }), candidate(2))).toEqual([])
    expect(chosen(candidate(1, { record: lost(2, NOW - 61 * MINUTE) }), candidate(2))).toEqual([2])
    const back = candidate(1, {
      record: { ...lost(2, NOW - MINUTE), lineage: ['new'] },
      seen: { head: 'new' },
    })
    expect(chosen(candidate(2), back)).toEqual([1])
    expect(chosen(candidate(2, { record: { attempt } }), back)).toEqual([])
  })
})

const CI = { later: { checks: true, review: false } }

describe('the next step of a pull request whose turn it is', () => {
  const attempt: Attempt = {
    via: 'baton',
    head: 'head',
    base: 'base',
    commit: 'merged',
    startedAt: NOW,
    hasChecks: true,
  }
  const pull = (more: Partial<AttemptFacts['pull']> = {}): AttemptFacts['pull'] => ({
    number: 1,
    url: '',
    title: '',
    state: 'open',
    draft: false,
    branch: 'issue-1',
    base: 'main',
    headSha: 'merged',
    mergeable: 'yes',
    review: 'none',
    reviews: [],
    threads: [],
    requested: [],
    approvedCommits: [],
    checks: checksOf([]),
    mergedAt: undefined,
    ...more,
  })
  const checks = (state: 'passed' | 'failed' | 'pending') =>
    checksOf([{ id: 'ci', name: 'ci', state, detail: state, url: undefined, required: true }])
  const facts = (more: Partial<AttemptFacts> = {}): AttemptFacts => ({
    pull: pull({ checks: checks('passed') }),
    baseTip: 'base',
    proof: 'proven',
    mayMerge: true,
    policy: 'proven',
    now: NOW,
    ...more,
  })
  test.each<[string, Partial<AttemptFacts>, string]>([
    ['merged', {}, 'merge'],
    ['was merged meanwhile', { pull: pull({ state: 'merged' }) }, 'finish'],
    ['was closed meanwhile', { pull: pull({ state: 'closed' }) }, 'leave'],
    ['has new commits', { pull: pull({ headSha: 'newer' }) }, 'again'],
    ['its base moved', { baseTip: 'newer' }, 'again'],
    ['is being proven', { proof: 'running' }, 'wait'],
    ['is not proven', { proof: { failed: 'npm test' } }, 'send-back'],
    ['cannot be proven', { proof: { missing: 'no docker' } }, 'leave'],
    ['cannot be proven, but a person agreed', { proof: { missing: 'no docker' }, policy: 'person' }, 'merge'],
    ['is left to CI, and was not pushed', { proof: CI, pull: pull({ headSha: 'head' }) }, 'push'],
    ['is left to CI, which passed', { proof: CI, pull: pull({ checks: checks('passed') }) }, 'merge'],
    ['is left to CI, which failed', { proof: CI, pull: pull({ checks: checks('failed') }) }, 'leave'],
    [
      'is left to a review that is missing',
      { proof: { later: { checks: false, review: true } }, pull: pull({ checks: checks('passed') }) },
      'wait',
    ],
    ['was not pushed', { pull: pull({ headSha: 'head' }) }, 'push'],
    ['may not be merged any more', { mayMerge: false }, 'leave'],
    ['has checks that run', { pull: pull({ checks: checks('pending') }) }, 'wait'],
    ['has checks that have not started', { pull: pull() }, 'wait'],
    ['has checks that never end', { pull: pull(), now: NOW + 3 * 60 * MINUTE }, 'leave'],
    ['is not known to merge yet', { pull: pull({ checks: checks('passed'), mergeable: 'unknown' }) }, 'wait'],
    ['fails its checks', { pull: pull({ checks: checks('failed') }) }, 'leave'],
    ['needs a review', { pull: pull({ checks: checks('passed'), review: 'required' }) }, 'leave'],
  ])('%s', (_, more, step) => {
    expect(attemptStep(attempt, facts(more)).do).toBe(step)
  })

  test('what could not be proven is left with the reason', () => {
    expect(attemptStep(attempt, facts({ proof: { missing: 'npm test needs containers' } }))).toEqual({
      do: 'leave',
      note: 'Baton could not prove it: npm test needs containers. See `baton proof`',
    })
  })

  test.each<[string, object, unknown]>([
    [
      'a check that could not run',
      { checks: checksFrom(['npm test'], 'derived', 'package.json', 15), why: 'npm test needs containers' },
      { missing: 'npm test needs containers' },
    ],
    [
      'only checks that look at the forge',
      { checks: [], why: 'no checks', later: { checks: true, review: false } },
      { later: { checks: true, review: false } },
    ],
    [
      'only questions to a person',
      { checks: [], why: 'no checks' },
      { missing: 'no check could run before it is pushed' },
    ],
  ])('a proof with %s says why', async (_, more, expected) => {
    const about = { version: 1, id: `prf_${'0'.repeat(20)}`, project: '/app', commit: 'a', base: 'a' }
    const at = '2026-11-15T12:00:00.000Z'
    const proof = Proof.parse({
      ...about,
      startedAt: at,
      endedAt: at,
      verdict: 'unproven',
      results: [],
      ...more,
    })
    const ports = { proofs: { get: async () => proof } } as unknown as ClaimPorts
    expect(await claimMerges(ports).proofOf(proof.id)).toEqual(expected)
  })

  test('without checks on the forge it does not wait for any', () => {
    expect(attemptStep({ ...attempt, hasChecks: false }, facts({ pull: pull() })).do).toBe('merge')
  })
})

test('branches of one repository that change the same files are named with the files', () => {
  const branch = (issue: number, files: string[], repository = 'github.com/acme/app') => ({
    repository,
    issue,
    files,
  })
  expect(
    overlapsOf([
      branch(2, ['cart.ts', 'tax.ts', 'a.md']),
      branch(1, ['cart.ts', 'tax.ts']),
      branch(3, ['cart.ts']),
      branch(4, ['cart.ts'], 'github.com/acme/lib'),
    ]),
  ).toEqual([
    { repository: 'github.com/acme/app', issues: [1, 2, 3], files: ['cart.ts'] },
    { repository: 'github.com/acme/app', issues: [1, 2], files: ['tax.ts'] },
  ])
})
