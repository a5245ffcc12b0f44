import { Config } from '@batonpass/contract/config'
import type { CheckResult, Proof } from '@batonpass/contract/proof'
import { describe, expect, it } from 'vitest'
import { systemSmallFiles } from '../../src/adapters/system/small-files.ts'
import { lacksPerson } from '../../src/claim/merge-steps.ts'
import type { ClaimPorts, Trigger } from '../../src/claim/ports.ts'
import { followOpenProof, proveBranch } from '../../src/claim/prove-branch.ts'
import { ClaimRecord, ClaimRecords } from '../../src/claim/record.ts'
import type { CompareReport } from '../../src/proof/report.ts'
import { failedCheck, fakeProofs, PASSED, unproven } from '../world/fake-proofs.ts'
import { claimFile } from './sample.ts'

const sha = (n: number) => String(n).repeat(40)

const SESSION = `ses_${'1'.repeat(20)}`
const WORKFLOW_CHECKS = { workflow: 'release', done_when: ['npm run release-test'] }
const ISSUE_CHECKS = { issue: 42, done_when: ['npm run e2e'], isTrusted: true, refused: [] }

async function branch(checks = 1, config: object = {}, compareReport?: CompareReport) {
  const proofs = fakeProofs(checks)
  const records = new ClaimRecords(systemSmallFiles, undefined)
  const journal: string[] = []
  const state = { now: 0 }
  await records.put(
    ClaimRecord.parse({
      version: 1,
      id: `clm_${'a'.repeat(20)}`,
      issue: 42,
      project: '/app',
      home: '/app',
      repository: 'github.com/acme/app',
      branch: 'issue-42',
      agentId: 'ann-1',
      claimedAt: 0,
      stage: 'held',
      base: sha(9),
      issueChecks: ISSUE_CHECKS,
      session: SESSION,
      agent: 'claude-code',
      lease: { kind: 'git', token: 1, renewedAt: 0 },
    }),
  )
  const shown: string[] = []
  const announced: string[] = []
  const ports = {
    outside: {
      showProof: async (_: string, pull: number, { verdict }: Proof) =>
        void shown.push(`#${pull} ${verdict}`),
    },
    announce: async (_: string, text: string) => void announced.push(text),
    records,
    proofs,
    compareReport,
    workflowChecksOf: async (id: string) => (id === SESSION ? WORKFLOW_CHECKS : undefined),
    config: async () => Config.parse(config),
    clock: { now: () => state.now },
    journal: async (_: unknown, entry: { what: string }) => void journal.push(entry.what),
    fault: (_: string, cause: unknown) => {
      throw cause
    },
  } as unknown as ClaimPorts
  const record = async () => {
    const found = await records.at('/app')
    if (!found) throw new Error('no claim')
    return found
  }
  return {
    proofs,
    journal,
    shown,
    announced,
    state,
    follow: async () => followOpenProof(ports, await record()),
    change: async (change: (known: ClaimRecord) => ClaimRecord) =>
      void (await records.change(await record(), change)),
    record,
    commit: (id: string) => void proofs.commits.set('refs/heads/issue-42', id),
    gate: async (why: Trigger['why'] = 'tick', said?: string) =>
      proveBranch(ports, await record(), claimFile({ branch: 'issue-42', summary: 'Adds sums' }), {
        why,
        ...(why === 'stop' ? { report: { said } } : {}),
      }),
    /** The agent has received its news. */
    read: async () => void (await records.change(await record(), known => ({ ...known, inbox: [] }))),
  }
}

