import { describe, expect, it } from 'vitest'
import type { Forge, Issue, PullRequest } from '../../../src/ports/forge.ts'
import { sessionId } from '../../../src/session/id.ts'
import {
  issueToImpl,
  planToIssue,
  setupViewboard,
  ultraPlanner,
} from '../../../src/work/workflows/builtin-workflows.ts'
import { checkDelivery } from '../../../src/work/workflows/check-delivery.ts'
import { Run } from '../../../src/work/workflows/run.ts'

const run = (...marks: string[]) =>
  Run.parse({
    version: 1,
    session: sessionId('claude-code', 'a'),
    nativeSession: 'a',
    agent: 'claude-code',
    project: '/p',
    root: '/p',
    workflow: 'w',
    startedAt: 0,
    seenAt: 0,
    marks,
  })

const away = () => Promise.reject(new Error('not asked for'))
const forge = (parts: Partial<Forge>): Forge => ({
  repository: { host: 'github.com', owner: 'a', name: 'b' },
  me: async () => 'dev',
  issue: away,
  findIssue: async () => undefined,
  openIssues: away,
  pullRequestFor: async () => undefined,
  pullRequest: away,
  pullRequestText: away,
  mergeQueue: away,
  checkLog: away,
  board: async () => undefined,
  boardItems: away,
  ...parts,
})
const worktree = { head: 'abc', tree: '', branch: 'issue-42' }
const pull = (parts: Partial<PullRequest> = {}): PullRequest => ({
  number: 5,
  url: 'https://x/pull/5',
  title: 't',
  state: 'open',
  draft: false,
  branch: 'issue-42',
  base: 'main',
  headSha: 'abc',
  mergeable: 'yes',
  ...parts,
})
const posted = (parts: Partial<Issue>): Issue => ({
  number: 7,
  title: '[plan] T',
  url: 'u',
  state: 'open',
  labels: [],
  assignees: [],
  author: 'dev',
  createdAt: 1,
  body: 'x'.repeat(300),
  blockedBy: [],
  blockedElsewhere: [],
  boardItem: undefined,
  ...parts,
})

describe('A pull request counts as delivered', () => {
  const look = (found: PullRequest | undefined, branch: string | undefined = 'issue-42') =>
    checkDelivery(issueToImpl, run(), { ...worktree, branch }, forge({ pullRequestFor: async () => found }))
  it('when it is open with the last commit, or merged', async () => {
    expect(await look(pull())).toMatchObject({
      delivered: expect.stringContaining('#5'),
      pullRequest: { number: 5 },
    })
    expect((await look(pull({ state: 'merged', headSha: 'old' }))).delivered).toBeDefined()
  })
  it('but not as a draft, without the last commit, closed, on the main branch, or not at all', async () => {
    for (const found of [
      pull({ draft: true }),
      pull({ headSha: 'old' }),
      pull({ state: 'closed' }),
      undefined,
    ])
      expect((await look(found)).delivered).toBeUndefined()
    expect((await look(pull(), 'main')).delivered).toBeUndefined()
    expect(await look(pull({ draft: true }))).toMatchObject({ pullRequest: { number: 5 } })
  })
  it("by the agent's commands, if the forge cannot be reached", async () => {
    const broken = forge({ pullRequestFor: away })
    const seen = run('pull-request https://github.com/a/b/pull/9')
    expect((await checkDelivery(issueToImpl, seen, worktree, broken)).pullRequest?.number).toBe(9)
    expect((await checkDelivery(issueToImpl, run(), worktree, undefined)).delivered).toBeUndefined()
  })
  it("and not by the agent's commands, if the forge says otherwise", async () => {
    const seen = run('pull-request https://github.com/a/b/pull/9')
    expect((await checkDelivery(issueToImpl, seen, worktree, forge({}))).delivered).toBeUndefined()
  })
})

describe('A plan counts as delivered', () => {
  const seen = run('plan https://github.com/a/b/issues/7')
  it('when the issue contains one', async () => {
    const look = (issue: Partial<Issue>) =>
      checkDelivery(ultraPlanner, seen, worktree, forge({ issue: async () => posted(issue) }))
    expect((await look({})).delivered).toContain('#7')
    expect((await look({ title: 'T', labels: ['plan'] })).delivered).toContain('#7')
    expect((await look({ title: 'T' })).delivered).toBeUndefined()
    expect((await look({ body: 'soon' })).delivered).toBeUndefined()
  })
  it('when this account created one since the start', async () => {
    const queries: unknown[] = []
    const findIssue: Forge['findIssue'] = async query => {
      queries.push(query)
      return posted({})
    }
    expect((await checkDelivery(ultraPlanner, run(), worktree, forge({ findIssue }))).delivered).toContain(
      '#7',
    )
    expect(queries).toEqual([{ titleStart: '[plan]', state: 'any', author: 'dev', createdSince: 0 }])
    expect((await checkDelivery(planToIssue, run(), worktree, forge({ findIssue }))).delivered).toContain(
      '#7',
    )
    expect(queries[1]).toEqual(queries[0])
  })
})

it('A board counts as delivered when it has its columns and this run has touched it', async () => {
  const board = {
    owner: 'a',
    number: 1,
    id: 'b',
    title: 'B',
    url: 'https://x/1',
    statuses: ['Todo', 'Done'],
    hasAgent: true,
  }
  const there = forge({ board: async () => board })
  expect((await checkDelivery(setupViewboard, run('board'), worktree, there)).delivered).toContain(
    'https://x/1',
  )
  expect((await checkDelivery(setupViewboard, run(), worktree, there)).delivered).toBeUndefined()
  expect(
    (await checkDelivery(setupViewboard, run('board', 'label bug'), worktree, undefined)).delivered,
  ).toBeDefined()
})
