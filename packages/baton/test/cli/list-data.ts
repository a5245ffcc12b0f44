import type { FleetStatus, JobView } from '@batonpass/contract/fleet'
import type { Recap } from '@batonpass/contract/recap'
import { WorkflowRun } from '@batonpass/contract/workflow'
import { sampleAsk } from '../ask/sample.ts'

/** What a busy day looks like to a command: long titles, long reasons, paths, and a title in letters that take two columns. */
export const NOW = '2026-03-02T12:00:00.000Z'
const hourAgo = '2026-03-02T11:00:00.000Z'
const SESSION = '3f2a91c0-aaaa-4bbb-8ccc-dddddddddddd'
const REPOSITORY = 'github.com/acme/shop'

export const asks = [
  sampleAsk({
    title: 'Bash: pushes to a branch that other people use',
    detail:
      'git push --force-with-lease origin feature/discount-codes-in-the-cart && gh pr create --fill --base main',
    createdAt: hourAgo,
    parkedAt: '2026-03-02T11:30:00.000Z',
    expiresAt: '2026-03-02T12:30:00.000Z',
    facts: {
      nativeSession: SESSION,
      sessionName: '#42 Apply discount codes in the cart',
      agent: 'claude-code',
      project: '/home/dev/work/shop',
    },
  }),
]

export const claims = [
  {
    id: 'clm_0123456789abcdefghij',
    issue: 42,
    title: 'Apply discount codes in the cart, also for gift cards and vouchers',
    repository: REPOSITORY,
    project: '/home/dev/work/shop-42',
    branch: 'issue-42-apply-discount-codes',
    agentId: 'dev-1738000000',
    phase: 'checks_running',
    nativeSession: SESSION,
    pullRequest: {
      number: 107,
      url: 'https://github.com/acme/shop/pull/107',
      state: 'open',
      checks: '2/3 passed, 1 running',
      review: '',
      conflict: false,
    },
    lease: { kind: 'git', lost: false, renewedAt: hourAgo },
    closing: 'not-asked',
    trouble: {
      code: 'forge',
      message: 'GitHub did not answer within 30 seconds, for the third time',
      remedy: 'Baton tries again in 5 minutes.',
      since: hourAgo,
    },
    claimedAt: hourAgo,
  },
]

export const claimable = [
  { issue: 42, title: claims[0]?.title, labels: ['ready-for-agent', 'cart'], free: true },
  {
    issue: 7,
    title: '注文履歴のページが遅いので原因を調べて直す',
    labels: [],
    free: false,
    status: 'In Progress',
  },
  {
    issue: 1088,
    title: 'Upgrade the payment library',
    labels: ['ready-for-agent'],
    free: false,
    holder: {
      claim: 'clm_0123456789abcdefghij',
      agent: 'eve-1738000000',
      host: 'build-7',
      takenAt: hourAgo,
      until: hourAgo,
      dead: true,
    },
  },
].map(issue => ({ ...issue, url: `https://github.com/acme/shop/issues/${issue.issue}`, assignees: [] }))

export const board = {
  board: {
    title: 'Shop',
    url: 'https://github.com/orgs/acme/projects/1',
    statuses: ['Todo', 'In Progress'],
  },
  items: [
    {
      id: 'a',
      kind: 'issue',
      issue: 42,
      title: claims[0]?.title,
      status: 'Todo',
      labels: [],
      assignees: ['dev', 'eve'],
    },
    {
      id: 'b',
      kind: 'draft',
      title: 'Ask legal about vouchers',
      status: 'In Progress',
      labels: [],
      assignees: [],
    },
  ],
}

export const jobs: JobView[] = [
  {
    id: '1',
    repository: REPOSITORY,
    project: '/home/dev/work/shop',
    issue: 42,
    state: 'working',
    priority: 5,
    agent: 'claude-code',
    failures: 1,
    addedAt: hourAgo,
    terminal: 'baton-shop-42-ab12',
  },
  {
    id: '2',
    repository: REPOSITORY,
    project: '/home/dev/work/shop',
    issue: 43,
    state: 'failed',
    priority: 0,
    failures: 2,
    addedAt: hourAgo,
    reason: 'unproven: the check `npm test` failed twice on the same commit',
    clone: '/home/dev/work/.baton-clones/shop-43',
  },
]