describe('the branch of a claim', () => {
  it('is proven before its pull request is opened', async () => {
    const b = await branch()
    b.commit(sha(1))
    expect(await b.gate('stop')).toEqual({ do: 'wait' })
    expect(await b.gate()).toEqual({ do: 'wait' })
    expect(b.proofs.started).toEqual([{ commit: sha(1), since: sha(9) }])
    expect(b.proofs.ordered).toMatchObject([{ issueChecks: ISSUE_CHECKS, workflowChecks: WORKFLOW_CHECKS }])
    b.proofs.end({ verdict: 'proven', results: [PASSED] })
    expect(await b.gate()).toMatchObject({ do: 'open', isDraft: false, proof: { verdict: 'proven' } })
  })

  it('waits while the record of its proof cannot be read, without a second proof', async () => {
    const b = await branch()
    b.commit(sha(1))
    await b.gate('stop')
    b.proofs.end({ verdict: 'proven', results: [PASSED] })
    b.proofs.isUnreadable = true
    expect(await b.gate()).toEqual({ do: 'wait' })
    expect(b.proofs.started).toHaveLength(1)
    b.proofs.isUnreadable = false
    expect(await b.gate()).toMatchObject({ do: 'open', proof: { verdict: 'proven' } })
  })

  it('is opened once only CI is missing, shows its result, and is proven again after a new commit', async () => {
    const b = await branch()
    b.commit(sha(1))
    expect(await b.gate('stop')).toEqual({ do: 'wait' })
    const waits = { endedAt: undefined, opensPullRequest: true, running: 'CI' }
    b.proofs.end({ ...waits, results: [] })
    expect(await b.gate()).toEqual({ do: 'wait' })
    b.proofs.end({ ...waits, results: [PASSED] })
    expect(await b.gate()).toMatchObject({ do: 'open', isDraft: false, proof: { running: 'CI' } })
    const pr = { number: 7, url: 'u', state: 'open' as const, checks: '', review: '', conflict: false }
    const seen = { head: sha(1), verdict: 'failed', isDraft: false, base: 'main', approvedCommits: [] }
    await b.change(known => ({ ...known, pr: { ...pr, seen } }) as ClaimRecord)
    await b.follow()
    expect(b.shown).toEqual([])
    b.proofs.end(unproven(failedCheck('')))
    await b.follow()
    await b.follow()
    expect(b.shown).toEqual(['#7 unproven'])
    expect(b.announced).toEqual(['⚠️ issue #42: PR #7 is unproven (npm test failed with exit code 1)'])
    // The agent pushed another commit.
    await b.change(known => ({ ...known, pr: { ...pr, seen: { ...seen, head: sha(2) } } }) as ClaimRecord)
    await b.follow()
    expect(b.proofs.started.map(({ commit }) => commit)).toEqual([sha(1), sha(2)])
    expect(b.proofs.ordered.at(-1)).toMatchObject({ opensPullRequest: true, issueChecks: ISSUE_CHECKS })
    b.proofs.end({ opensPullRequest: true, verdict: 'proven', results: [PASSED] })
    await b.follow()
    expect(b.shown).toEqual(['#7 unproven', '#7 proven'])
  })

  const PERSON = {
    kind: 'person',
    name: 'Look?',
    question: 'Look?',
    minutes: 9,
    source: 'settings',
    where: '',
  }
  const FORGE = {
    kind: 'forge',
    name: 'CI',
    checks: true,
    review: false,
    minutes: 9,
    source: 'settings',
    where: '',
  }
  const RUN = {
    kind: 'run',
    name: 'npm test',
    command: 'npm test',
    exit: 0,
    minutes: 9,
    source: 'settings',
    where: '',
  }
  const ALL = { checks: [RUN, FORGE, PERSON] } as unknown as Partial<Proof>
  const said = (status: CheckResult['status']): CheckResult => ({ name: 'Look?', status, seconds: 1 })
  const PR = { number: 7, url: 'u', state: 'open' as const, checks: '', review: '', conflict: false }
  const SEEN = { verdict: 'passed', isDraft: false, base: 'main', approvedCommits: [] }
  const seen = (head: string) => (known: ClaimRecord) =>
    ({ ...known, pr: { ...PR, seen: { ...SEEN, head } } }) as ClaimRecord

  it('is not opened, and not merged, before the person said yes that is one of its checks', async () => {
    const b = await branch()
    b.proofs.asks = true
    b.commit(sha(1))
    await b.gate('stop')
    const waits = { ...ALL, endedAt: undefined, opensPullRequest: true }
    b.proofs.end({ ...waits, results: [PASSED] })
    expect(await b.gate()).toEqual({ do: 'wait' })
    expect(lacksPerson(await b.record(), [sha(1)])).toBe(true)
    b.proofs.end({ ...waits, results: [PASSED, said('passed')] })
    expect(await b.gate()).toMatchObject({ do: 'open', isDraft: false })
    expect(lacksPerson(await b.record(), [sha(1)])).toBe(false)
    await b.change(seen(sha(2)))
    b.proofs.end({ ...ALL, opensPullRequest: true, verdict: 'proven', results: [PASSED, said('passed')] })
    await b.follow()
    // The agent pushed another commit, and the person says no to that one.
    await b.follow()
    expect(lacksPerson(await b.record(), [sha(2)])).toBe(true)
    b.proofs.end({ ...ALL, ...unproven(said('failed')), opensPullRequest: true })
    await b.follow()
    expect(lacksPerson(await b.record(), [sha(1), sha(2)])).toBe(true)
  })

  it('is opened as a draft if the person does not answer', async () => {
    const b = await branch()
    b.proofs.asks = true
    b.commit(sha(1))
    await b.gate('stop')
    b.proofs.end({
      ...ALL,
      verdict: 'unproven',
      why: 'Look? was not answered',
      results: [PASSED, said('not-run')],
    })
    expect(await b.gate()).toMatchObject({ do: 'open', isDraft: true })
    expect(lacksPerson(await b.record(), [sha(1)])).toBe(true)
  })

  it('is compared with what the agent reported also if it was opened for CI', async () => {
    const compared: unknown[] = []
    const b = await branch(1, {}, async ({ said, pullRequest }) => {
      compared.push([said, pullRequest])
      return ['there is no src/x.ts']
    })
    b.commit(sha(1))
    await b.gate('stop', 'Added src/x.ts.')
    b.proofs.end({ endedAt: undefined, opensPullRequest: true, results: [PASSED] })
    await b.gate()
    await b.change(seen(sha(1)))
    b.proofs.end({ opensPullRequest: true, verdict: 'proven', results: [PASSED] })
    await b.follow()
    expect(compared).toEqual([['Added src/x.ts.', 7]])
    expect(b.announced).toEqual([
      '✅ issue #42: PR #7 is proven; what the agent reported differs, see the proof',
    ])
  })

  it('without checks is opened at once, and normally', async () => {
    const b = await branch(0)
    b.commit(sha(1))
    expect(await b.gate('stop')).toMatchObject({ do: 'open', isDraft: false, proof: { why: 'no checks' } })
  })

  it('goes back to the agent with the failing output, once for each commit', async () => {
    const b = await branch()
    b.commit(sha(1))
    await b.gate('stop')
    b.proofs.end(unproven(failedCheck('a.test.js:3 expected 1')))
    expect(await b.gate()).toEqual({ do: 'wait' })
    expect(await b.gate()).toEqual({ do: 'wait' })
    const { inbox } = await b.record()
    expect(inbox).toMatchObject([{ kind: 'proof', act: true }])
    expect(inbox[0]?.text).toContain('  > a.test.js:3 expected 1')
    await b.read()
    // The agent works on it.
    expect(await b.gate()).toEqual({ do: 'wait' })
    expect((await b.record()).inbox).toEqual([])
    b.commit(sha(2))
    expect(await b.gate('stop')).toEqual({ do: 'wait' })
    b.proofs.end({ verdict: 'proven', results: [PASSED] })
    expect(await b.gate()).toMatchObject({ do: 'open', isDraft: false })
    expect(b.journal).toEqual(['proving', 'unproven', 'proving'])
  })

  it.each([
    ['the same failure three times', {}, 3],
    ['as many failures as proof.retries', { proof: { retries: 1 } }, 2],
  ])('is opened as a draft after %s', async (_, config, rounds) => {
    const b = await branch(1, config)
    for (let n = 1; n <= rounds; n++) {
      b.commit(sha(n))
      expect(await b.gate('stop')).toEqual({ do: 'wait' })
      b.proofs.end(unproven(failedCheck(`a.test.js:${n} expected 1`)))
      const gate = await b.gate()
      if (n < rounds) expect(gate).toEqual({ do: 'wait' })
      else expect(gate).toMatchObject({ do: 'open', isDraft: true, proof: { verdict: 'unproven' } })
      await b.read()
    }
  })

  it('is compared with what the agent reported: once back to the agent, then in the pull request', async () => {
    const seen: unknown[] = []
    const compare: CompareReport = async ({ said, pullRequestText, issue }) => {
      seen.push([said, pullRequestText, issue])
      return said?.includes('src/x.ts') ? ['there is no src/x.ts'] : []
    }
    for (const second of ['Added src/x.ts.', 'Added nothing.']) {
      const b = await branch(1, {}, compare)
      b.commit(sha(1))
      await b.gate('stop', 'Added src/x.ts.')
      b.proofs.end({ verdict: 'proven', results: [PASSED] })
      expect(await b.gate()).toEqual({ do: 'wait' })
      expect(seen.at(-1)).toEqual(['Added src/x.ts.', 'Adds sums', 42])
      expect((await b.record()).inbox[0]?.text).toContain('there is no src/x.ts')
      await b.read()
      expect(await b.gate()).toEqual({ do: 'wait' })
      // A report never decides the verdict: the pull request is not a draft.
      expect(await b.gate('stop', second)).toMatchObject({
        do: 'open',
        isDraft: false,
        proof: { verdict: 'proven', contradictions: second.includes('x.ts') ? ['there is no src/x.ts'] : [] },
      })
    }
  })

  it('is opened as a draft if the agent stops again without a new commit, or cannot be reached', async () => {
    for (const isReached of [true, false]) {
      const b = await branch(1, { proof: { retries: 1 } })
      b.commit(sha(1))
      await b.gate('stop')
      b.proofs.end(unproven(failedCheck('expected 1')))
      expect(await b.gate()).toEqual({ do: 'wait' })
      if (isReached) await b.read()
      else b.state.now += 11 * 60_000
      expect(await b.gate(isReached ? 'stop' : 'tick')).toMatchObject({ do: 'open', isDraft: true })
    }
  })
})
