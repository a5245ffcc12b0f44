import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type BoardPlace, ForgeError, reviewersToAskAgain } from '../../src/ports/forge.ts'
import type { WritableForge } from '../../src/ports/writable-forge.ts'
import { type FakeGitHub, fakeGitHub } from '../world/github.ts'

/** A service with one empty repository, and ways to reach it. The world's own words stand for what people do there. */
export interface ForgeContract {
  title: string
  world(): Promise<FakeGitHub>
  /** A forge with nothing remembered, as after a restart. */
  forge(world: FakeGitHub, options?: { board?: BoardPlace; token?: string }): Promise<WritableForge>
}

/** What every forge promises to the lifecycle. */
export function forgeContract({ title, world: open, forge: connect }: ForgeContract): void {
  let world: FakeGitHub
  let forge: WritableForge
  beforeEach(async () => {
    world = await open()
    forge = await connect(world)
  })
  afterEach(async () => {
    try {
      world.assertClean()
    } finally {
      await world.close()
    }
  })
  const pushed = (branch = 'claude/fix-1') => world.repository.git.commit(branch, { 'fix.txt': branch })
  const failing = async (work: Promise<unknown>) => {
    const error = await work.then(
      () => undefined,
      (thrown: unknown) => thrown,
    )
    expect(error).toBeInstanceOf(ForgeError)
    return error as ForgeError
  }

  describe(`${title}: issues`, () => {
    test('an issue is read whole, with its place on the board', async () => {
      const board = world.board({ owner: 'acme' })
      const number = await world.repository.issue({
        title: 'Fix the race',
        body: 'It happens.',
        labels: ['bug'],
        assignees: ['dev'],
      })
      board.add(number, { status: 'In Progress', agent: 'dev-17' })
      const issue = await forge.issue(number)
      expect(issue).toMatchObject({ number, title: 'Fix the race', body: 'It happens.', state: 'open' })
      expect(issue).toMatchObject({ labels: ['bug'], assignees: ['dev'], author: 'dev', blockedBy: [] })
      expect(issue.boardItem).toMatchObject({ status: 'In Progress', agent: 'dev-17', issue: number })
    })

    test('open blockers are found in dependencies and in the text; closed and unknown ones block nothing', async () => {
      const [open, closed, named, done] = [
        await world.repository.issue(),
        await world.repository.issue(),
        await world.repository.issue(),
        await world.repository.issue(),
      ]
      await world.repository.closeIssue(closed)
      await world.repository.closeIssue(done)
      const number = await world.repository.issue({ body: `Blocked by #${named}, #${done} and #999\n` })
      world.repository.blockedBy(number, open, closed)
      expect((await forge.issue(number)).blockedBy).toEqual([open, named])
    })

    test('an issue that is not there, or is a pull request, is not found', async () => {
      expect((await failing(forge.issue(404))).trouble).toBe('not-found')
      await pushed()
      const pull = await world.repository.pull({ branch: 'claude/fix-1' })
      expect((await failing(forge.issue(pull))).trouble).toBe('not-found')
    })

    test('open issues are listed, the oldest first, with pull requests and closed ones left out', async () => {
      const first = await world.repository.issue({ title: 'One', labels: ['ready-for-agent'] })
      const second = await world.repository.issue({ title: 'Two' })
      await world.repository.closeIssue(await world.repository.issue({ title: 'Old' }))
      await pushed()
      await world.repository.pull({ branch: 'claude/fix-1' })
      expect((await forge.openIssues()).map(({ number }) => number)).toEqual([first, second])
      expect((await forge.openIssues('ready-for-agent')).map(({ title }) => title)).toEqual(['One'])
    })

    test('removes an assignee, and ignores a login that is not assigned', async () => {
      const number = await world.repository.issue({ assignees: ['reviewer'] })
      await forge.assign(number, ['dev'])
      await forge.unassign(number, ['dev'])
      await forge.unassign(number, ['dev'])
      expect((await forge.issue(number)).assignees).toEqual(['reviewer'])
    })

    test('the newest issue by title and label is found, and none where none matches', async () => {
      await world.repository.issue({ title: '[plan] First', labels: ['plan'] })
      const second = await world.repository.issue({ title: '[Plan] Second', labels: ['plan'] })
      await world.repository.issue({ title: 'Other', labels: ['bug'] })
      expect((await forge.findIssue({ titleStart: '[plan]', label: 'plan' }))?.number).toBe(second)
      await world.repository.closeIssue(second)
      expect((await forge.findIssue({ titleStart: '[plan]' }))?.title).toBe('[plan] First')
      expect((await forge.findIssue({ titleStart: '[plan]', state: 'any' }))?.number).toBe(second)
      expect(await forge.findIssue({ titleStart: 'nothing like it' })).toBeUndefined()
      expect(await forge.findIssue({ createdSince: 4_102_444_800_000 })).toBeUndefined()
    })

    test('assigning keeps those who are there', async () => {
      const number = await world.repository.issue({ assignees: ['reviewer'] })
      expect((await forge.assign(number, [await forge.me()])).sort()).toEqual(['dev', 'reviewer'])
    })

    test('closing comments once and closes once, however often it is repeated', async () => {
      const number = await world.repository.issue()
      const closing = { comment: 'Completed in #7', marker: 'clm_1' }
      expect(await forge.closeIssue(number, closing)).toEqual({ closed: true, commented: true })
      expect(await (await connect(world)).closeIssue(number, closing)).toEqual({
        closed: false,
        commented: false,
      })
      const now = await world.repository.issueNow(number)
      expect(now.state).toBe('closed')
      expect(now.comments).toHaveLength(1)
      expect(now.comments[0]).toContain('Completed in #7')
    })

    test('closing survives a lost answer: one comment, one closing', async () => {
      const number = await world.repository.issue()
      const closing = { comment: 'Completed in #7', marker: 'clm_1' }
      world.failNext('lost', { match: 'BatonClose' })
      expect((await failing(forge.closeIssue(number, closing))).passing).toBe(true)
      await forge.closeIssue(number, closing)
      const now = await world.repository.issueNow(number)
      expect({ state: now.state, comments: now.comments.length }).toEqual({ state: 'closed', comments: 1 })
    })

    test.each([
      ['leads there', { followed: true }],
      ['knows it no more', { followed: false }],
    ])(
      'an issue that was transferred is closed where it is now, with the full name of what completed it (GraphQL %s)',
      async (_, how) => {
        await using github = await fakeGitHub({ repositories: ['acme/app', 'acme/moved'] })
        const old = await github.repository.issue({ title: 'Elsewhere' })
        const number = await github.repository.transfer(old, 'acme/moved', how)
        const there = await connect(github)
        const { html_url: url } = await github.repositoryNamed('acme/moved').issueNow(number)
        expect((await failing(there.issue(old))).message).toContain('was transferred to acme/moved')
        const closing = { comment: 'Completed in #7', marker: 'clm_1' }
        expect(await there.closeIssue(old, closing)).toEqual({ closed: true, commented: true, movedTo: url })
        expect(await there.closeIssue(old, closing)).toEqual({
          closed: false,
          commented: false,
          movedTo: url,
        })
        const now = await github.repositoryNamed('acme/moved').issueNow(number)
        expect(now).toMatchObject({
          state: 'closed',
          comments: [expect.stringContaining('Completed in acme/app#7')],
        })
        // Where Baton may not write, the new address is what helps.
        const other = await github.repository.issue()
        await github.repository.transfer(other, 'acme/moved', how)
        github.failNext('forbidden', { match: 'BatonClose' })
        const refused = await failing(there.closeIssue(other, closing))
        expect(refused).toMatchObject({
          trouble: 'not-found',
          message: expect.stringContaining('/acme/moved/issues/'),
        })
      },
    )

    test('an issue closed by hand gets the comment and is not closed again', async () => {
      const number = await world.repository.issue()
      await world.repository.closeIssue(number)
      const closing = { comment: 'Completed in #7', marker: 'clm_1' }
      expect(await forge.closeIssue(number, closing)).toEqual({ closed: false, commented: true })
    })
  })

  describe(`${title}: pull requests`, () => {
    test('a branch without one has none, and gets one', async () => {
      const sha = await pushed()
      expect(await forge.pullRequestFor('claude/fix-1')).toBeUndefined()
      const made = await forge.createPullRequest({ branch: 'claude/fix-1', title: 'Fix', body: 'Refs #1' })
      expect(made).toMatchObject({ created: true, state: 'open', base: 'main', headSha: sha, title: 'Fix' })
      expect(await forge.pullRequestFor('claude/fix-1')).toMatchObject({ number: made.number, state: 'open' })
    })

    test('it is opened once, also when the first answer was lost', async () => {
      await pushed()
      const request = { branch: 'claude/fix-1', title: 'Fix', body: '' }
      world.failNext('lost', { match: /POST .*\/pulls$/ })
      expect((await failing(forge.createPullRequest(request))).passing).toBe(true)
      expect(await (await connect(world)).createPullRequest(request)).toMatchObject({
        created: false,
        state: 'open',
      })
      expect(await world.repository.pulls()).toHaveLength(1)
    })

    test('two that open it at once get the same one', async () => {
      await pushed()
      const request = { branch: 'claude/fix-1', title: 'Fix', body: '' }
      const both = await Promise.all([
        forge.createPullRequest(request),
        (await connect(world)).createPullRequest(request),
      ])
      expect(new Set(both.map(({ number }) => number)).size).toBe(1)
      expect(both.filter(({ created }) => created)).toHaveLength(1)
    })

    test('a stranger’s fork with the same branch name is not ours', async () => {
      const theirs = await world.repository.forkPull('claude/fix-1')
      await pushed()
      expect(await forge.pullRequestFor('claude/fix-1')).toBeUndefined()
      const made = await forge.createPullRequest({ branch: 'claude/fix-1', title: 'Fix', body: '' })
      expect(made).toMatchObject({ created: true })
      expect(made.number).not.toBe(theirs)
    })

    test('one that a person closed is given back for the same commit, and a new one is opened for new work', async () => {
      await pushed()
      const request = { branch: 'claude/fix-1', title: 'Fix', body: '' }
      const first = await forge.createPullRequest(request)
      await world.repository.closePull(first.number)
      expect(await forge.createPullRequest(request)).toMatchObject({
        number: first.number,
        state: 'closed',
        created: false,
      })
      await world.repository.git.commit('claude/fix-1', { 'more.txt': 'more' })
      const second = await forge.createPullRequest(request)
      expect(second).toMatchObject({ state: 'open', created: true })
      expect(second.number).not.toBe(first.number)
    })

    test('a branch that was never pushed, and one without commits, are named', async () => {
      const gone = await failing(forge.createPullRequest({ branch: 'never', title: 'Fix', body: '' }))
      expect(gone.trouble).toBe('not-found')
      expect(gone.remedy).toContain('push')
      await world.repository.git.git('branch', 'empty', 'main')
      const empty = await failing(forge.createPullRequest({ branch: 'empty', title: 'Fix', body: '' }))
      expect(empty.trouble).toBe('refused')
      expect(empty.message).toContain('No commits between')
    })

    test('merging is seen, with the time', async () => {
      await pushed()
      const { number } = await forge.createPullRequest({ branch: 'claude/fix-1', title: 'Fix', body: '' })
      expect(await forge.pullRequest(number)).toMatchObject({ state: 'open', mergeable: 'yes' })
      await world.repository.merge(number)
      const after = await forge.pullRequest(number)
      expect(after.state).toBe('merged')
      expect(after.mergedAt).toBeGreaterThan(0)
      expect(await forge.pullRequestFor('claude/fix-1')).toMatchObject({ state: 'merged' })
    })

    test('a new push moves the head, and a conflict with the base is told', async () => {
      await pushed()
      const { number } = await forge.createPullRequest({ branch: 'claude/fix-1', title: 'Fix', body: '' })
      const sha = await world.repository.git.commit('claude/fix-1', { 'README.md': 'mine\n' })
      expect(await forge.pullRequest(number)).toMatchObject({ headSha: sha, mergeable: 'yes' })
      await world.repository.git.commit('main', { 'README.md': 'theirs\n' })
      expect((await forge.pullRequest(number)).mergeable).toBe('conflict')
      world.stillComputing(true)
      expect((await forge.pullRequest(number)).mergeable).toBe('unknown')
    })

    test('it is merged once, only with the head that was named, also when the answer was lost', async () => {
      const headSha = await pushed()
      const { number } = await forge.createPullRequest({ branch: 'claude/fix-1', title: 'Fix', body: '' })
      await world.repository.review(number, 'APPROVE', '')
      expect(await forge.pullRequest(number)).toMatchObject({
        review: 'approved',
        approvedCommits: [headSha],
      })
      expect(await forge.mergeQueue(number)).toBe('absent')
      const old = forge.mergePullRequest(number, { headSha: '0'.repeat(40), method: 'merge' })
      expect((await failing(old)).trouble).toBe('conflict')
      world.failNext('lost', { match: ({ method }) => method === 'PUT' })
      await forge.mergePullRequest(number, { headSha, method: 'merge' })
      await forge.mergePullRequest(number, { headSha, method: 'merge' })
      expect((await forge.pullRequest(number)).state).toBe('merged')
      const log = await world.repository.git.git('log', '--first-parent', '--format=%s', 'main')
      expect(log.split('\n')).toEqual([`Merge pull request #${number}`, 'Begin'])
    })

    test('one that conflicts is not merged, and the service’s own merge queue takes one once', async () => {
      const headSha = await world.repository.git.commit('claude/fix-1', { 'README.md': 'mine\n' })
      const { number } = await forge.createPullRequest({ branch: 'claude/fix-1', title: 'Fix', body: '' })
      await world.repository.git.commit('main', { 'README.md': 'theirs\n' })
      const merged = forge.mergePullRequest(number, { headSha, method: 'merge' })
      expect((await failing(merged)).trouble).toBe('refused')
      const queue = world.repository.mergeQueue()
      expect(await forge.mergeQueue(number)).toBe('not-queued')
      expect((await failing(forge.enqueuePullRequest(number, '0'.repeat(40)))).trouble).toBe('refused')
      await forge.enqueuePullRequest(number, headSha)
      await forge.enqueuePullRequest(number, headSha)
      expect([...queue]).toEqual([number])
      expect(await forge.mergeQueue(number)).toBe('queued')
    })

    test('requested changes and unresolved threads arrive with who may be trusted', async () => {
      await pushed()
      const { number } = await forge.createPullRequest({ branch: 'claude/fix-1', title: 'Fix', body: '' })
      expect(await forge.pullRequest(number)).toMatchObject({ review: 'none', reviews: [], threads: [] })
      await world.repository.review(number, 'REQUEST_CHANGES', 'Rename it')
      const open = await world.repository.remark(number, { path: 'fix.txt', line: 1, body: 'Why?' })
      await world.repository.remark(number, {
        path: 'fix.txt',
        line: 1,
        body: 'Because',
        as: 'dev',
        answers: open,
      })
      const resolved = await world.repository.remark(number, { path: 'fix.txt', line: 2, body: 'Old' })
      world.repository.resolve(resolved)
      const status = await forge.pullRequest(number)
      expect(status.review).toBe('changes-requested')
      expect(status.reviews).toMatchObject([{ author: 'reviewer', trusted: true, body: 'Rename it' }])
      expect(status.threads).toMatchObject([
        { path: 'fix.txt', line: 1, remarks: [{ body: 'Why?' }, { body: 'Because' }] },
      ])
    })
  })

  describe(`${title}: asking for another review`, () => {
    test('who asked for changes is asked again when the branch has moved on, and only once', async () => {
      await pushed()
      const { number } = await forge.createPullRequest({ branch: 'claude/fix-1', title: 'Fix', body: '' })
      await world.repository.review(number, 'REQUEST_CHANGES', 'Rename it')
      const before = await forge.pullRequest(number)
      expect(before.reviews).toMatchObject([{ commit: before.headSha }])
      expect(reviewersToAskAgain(before)).toEqual([])
      await world.repository.git.commit('claude/fix-1', { 'fix.txt': 'renamed\n' })
      const moved = await forge.pullRequest(number)
      expect(reviewersToAskAgain(moved)).toEqual(['reviewer'])
      await forge.requestReviews(number, ['reviewer'])
      await forge.requestReviews(number, ['reviewer'])
      const asked = await forge.pullRequest(number)
      expect(asked.requested).toEqual(['reviewer'])
      expect(reviewersToAskAgain(asked)).toEqual([])
      await world.repository.review(number, 'APPROVE', 'Good')
      expect((await forge.pullRequest(number)).requested).toEqual([])
    })
  })

  test(`${title}: the text of a pull request is changed only where the caller changes it`, async () => {
    await pushed()
    const { number } = await forge.createPullRequest({ branch: 'claude/fix-1', title: 'Fix', body: 'Mine' })
    await forge.rewritePullRequest(number, body => `${body} and more`)
    const seen: string[] = []
    await forge.rewritePullRequest(number, body => {
      seen.push(body)
      return body
    })
    expect(seen).toEqual(['Mine and more'])
    expect(await forge.pullRequestText(number)).toBe('Mine and more')
  })

  describe(`${title}: checks`, () => {
    const opened = async () => {
      await pushed()
      return (await forge.createPullRequest({ branch: 'claude/fix-1', title: 'Fix', body: '' })).number
    }

    test('no checks are none, not passed', async () => {
      const number = await opened()
      expect((await forge.pullRequest(number)).checks).toMatchObject({ verdict: 'none', total: 0, passed: 0 })
    })

    test('skipped and neutral count as passed', async () => {
      const number = await opened()
      await world.repository.check(number, 'lint', 'success')
      await world.repository.check(number, 'docs', 'skipped')
      await world.repository.check(number, 'size', 'neutral')
      await world.repository.status(number, 'legacy/ci', 'SUCCESS')
      expect((await forge.pullRequest(number)).checks).toMatchObject({
        verdict: 'passed',
        total: 4,
        passed: 4,
      })
    })

    test.each(['failure', 'cancelled', 'timed_out', 'action_required'] as const)(
      '%s is failed',
      async state => {
        const number = await opened()
        await world.repository.check(number, 'lint', 'success')
        await world.repository.check(number, 'test', state)
        const { checks } = await forge.pullRequest(number)
        expect(checks).toMatchObject({ verdict: 'failed', failed: 1, passed: 1 })
        expect(checks.all[0]).toMatchObject({ name: 'test', state: 'failed' })
        expect(checks.all[0]?.url).toMatch(/^http/)
      },
    )

    test('running and expected ones are pending; a failed one is told at once', async () => {
      const number = await opened()
      await world.repository.check(number, 'lint', 'success')
      await world.repository.check(number, 'test', 'in_progress')
      await world.repository.status(number, 'legacy/ci', 'EXPECTED')
      expect((await forge.pullRequest(number)).checks).toMatchObject({
        verdict: 'pending',
        pending: 2,
        passed: 1,
      })
      await world.repository.check(number, 'lint', 'failure')
      expect((await forge.pullRequest(number)).checks.verdict).toBe('failed')
    })

    test('an unknown check state never counts as passed', async () => {
      const number = await opened()
      await world.repository.check(number, 'lint', 'success')
      await world.repository.check(number, 'odd', { state: 'stale' })
      expect((await forge.pullRequest(number)).checks).toMatchObject({
        verdict: 'unknown',
        unknown: 1,
        passed: 1,
      })
    })

    test('only the latest run of a check counts', async () => {
      const number = await opened()
      await world.repository.check(number, 'test', { state: 'failure', startedAt: '2026-01-01T00:00:00Z' })
      await world.repository.check(number, 'test', {
        state: 'success',
        startedAt: '2026-01-01T01:00:00Z',
        again: true,
      })
      expect((await forge.pullRequest(number)).checks).toMatchObject({ verdict: 'passed', total: 1 })
    })

    test('checks belong to the newest commit', async () => {
      const number = await opened()
      await world.repository.check(number, 'test', 'success')
      await world.repository.git.commit('claude/fix-1', { 'more.txt': 'more' })
      expect((await forge.pullRequest(number)).checks.verdict).toBe('none')
    })

    test('the end of a failed job’s log is given in plain text', async () => {
      const number = await opened()
      const lines = Array.from(
        { length: 500 },
        (_, n) => `2026-01-01T00:00:00.0000000Z \u001b[31mline ${n}\u001b[0m\u0007`,
      )
      await world.repository.check(number, 'test', { state: 'failure', log: `${lines.join('\r\n')}\r\n` })
      await world.repository.check(number, 'gone', 'failure')
      const { checks } = await forge.pullRequest(number)
      const [gone, ran] = checks.all
      expect(await forge.checkLog(ran as never, { lines: 3 })).toBe('line 497\nline 498\nline 499')
      expect((await forge.checkLog(ran as never, { bytes: 20 }))?.length).toBeLessThanOrEqual(20)
      expect(await forge.checkLog(gone as never)).toBeUndefined()
    })
  })

  describe(`${title}: the board`, () => {
    test('the only one is found by itself; closed ones do not count', async () => {
      expect(await forge.board()).toBeUndefined()
      expect(await forge.boardItems()).toEqual([])
      world.board({ owner: 'acme', title: 'Old', closed: true })
      const { number } = world.board({ owner: 'acme', title: 'Work' })
      expect(await (await connect(world)).board()).toMatchObject({
        owner: 'acme',
        number,
        title: 'Work',
        statuses: ['Todo', 'In Progress', 'In Review', 'Done'],
        hasAgent: true,
      })
    })

    test('among several the linked one is taken, or else the person must say', async () => {
      world.board({ owner: 'acme', title: 'One' })
      world.board({ owner: 'acme', title: 'Two' })
      const error = await failing(forge.board())
      expect(error.trouble).toBe('conflict')
      expect(error.remedy).toContain('board.number')
      const linked = world.board({ owner: 'acme', title: 'Three', linked: ['acme/app'] })
      expect(await forge.board()).toMatchObject({ number: linked.number })
      expect(await (await connect(world, { board: { owner: 'acme', number: 1 } })).board()).toMatchObject({
        title: 'One',
      })
      expect(await (await connect(world, { board: { owner: 'acme', number: 99 } })).board()).toBeUndefined()
    })

    test('items carry status, agent and what they are', async () => {
      const board = world.board({ owner: 'acme' })
      const number = await world.repository.issue({ title: 'Fix', labels: ['bug'] })
      board.add(number, { status: 'Todo', agent: 'dev-1' })
      board.draft('An idea')
      board.hide()
      const archived = await world.repository.issue()
      board.add(archived)
      board.archive(archived)
      expect(await forge.boardItems()).toMatchObject([
        { issue: number, kind: 'issue', title: 'Fix', status: 'Todo', agent: 'dev-1', labels: ['bug'] },
        { issue: undefined, kind: 'draft', title: 'An idea' },
        { issue: undefined, kind: 'hidden' },
      ])
    })

    test('more items than one page are all read', async () => {
      const board = world.board({ owner: 'acme' })
      for (let n = 0; n < 230; n++) board.draft(`Idea ${n}`)
      expect(await forge.boardItems()).toHaveLength(230)
    })

    test('status and agent are set, cleared, and set again after someone took the item off', async () => {
      const board = world.board({ owner: 'acme' })
      const number = await world.repository.issue()
      board.add(number, { status: 'Todo' })
      expect(await forge.setOnBoard(number, { status: 'in progress', agent: 'dev-1' })).toMatchObject({
        done: true,
      })
      expect(board.of(number)).toEqual({ status: 'In Progress', agent: 'dev-1' })
      board.remove(number)
      expect(await forge.setOnBoard(number, { status: 'Done' })).toMatchObject({
        done: false,
        why: 'not-on-board',
      })
      board.add(number)
      expect(await forge.setOnBoard(number, { status: 'Done', agent: '' })).toMatchObject({ done: true })
      expect(board.of(number)).toEqual({ status: 'Done', agent: undefined })
    })

    test('an issue is added when asked', async () => {
      const board = world.board({ owner: 'acme' })
      const number = await world.repository.issue()
      expect(await forge.setOnBoard(number, { status: 'Todo', add: true })).toMatchObject({ done: true })
      expect(board.of(number)?.status).toBe('Todo')
    })

    test('what the board lacks is an answer, and the rest is done', async () => {
      const number = await world.repository.issue()
      expect(await forge.setOnBoard(number, { status: 'Done' })).toMatchObject({ done: false })
      const board = world.board({ owner: 'acme', statuses: ['Todo'], agent: true })
      board.add(number)
      const other = await connect(world)
      const outcome = await other.setOnBoard(number, { status: 'In Review', agent: 'dev-1' })
      expect(outcome).toMatchObject({ done: false, why: 'no-such-status' })
      expect(board.of(number)).toEqual({ status: undefined, agent: 'dev-1' })
    })

    test('setup makes what is missing, keeps every item’s status, and does nothing the second time', async () => {
      const board = world.board({ owner: 'acme', statuses: ['Todo', 'Custom', 'Done'], agent: false })
      const number = await world.repository.issue()
      board.add(number, { status: 'Custom' })
      const plan = {
        title: 'Work',
        statuses: ['Todo', 'In Progress', 'In Review', 'Done'],
        agentField: true,
        labels: [{ name: 'agent:ready', color: '#00ff00', description: 'Ready for an agent' }],
      }
      const first = await forge.ensureBoard(plan)
      expect(first.made).toEqual([
        'the Status "In Progress"',
        'the Status "In Review"',
        'the field "Agent"',
        'the label "agent:ready"',
      ])
      expect(new Set(board.statuses())).toEqual(
        new Set(['Todo', 'In Progress', 'In Review', 'Custom', 'Done']),
      )
      expect(first.board).toMatchObject({ hasAgent: true, statuses: board.statuses() })
      expect(board.of(number)?.status).toBe('Custom')
      expect((await forge.ensureBoard(plan)).made).toEqual([])
    })

    test('setup makes a board only when it is given a title', async () => {
      const plan = { statuses: ['Todo', 'In Progress', 'In Review', 'Done'], agentField: true, labels: [] }
      expect(await forge.ensureBoard(plan)).toEqual({ board: undefined, made: [] })
      const { board, made } = await forge.ensureBoard({ ...plan, title: 'Work' })
      expect(made[0]).toContain('board "Work"')
      expect(board).toMatchObject({ title: 'Work', hasAgent: true })
      expect(board?.statuses).toContain('In Review')
    })
  })

  describe(`${title}: trouble`, () => {
    test.each([
      ['unauthorised', 'unauthorised'],
      ['forbidden', 'forbidden'],
      ['primary-limit', 'rate-limited'],
      ['secondary-limit', 'rate-limited'],
      ['server-error', 'unreachable'],
      ['garbled', 'unreachable'],
      ['drop', 'unreachable'],
    ] as const)('%s is told as %s, with a remedy and without the token', async (fault, trouble) => {
      await pushed()
      const number = await world.repository.pull({ branch: 'claude/fix-1' })
      for (const work of [
        () => forge.pullRequest(number),
        () => forge.pullRequestFor('claude/fix-1'),
        () => forge.assign(number, ['dev']),
      ]) {
        world.failNext(fault, { times: 9 })
        const error = await failing(work())
        expect(error.trouble).toBe(trouble)
        expect(error.remedy).toBeTruthy()
        expect(
          JSON.stringify([error, error.message, error.stack, String(error.cause), error.toBody()]),
        ).not.toContain(world.token)
        expect(error.retryAt !== undefined).toBe(trouble === 'rate-limited')
        world.heal()
      }
      expect((await forge.pullRequest(number)).state).toBe('open')
    })

    test('a reading call outlives a short trouble', async () => {
      const number = await world.repository.issue()
      world.failNext('server-error')
      expect((await forge.issue(number)).number).toBe(number)
      world.failNext('drop')
      expect((await forge.issue(number)).number).toBe(number)
    })

    test('a wrong token is unauthorised', async () => {
      const other = await connect(world, { token: 'ghp_wrongwrongwrongwrongwrongwrongwrong1' })
      expect((await failing(other.me())).trouble).toBe('unauthorised')
    })

    test('boards out of reach block nothing else', async () => {
      const number = await world.repository.issue()
      world.board({ owner: 'acme' }).add(number)
      await pushed()
      world.showBoards(false)
      expect((await forge.issue(number)).boardItem).toBeUndefined()
      const request = { branch: 'claude/fix-1', title: 'Fix', body: '', issue: number }
      expect(await (await connect(world)).createPullRequest(request)).toMatchObject({ created: true })
      const other = await connect(world)
      expect(await other.closeIssue(number, { comment: 'Done', marker: 'clm_1' })).toMatchObject({
        closed: true,
      })
      expect(await other.setOnBoard(number, { status: 'Done' })).toMatchObject({
        done: false,
        why: 'no-board',
      })
    })
  })

  describe(`${title}: calls`, () => {
    test('each step of the lifecycle is as cheap as promised, also right after a restart', async () => {
      const number = await world.repository.issue()
      const board = world.board({ owner: 'acme' })
      board.add(number, { status: 'In Progress', agent: 'dev-1' })
      await pushed()
      const fresh = await connect(world)
      const creation = await world.counting(async () => {
        const pull = await fresh.createPullRequest({
          branch: 'claude/fix-1',
          title: 'Fix',
          body: '',
          issue: number,
        })
        expect(await fresh.setOnBoard(number, { status: 'In Review' })).toMatchObject({ done: true })
        return pull
      })
      expect(creation.calls.length).toBeLessThanOrEqual(3)
      expect(board.of(number)).toEqual({ status: 'In Review', agent: 'dev-1' })

      const poller = await connect(world)
      const poll = await world.counting(() => poller.pullRequest(creation.result.number))
      expect(poll.calls).toHaveLength(1)

      await world.repository.merge(creation.result.number)
      const closer = await connect(world)
      const done = await world.counting(async () => {
        await closer.closeIssue(number, { comment: 'Completed', marker: 'clm_1' })
        expect(await closer.setOnBoard(number, { status: 'Done', agent: '' })).toMatchObject({ done: true })
      })
      expect(done.calls.length).toBeLessThanOrEqual(3)
      expect(board.of(number)).toEqual({ status: 'Done', agent: undefined })
    })

    test('asking again for what did not change costs nothing', async () => {
      await pushed()
      await world.repository.pull({ branch: 'claude/fix-1' })
      await forge.pullRequestFor('claude/fix-1')
      const again = await world.counting(() => forge.pullRequestFor('claude/fix-1'))
      expect(again.calls.map(({ status }) => status)).toEqual([304])
      expect(again.result).toMatchObject({ state: 'open' })
    })
  })
}