export const fleet: FleetStatus = {
  budget: { used: { tokens: 812_000, money: 4.2, hours: 3.5 }, limits: { money: 25 } },
  mode: 'up',
  slots: 3,
  busy: 1,
  agents: ['claude-code', 'codex'],
  perRepository: 2,
  database: 'own',
  waits: 'the budget of the day is used up: 25 of 25 dollars; it starts again tomorrow at 00:00',
  jobs,
  sources: [
    { repository: REPOSITORY, project: '/home/dev/work/shop', label: 'baton', column: 'Ready for agents' },
  ],
  members: [],
  asks: [{ id: 'ask_0123456789abcdefghij', title: 'Merge PR #7 into main?', machine: 'build-8' }],
  machines: [
    {
      id: 'm',
      name: 'build-7',
      isHere: true,
      isAlive: true,
      isMember: true,
      sessions: [],
      merges: [],
      changes: [],
      until: NOW,
      mode: 'up',
      slots: 3,
      busy: 1,
      agents: [],
    },
  ],
  merges: [
    {
      repository: REPOSITORY,
      issue: 41,
      pullRequest: 'https://github.com/acme/shop/pull/106',
      base: 'main',
      state: 'waiting',
      note: 'waits for your yes: baton asks',
      since: hourAgo,
    },
  ],
  overlaps: [
    { repository: REPOSITORY, issues: [41, 42], files: ['src/cart/total.ts', 'src/cart/line.ts', 'a', 'b'] },
  ],
}

const proof = {
  version: 1,
  project: '/home/dev/work/shop',
  commit: '9d1f0e4c2b7a6655443322110000aaaabbbbcccc',
  base: '1111111111111111111111111111111111111111',
  checks: [],
  startedAt: hourAgo,
}
export const proofs = [
  { ...proof, id: 'prf_0123456789abcdefghij', verdict: 'proven' },
  {
    ...proof,
    id: 'prf_0123456789abcdefghik',
    verdict: 'unproven',
    why: 'the check `npm run test:integration -- --project cart` failed and then passed on the same commit',
  },
]

export const checks = {
  commit: proof.commit,
  base: proof.base,
  setup: 'npm ci --ignore-scripts',
  checks: [
    {
      name: 'npm run test:integration -- --project cart --reporter dot --coverage',
      source: 'derived',
      where: 'package.json',
      kind: 'run',
      command: 'npm test',
      exit: 0,
      minutes: 10,
    },
    {
      name: 'a person has read it',
      source: 'settings',
      where: '/home/dev/work/shop/.baton.yaml',
      kind: 'person',
      question: 'Read?',
      minutes: 60,
    },
  ],
}

export const recap: Recap = {
  since: hourAgo,
  until: NOW,
  projects: [
    {
      project: '/home/dev/work/shop',
      commits: [
        {
          id: proof.commit,
          subject: 'cart: apply discount codes before taxes, and round each line',
          files: 2,
        },
      ],
      files: ['a', 'b'],
      tests: {
        command: 'npm run test:integration -- --project cart',
        passed: false,
        failing: 1,
        at: hourAgo,
        runs: 1,
      },
      undo: [{ step: 12, subject: 'rm -rf build && npm run build', at: hourAgo }],
    },
  ],
  decided: [
    {
      decision: 'allow',
      by: 'rules',
      reason: 'reads only, inside of the project, and every part of the command is understood',
      count: 12,
      subjects: ['git status --short', 'rg discount src', 'npm test -- --run test/cart/total.test.ts'],
      lastAt: hourAgo,
    },
  ],
  decisions: { all: 13, without: 12 },
  answeredByPolicy: [],
  prevented: [],
  ended: [],
  handoffs: [],
  continued: 0,
  waits: { asks, sessions: [] },
  faults: [],
}

