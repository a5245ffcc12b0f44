import type { ClaimFile } from '@batonpass/contract/claim'
import { ClaimRecord } from '../../src/claim/record.ts'
import type { Check, PullRequestStatus } from '../../src/ports/forge.ts'
import { checksOf } from '../../src/ports/forge.ts'

/** The signal file of the seed's own example. */
export const claimFile = (more: Partial<ClaimFile> = {}): ClaimFile => ({
  schema_version: 1,
  item_id: 'PVTI_lADOBx',
  issue_number: 42,
  branch: 'claude/fix-thing-42',
  agent_id: 'edouard-1738000000',
  phase: 'coding',
  summary: '',
  status: 'In Progress',
  pr_number: null,
  last_check_poll: null,
  last_synced_status: 'In Progress',
  ...more,
})

export const check = (name: string, state: Check['state'], more: Partial<Check> = {}): Check => ({
  id: name,
  name,
  state,
  detail: state === 'failed' ? 'failure' : state,
  url: `https://x/runs/${name}`,
  required: false,
  ...more,
})

export const pullStatus = (
  checks: readonly Check[],
  more: Partial<PullRequestStatus> = {},
): PullRequestStatus => ({
  number: 107,
  url: 'https://x/pull/107',
  title: 'Fix',
  state: 'open',
  draft: false,
  branch: 'issue-42',
  base: 'main',
  headSha: 'abc',
  mergeable: 'yes',
  review: 'none',
  reviews: [],
  threads: [],
  requested: [],
  approvedCommits: [],
  checks: checksOf(checks),
  mergedAt: undefined,
  ...more,
})

export const claimRecord = (more: Partial<ClaimRecord> = {}): ClaimRecord =>
  ClaimRecord.parse({
    version: 1,
    id: 'clm_00000000000000000001',
    issue: 42,
    project: '/home/dev/app',
    home: '/home/dev/app',
    repository: 'github.com/acme/app',
    branch: 'issue-42',
    agentId: 'ann-1738000000',
    claimedAt: 0,
    stage: 'held',
    lease: { kind: 'git', token: 1, renewedAt: 0 },
    ...more,
  })
