import { ClaimFile } from '@batonpass/contract/claim'
import { expect, test } from 'vitest'
import { claimGrantNow, grantOfClaim } from '../../src/claim/claim-grant.ts'
import { claimView } from '../../src/claim/claim-view.ts'
import { ClaimRecord } from '../../src/claim/record.ts'
import type { SignalFiles } from '../../src/claim/signal-file.ts'
import type { GrantFacts } from '../../src/ports/grant-facts.ts'
import { sessionId } from '../world/journal.ts'

const FACTS: GrantFacts = {
  read: async folder => ({
    root: folder,
    branch: 'issue-42',
    settings: 's',
    push: 'any',
    pushesTo: 'origin',
    fetchesFrom: 'origin',
    remotes: [{ name: 'origin', url: 'https://github.com/acme/shop' }],
    hooks: [],
  }),
  bases: async () => ['origin/main'],
}

async function claimed(more: object = {}) {
  const about = { issue: 42, branch: 'issue-42', project: '/work/tree' }
  const grant = await grantOfClaim({ grantFacts: FACTS, fault: () => {} }, about)
  return ClaimRecord.parse({
    version: 1,
    id: 'clm_00000000000000000001',
    ...about,
    home: '/work/tree',
    repository: 'github.com/acme/shop',
    agentId: 'dev-1',
    claimedAt: 1,
    stage: 'held',
    lease: { kind: 'git', token: 1, renewedAt: 1 },
    session: sessionId(1),
    grant,
    ...more,
  })
}

const signal = (more: object = {}) => ({
  kind: 'claim' as const,
  text: '',
  modifiedMs: 1,
  file: ClaimFile.parse({
    schema_version: 1,
    item_id: '',
    issue_number: 42,
    branch: 'issue-42',
    agent_id: 'dev-1',
    phase: 'coding',
    summary: '',
    status: 'In Progress',
    pr_number: null,
    last_check_poll: null,
    last_synced_status: 'In Progress',
    ...more,
  }),
})

test('the session that holds a claim may push its branch and work on its issue and pull request', async () => {
  expect(claimGrantNow(await claimed(), signal(), sessionId(1))).toMatchObject({
    job: 'claim #42',
    branch: 'issue-42',
    issue: 42,
    may: ['read', 'push', 'rebase', 'pull-request', 'issue'],
  })
  const pr = { number: 7, url: 'u', state: 'open' }
  expect(claimGrantNow(await claimed({ pr }), signal(), sessionId(1))?.pullRequest).toBe(7)
})

test('a lost lease, another session, an adopted claim or an edited signal file ends the grant', async () => {
  const lease = { kind: 'git', token: 1, renewedAt: 1, lost: true }
  expect(claimGrantNow(await claimed({ lease }), signal(), sessionId(1))).toBeUndefined()
  expect(claimGrantNow(await claimed(), signal(), sessionId(2))).toBeUndefined()
  expect(claimGrantNow(await claimed({ adopted: true }), signal(), sessionId(1))).toBeUndefined()
  expect(claimGrantNow(await claimed({ stage: 'ending' }), signal(), sessionId(1))).toBeUndefined()
  expect(claimGrantNow(await claimed(), signal({ branch: 'main' }), sessionId(1))).toBeUndefined()
  expect(claimGrantNow(await claimed(), signal({ issue_number: 43 }), sessionId(1))).toBeUndefined()
  expect(claimGrantNow(await claimed(), { kind: 'absent' }, sessionId(1))).toBeUndefined()
})

test('people see it with the claim, as long as it counts', async () => {
  const record = await claimed()
  const view = async (file: object) =>
    await claimView(record, { read: async () => signal(file) } as unknown as SignalFiles)
  expect((await view({})).grants).toContain('push branch issue-42 to origin')
  expect((await view({ branch: 'main' })).grants).toBeUndefined()
})