export const runs = [
  { count: 1, project: '/home/dev/work/shop', issue: 42 },
  {
    count: 3,
    project: '/srv/a/long/path/to/another/project',
    issue: 43,
    pullRequest: 'https://github.com/acme/shop/pull/107',
    end: {
      kind: 'stalled',
      reason: 'no commit in the last three continuations, and the same test failed each time',
      at: hourAgo,
    },
  },
].map(parts =>
  WorkflowRun.parse({
    session: 'ses_0123456789abcdef',
    nativeSession: SESSION,
    agent: 'claude-code',
    workflow: 'issue-to-impl',
    state: 'running',
    startedAt: hourAgo,
    tokens: 0,
    money: 0,
    ...parts,
  }),
)

export const sessions = [
  {
    id: 'ses_0123456789abcdef',
    agent: 'claude-code',
    nativeSession: SESSION,
    name: '#42 Apply discount codes in the cart',
    project: '/home/dev/work/shop',
    startedAt: hourAgo,
    lastSeenAt: hourAgo,
    lastEvent: 'TurnEnded',
    events: 3,
  },
]

export const entries = [
  {
    seq: 1,
    id: 'ent_0123456789abcdefghij',
    at: hourAgo,
    agent: 'claude-code',
    session: 'ses_0123456789abcdef',
    nativeSession: SESSION,
    project: '/home/dev/work/shop',
    body: {
      kind: 'decision',
      event: 'evt_0123456789abcdefghij',
      decision: 'ask',
      by: 'rules',
      tool: 'Bash',
      subject: asks[0]?.detail,
      reason: 'pushes to a branch that other people use, and opens a pull request',
      trail: [
        {
          part: 'git push --force-with-lease',
          decision: 'ask',
          reason: 'publishes commits',
          rule: 'git-push',
        },
      ],
      tookMs: 3,
    },
  },
]

export const health = {
  name: 'baton',
  version: '0.2.0',
  protocol: 1,
  pid: 4242,
  startedAt: hourAgo,
  stateDir: '/home/dev/.local/state/baton',
  url: 'http://127.0.0.1:4747',
  draining: false,
  sessions: { live: 1 },
  memoryMb: 90,
  store: { kind: 'sqlite', entries: 1, copy: 'off' },
  config: {
    ok: false,
    problems: ['/home/dev/.baton.yaml line 3: permission.undecided must be respect, ask or deny'],
  },
}

const step = { kind: 'command', session: undefined, event: undefined, head: undefined, leftOut: 0 } as const
export const steps = [
  {
    ...step,
    step: 12,
    at: hourAgo,
    branch: 'issue-42-apply-discount-codes',
    label: 'rm -rf build && npm run build -- --mode production --out build',
  },
  { ...step, step: 9, at: '2026-02-27T12:00:00.000Z', branch: 'main', label: 'git reset --hard' },
]

export const doctorChecks = [
  { name: 'node', state: 'ok', message: 'v24.1.0' },
  {
    name: 'Claude Code hooks',
    state: 'warn',
    message: 'an older version of Baton wrote the hooks, so questions of subagents do not reach it',
    fix: 'Run `baton setup --agent claude-code`, then restart the sessions that are open.',
  },
] as const

export const handoffs = [
  {
    name: '2026-03-02-1100-apply-discount-codes.md',
    createdAt: hourAgo,
    agent: 'claude-code' as const,
    session: SESSION,
    parent: '2026-03-02-0900-apply-discount-codes.md',
    writtenBy: 'agent' as const,
    verified: false,
    findings: 1,
    task: 'Apply discount codes in the cart, also for gift cards and vouchers, and round each line',
    receivedBy: [{ agent: 'codex', session: '77aa0b1c-aaaa-4bbb-8ccc-dddddddddddd' }],
  },
]

export const workItem = {
  workId: 'discount-codes',
  title: 'Apply discount codes in the cart, also for gift cards and vouchers',
  stage: 'Implementer, phase 2 of 3',
  mode: 'semi-auto' as const,
  modifiedAt: hourAgo,
}
