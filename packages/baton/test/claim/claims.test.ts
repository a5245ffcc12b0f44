import { chmodSync, existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { checkLease } from '../../src/claim/fence.ts'
import { type FakeGitHub, fakeGitHub } from '../world/github.ts'
import { until } from '../world/wait.ts'
import { claimFile } from './sample.ts'
import { claimsWorld } from './world.ts'

// Dozens of processes of git each, on machines that do other things as well.
vi.setConfig({ testTimeout: 90_000 })

let github: FakeGitHub
beforeAll(async () => {
  github = await fakeGitHub()
})
afterAll(async () => {
  github.assertClean()
  await github.close()
})
const world = (more: Parameters<typeof claimsWorld>[0] = {}) => claimsWorld({ github, ...more })
const issueNamed = (title: string, body = '') => github.repository.issue({ title, body })
const failing = (work: Promise<unknown>) => expect(work).rejects

describe('claiming', () => {
  test('an issue that is held elsewhere is refused by name, and can be taken over once its holder is dead', async () => {
    await using ann = await world({ name: 'ann' })
    await using bob = await world({ name: 'bob' })
    const issue = await issueNamed('Contested')
    await ann.claim(issue)
    await failing(bob.claim(issue)).toMatchObject({
      code: 'claim_held',
      message: expect.stringMatching(/held by ann-\d+ on laptop.*alive/),
    })
    await failing(bob.claim(issue, { takeover: 'dead' })).toMatchObject({
      code: 'claim_held',
      remedy: expect.stringContaining('--force'),
    })
    expect(bob.hasSignal()).toBe(false)
    bob.pass(2 * 3_600_000)
    // A machine of a fleet takes over only what the one that vanished held.
    await failing(bob.claim(issue, { takeover: { claim: 'clm_another' } })).toMatchObject({
      code: 'claim_held',
      remedy: expect.stringContaining('baton claim takeover'),
    })
    await bob.claim(issue, { takeover: 'dead' })
    expect(bob.journal).toContain('taken-over')

    // The old holder wakes up: whatever its file says, nothing of it happens any more.
    await ann.ready(issue)
    const outcome = await ann.stop()
    expect(outcome).toMatchObject({ did: 'failed', notice: expect.stringContaining('taken over') })
    expect((await ann.record()).lease.lost).toBe(true)
    expect(await github.repository.pulls()).toEqual([])
    await ann.tick()
    expect(ann.journal.filter(entry => entry === 'lost')).toHaveLength(1)
    await ann.claims.release(ann.project, issue, 'by hand')
    expect((await bob.claims.list())[0]).toMatchObject({ issue, lease: { lost: false } })
    await bob.claims.release(bob.project, issue, 'by hand')
  })

  test.each([
    ['closed', async (n: number) => github.repository.closeIssue(n), /is closed/],
    ['not there', async () => {}, /no issue #99/],
  ])('an issue that is %s is refused, and nothing is left behind', async (_, act, message) => {
    await using w = await world()
    const issue = message.source.includes('99') ? 9999 : await issueNamed('Unfit')
    await act(issue)
    await failing(w.claim(issue)).toThrow(message)
    expect(w.hasSignal()).toBe(false)
    expect(await w.claims.list()).toEqual([])
    expect(await w.git('branch', '--show-current')).toBe('main')
    expect(await github.repository.git.git('for-each-ref', 'refs/baton')).toBe('')
  })

  test('a blocked issue is refused with its blockers, unless somebody wants it anyway', async () => {
    await using w = await world()
    const [other, issue] = [await issueNamed('First'), await issueNamed('Then')]
    github.repository.blockedBy(issue, other)
    await failing(w.claim(issue)).toThrow(`blocked by #${other}`)
    const { warnings } = await w.claim(issue, { anyway: true })
    expect(warnings.join()).toContain(`blocked by #${other}`)
    await w.claims.release(w.project, issue, 'by hand')
  })

  test('uncommitted work is not carried to another branch; a worktree of its own takes the issue', async () => {
    await using w = await world()
    const issue = await issueNamed('Beside')
    writeFileSync(join(w.project, 'notes.txt'), 'mine')
    await failing(w.claim(issue)).toThrow(/uncommitted changes \(notes.txt\)/)
    const { claim } = await w.claim(issue, { worktree: true })
    expect(claim.project).toBe(`${w.project}-issue-${issue}`)
    expect(existsSync(join(claim.project, '.agent-claim.json'))).toBe(true)
    expect(w.hasSignal()).toBe(false)
    expect(await w.git('status', '--porcelain')).toBe('?? notes.txt')
    expect((await w.claim(issue, { worktree: true })).fresh).toBe(false)
    await w.claims.release(w.project, issue, 'by hand')
    expect(await w.claims.list()).toEqual([])
  })

  test('one worktree holds one issue', async () => {
    await using w = await world()
    const [one, two] = [await issueNamed('One'), await issueNamed('Two')]
    await w.claim(one)
    await failing(w.claim(two)).toThrow(`already holds issue #${one}`)
    expect((await w.claim(one)).fresh).toBe(false)
    await w.claims.release(w.project, undefined, 'by hand')
  })

  test('without a remote, and without the right to push, it is named and nothing is left', async () => {
    await using w = await world()
    const issue = await issueNamed('Alone')
    await w.git('remote', 'set-url', 'origin', github.repository.address)
    await failing(w.claim(issue)).toMatchObject({
      code: 'git_failed',
      message: expect.stringMatching(/does not accept your login|no right to push/),
    })
    expect(w.hasSignal()).toBe(false)
    expect((await github.repository.issueNow(issue)).assignees).toEqual([])
    await w.git('remote', 'remove', 'origin')
    await failing(w.claim(issue)).toMatchObject({
      code: 'git_failed',
      message: expect.stringContaining('no remote'),
    })
    expect(await w.claims.list()).toEqual([])
  })

  test('where git cannot log in by itself, the claim’s own branch is pushed with the forge’s token', async () => {
    await using w = await world()
    const issue = await issueNamed('No login')
    await failing(w.claims.push(w.project)).toThrow(/No issue is claimed here/)
    await w.claim(issue)
    await w.commit()
    await w.git('remote', 'set-url', 'origin', github.repository.address)
    await w.claims.push(w.project)
    expect((await github.repository.git.branches()).get(`issue-${issue}`)).toBe(
      await w.git('rev-parse', 'HEAD'),
    )
    await w.git('remote', 'set-url', 'origin', github.repository.remote)
    await w.claims.release(w.project, issue, 'by hand')
  })

  test('what fails half-way is taken back whole', async () => {
    await using w = await world()
    const board = github.board({ owner: 'acme' })
    const issue = await issueNamed('Half')
    board.add(issue, { status: 'Todo' })
    github.failNext('server-error', { times: 5, match: /assignees$/ })
    await failing(w.claim(issue)).toMatchObject({ code: 'forge_unreachable' })
    github.heal()
    expect(w.hasSignal()).toBe(false)
    expect(await w.claims.list()).toEqual([])
    expect(await github.repository.git.git('for-each-ref', 'refs/baton')).toBe('')
    expect(board.of(issue)?.status).toBe('Todo')
    expect((await w.claim(issue)).fresh).toBe(true)
    expect(board.of(issue)?.status).toBe('In Progress')
    await w.claims.release(w.project, issue, 'by hand')
    expect(board.of(issue)).toEqual({ status: 'Todo', agent: undefined })
    expect((await github.repository.issueNow(issue)).assignees).toEqual([])
    board.close()
  })

  test('a missing board never blocks a claim', async () => {
    await using w = await world()
    github.showBoards(false)
    const issue = await issueNamed('No board')
    const { warnings } = await w.claim(issue)
    expect(warnings.join(' ')).toContain('board')
    await w.ready(issue)
    expect((await w.stop()).did).toBe('opened')
    expect(w.signal()).toMatchObject({ phase: 'pr_created', item_id: '' })
    await w.claims.release(w.project, issue, 'by hand')
    github.showBoards(true)
  })
})

test('a claim moves along when leases are kept elsewhere from now on', async () => {
  await using w = await world()
  const issue = await issueNamed('Moved')
  await w.claim(issue)
  const record = await w.record()
  // As if it had been taken in a database that is not used any more.
  await w.ports.records.put({ ...record, lease: { ...record.lease, kind: 'postgres', token: 1 } })
  await w.ready(issue)
  expect((await w.stop()).did).toBe('opened')
  expect((await w.record()).lease).toMatchObject({ kind: 'git', lost: false })
  await w.claims.release(w.project, issue, 'by hand')
})

describe('the signal file', () => {
  test('written by hand becomes a claim; one that came with the repository does not', async () => {
    await using w = await world()
    const issue = await issueNamed('By hand')
    await w.git('switch', '-q', '-c', 'claude/test')
    await w.commit()
    await w.git('push', '-q', '-u', 'origin', 'HEAD')
    w.write(
      claimFile({
        issue_number: issue,
        item_id: 'TEST',
        branch: 'claude/test',
        phase: 'ready_for_pr',
        summary: 'Test PR',
        status: 'In Review',
        last_synced_status: null,
      }),
    )
    const session = { id: 'ses_0123456789abcdef', agent: 'claude-code', nativeSession: 's1' } as never
    expect(await w.claims.adopt(w.project, session)).toMatchObject({ issue })
    expect((await w.stop()).did).toBe('opened')
    expect(w.signal().pr_number).not.toBeNull()
    await w.claims.release(w.project, issue, 'by hand')

    w.write(claimFile({ issue_number: issue }))
    await w.git('add', '-f', '.agent-claim.json')
    expect(await w.claims.adopt(w.project, session)).toBeUndefined()
  })

  test('of another version, or for another issue, is left alone and named', async () => {
    await using w = await world()
    const issue = await issueNamed('Versions')
    await w.claim(issue)
    w.edit({ schema_version: 2, phase: 'done' })
    expect((await w.stop()).notice).toContain('schema_version 2')
    w.edit({ schema_version: 1, phase: 'coding', issue_number: issue + 1000 })
    expect((await w.stop()).notice).toContain(`names issue #${issue + 1000}`)
    w.edit({ issue_number: issue })
    expect((await w.stop()).did).toBe('nothing')
    await w.claims.release(w.project, issue, 'by hand')
  })

  test('that a person deletes gives the issue back', async () => {
    await using w = await world()
    const board = github.board({ owner: 'acme' })
    const issue = await issueNamed('Dropped')
    board.add(issue, { status: 'Todo' })
    await w.claim(issue)
    w.drop()
    await w.tick()
    expect(await w.claims.list()).toEqual([])
    expect(board.of(issue)).toEqual({ status: 'Todo', agent: undefined })
    expect(await github.repository.git.git('for-each-ref', 'refs/baton')).toBe('')
    board.close()
  })

  test('with a status that a person changed is put on the board once', async () => {
    await using w = await world()
    const board = github.board({ owner: 'acme' })
    const issue = await issueNamed('Status')
    board.add(issue, { status: 'Todo' })
    await w.claim(issue)
    w.edit({ status: 'Done' })
    expect((await w.stop()).did).toBe('synced')
    expect(board.of(issue)?.status).toBe('Done')
    expect((await github.counting(() => w.stop())).calls).toEqual([])
    await w.claims.release(w.project, issue, 'by hand')
    board.close()
  })
})

describe('trouble on the way', () => {
  test('a branch that was not pushed, or holds nothing, goes back to the agent; then it works', async () => {
    await using w = await world()
    const issue = await issueNamed('Unpushed')
    await w.claim(issue)
    w.edit({ phase: 'ready_for_pr', summary: 'Nothing yet' })
    expect((await w.stop()).fix).toContain(`The branch issue-${issue} is not on`)
    await w.git('push', '-q', '-u', 'origin', 'HEAD')
    expect((await w.stop()).fix).toContain('No commits between')
    await w.commit()
    await w.git('push', '-q')
    expect((await w.stop()).did).toBe('opened')
    expect((await w.record()).trouble).toBeUndefined()
    await w.claims.release(w.project, issue, 'by hand')
  })

  test('a missing summary is named to the agent', async () => {
    await using w = await world()
    const issue = await issueNamed('Silent')
    await w.claim(issue)
    w.edit({ phase: 'ready_for_pr', summary: ' ' })
    expect(await w.stop()).toMatchObject({
      did: 'refused',
      fix: expect.stringContaining('summary is missing'),
    })
    expect(w.signal().phase).toBe('ready_for_pr')
    await w.claims.release(w.project, issue, 'by hand')
  })

  test.each(['server-error', 'drop', 'hang', 'garbled', 'secondary-limit', 'primary-limit', 'lost'] as const)(
    'when opening fails by %s it is tried again later, and there is one pull request',
    async fault => {
      await using w = await world(fault === 'hang' ? { patienceMs: 2000 } : {})
      const issue = await issueNamed(`Fails by ${fault}`)
      await w.claim(issue)
      await w.ready(issue)
      github.failNext(fault, {
        times: 4,
        match: call => call.method === 'POST',
        retryAfter: fault === 'primary-limit' ? 1_767_225_600 + 60 : 60,
      })
      expect((await w.stop()).did).toBe('failed')
      const { trouble } = await w.record()
      expect(trouble?.retryAt).toBeDefined()
      // Nothing is asked before its time.
      expect((await github.counting(() => w.claims.tick())).calls).toEqual([])
      github.heal()
      await w.tick(3_600_000)
      expect(w.signal().pr_number).not.toBeNull()
      expect(
        (await github.repository.pulls()).filter(({ head }) => head.ref === `issue-${issue}`),
      ).toHaveLength(1)
      expect((await w.record()).trouble).toBeUndefined()
      await w.claims.release(w.project, issue, 'by hand')
    },
  )

  test('a paused claim keeps its lease; nothing is pushed, opened, asked or typed until the pause ends', async () => {
    await using w = await world()
    const issue = await issueNamed('Paused')
    await w.claim(issue)
    await w.ready(issue)
    w.state.paused = true
    const asked = w.state.asked.length
    for (let hour = 0; hour < 3; hour++)
      expect((await github.counting(() => w.tick(3_600_000))).calls).toEqual([])
    expect((await w.stop()).did).toBe('nothing')
    await w.claims.nudge({ repository: 'acme/app' })
    expect(w.signal()).toMatchObject({ phase: 'ready_for_pr', pr_number: null })
    expect([w.state.typed, w.state.resumed, w.state.asked.length]).toEqual([[], [], asked])
    await checkLease(w.ports, await w.record())
    w.state.paused = false
    await w.tick()
    expect(w.signal().pr_number).not.toBeNull()
    await w.claims.release(w.project, issue, 'by hand')
  })

  test('an hour without network is sat out with longer and longer pauses, and told to nobody', async () => {
    await using w = await world()
    const issue = await issueNamed('Offline')
    await w.claim(issue)
    await w.ready(issue)
    await w.stop()
    w.state.announced.length = 0
    github.failNext('drop', { times: 1000 })
    let tries = 0
    for (let minute = 0; minute < 60; minute++) {
      const { calls } = await github.counting(() => w.tick(60_000))
      if (calls.length > 0) tries++
    }
    expect(tries).toBeGreaterThan(3)
    expect(tries).toBeLessThan(12)
    expect(w.state.announced).toEqual([])
    expect((await w.record()).trouble?.code).toBe('forge_unreachable')
    github.heal()
    await w.tick(20 * 60_000)
    expect((await w.record()).trouble).toBeUndefined()
    expect(w.signal().phase).toBe('checks_running')
    await w.claims.release(w.project, issue, 'by hand')
  })

  test('an expired token is named, told once, and a new one counts without a restart', async () => {
    await using w = await world()
    const issue = await issueNamed('Expired')
    await w.claim(issue)
    await w.ready(issue)
    w.setToken('ghp_expiredexpiredexpiredexpired12345678')
    w.ports.dropForge('')
    expect((await w.stop()).notice).toContain('does not accept the token')
    await w.tick(11 * 60_000)
    expect(w.state.announced.filter(text => text.includes('token'))).toHaveLength(1)
    w.setToken(github.token)
    await w.tick(11 * 60_000)
    expect(w.signal().pr_number).not.toBeNull()
    await w.claims.release(w.project, issue, 'by hand')
  })

  test('a pull request that is closed unmerged is told, and no second one is opened', async () => {
    await using w = await world()
    const issue = await issueNamed('Closed')
    await w.claim(issue)
    await w.ready(issue)
    await w.stop()
    const pull = w.signal().pr_number ?? 0
    await github.repository.closePull(pull)
    await w.tick()
    expect(w.state.announced.at(-1)).toContain('closed without being merged')
    expect((await w.record()).inbox.at(-1)?.kind).toBe('closed-unmerged')
    w.edit({ phase: 'ready_for_pr', pr_number: null })
    expect((await w.stop()).notice).toContain('was closed without being merged')
    expect(
      (await github.repository.pulls()).filter(({ head }) => head.ref === `issue-${issue}`),
    ).toHaveLength(1)
    await w.claims.release(w.project, issue, 'by hand')
  })

  test('checks and reviews are told once each; an agent at rest is woken, at most so many times', async () => {
    await using w = await world({ settings: { claim: { max_fixes: 2, log_lines: 5 } } })
    const issue = await issueNamed('Reviewed')
    await w.claim(issue)
    const record = await w.record()
    await w.ports.records.put({
      ...record,
      session: 'ses_0123456789abcdef' as never,
      nativeSession: 's1',
      agent: 'claude-code',
      pane: '%1 /tmp/x',
    })
    await w.ready(issue)
    await w.stop()
    const pull = w.signal().pr_number ?? 0
    w.state.terminal = 'taken'
    await github.repository.check(pull, 'test', {
      state: 'failure',
      workflow: 'CI',
      log: 'password hunter2\nfailed',
    })
    await w.tick()
    expect(w.typed.at(-1)).toContain('1 FAILED')
    expect(w.typed.at(-1)).toContain('[redacted]')
    await w.tick()
    expect(w.typed).toHaveLength(1)
    await github.repository.review(pull, 'REQUEST_CHANGES', 'Rename it')
    await w.tick()
    expect(w.typed.at(-1)).toContain('> Rename it')
    // Two times were enough.
    await github.repository.check(pull, 'lint', 'failure')
    await w.tick()
    expect(w.typed).toHaveLength(2)
    expect((await w.record()).inbox.map(({ kind }) => kind)).toEqual(['checks'])
    // Who asked for changes is asked to look again, once there is something new to look at.
    const asked = async () =>
      (await github.repository.pullNow(pull)).requested_reviewers?.map(({ login }) => login)
    expect(await asked()).toEqual([])
    await github.repository.git.commit(`issue-${issue}`, { 'renamed.txt': 'x' })
    await w.tick()
    expect(await asked()).toEqual(['reviewer'])
    const { calls } = await github.counting(w.tick)
    expect(calls.filter(({ path }) => path.endsWith('requested_reviewers'))).toEqual([])
    await w.claims.release(w.project, issue, 'by hand')
  })
})

describe('the end', () => {
  const merged = async (w: Awaited<ReturnType<typeof world>>, issue: number) => {
    await w.claim(issue)
    await w.ready(issue)
    await w.stop()
    const pull = w.signal().pr_number ?? 0
    await github.repository.merge(pull)
    await w.tick()
    return pull
  }

  test('the person is asked once, also across restarts, and a yes closes', async () => {
    await using w = await world()
    const issue = await issueNamed('Asked')
    const pull = await merged(w, issue)
    await w.tick()
    expect(w.asked).toEqual([`PR #${pull} merged! Should I close issue #${issue}?`])
    w.answers[0]?.('yes')
    await until(() => !w.hasSignal(), { what: 'the end' })
    expect((await github.repository.issueNow(issue)).comments).toEqual([
      expect.stringContaining(`Completed in #${pull}`),
    ])
    await until(async () => (await w.claims.list()).length === 0, { what: 'the claim to go' })
    expect(w.state.announced.at(-1)).toContain(`/pull/${pull}`)
  })

  test('after a no nothing is closed, and nobody asks again', async () => {
    await using w = await world()
    const issue = await issueNamed('Not yet')
    await merged(w, issue)
    w.answers[0]?.('no')
    await until(async () => (await w.record()).closing === 'no', { what: 'the no' })
    await w.tick()
    expect(w.asked).toHaveLength(1)
    expect((await github.repository.issueNow(issue)).state).toBe('open')
    await w.claims.release(w.project, issue, 'by hand')
  })

  test('an agent that writes done by itself closes nothing: the person is asked', async () => {
    await using w = await world()
    const issue = await issueNamed('Hasty')
    await w.claim(issue)
    await w.ready(issue)
    await w.stop()
    const pull = w.signal().pr_number ?? 0
    w.edit({ phase: 'done' })
    await w.stop()
    expect((await github.repository.issueNow(issue)).state).toBe('open')
    await github.repository.merge(pull)
    w.pass(130_000)
    await w.stop()
    expect((await w.record()).closing).toBe('asked')
    expect((await github.repository.issueNow(issue)).state).toBe('open')
    await w.claims.release(w.project, issue, 'by hand')
  })

  test('an issue that was closed by hand gets its comment and is tidied up', async () => {
    await using w = await world()
    const issue = await issueNamed('Closed by hand')
    await merged(w, issue)
    await github.repository.closeIssue(issue)
    w.answers[0]?.('yes')
    await until(() => !w.hasSignal(), { what: 'the end' })
    expect((await github.repository.issueNow(issue)).comments).toHaveLength(1)
  })
})

describe('crashes while claiming', () => {
  test('a claim that was cut off after its lease is finished by the next start, or taken back', async () => {
    await using w = await world()
    const issue = await issueNamed('Cut off')
    await w.claim(issue)
    const record = await w.record()
    w.drop()
    await w.ports.records.put({ ...record, stage: 'claiming' })
    w.pass(3 * 60_000)
    const again = w.restarted()
    await again.tick()
    expect(w.signal()).toMatchObject({ issue_number: issue, phase: 'coding' })
    expect((await again.list())[0]?.phase).toBe('coding')

    w.drop()
    await w.ports.records.put({ ...record, stage: 'claiming', begun: false })
    const third = w.restarted()
    await third.tick()
    expect(await third.list()).toEqual([])
    expect(await github.repository.git.git('for-each-ref', 'refs/baton')).toBe('')
  })
})

test('a repository whose remote refuses the push leaves nothing half done', async () => {
  await using w = await world()
  const issue = await issueNamed('Refused')
  const hook = join(github.repository.git.path, 'hooks')
  await import('node:fs/promises').then(fs => fs.mkdir(hook, { recursive: true }))
  writeFileSync(join(hook, 'pre-receive'), '#!/bin/sh\necho "GH006: protected" >&2\nexit 1\n')
  chmodSync(join(hook, 'pre-receive'), 0o755)
  try {
    await failing(w.claim(issue)).toMatchObject({
      code: 'git_failed',
      message: expect.stringContaining('no right to push'),
    })
    expect(w.hasSignal()).toBe(false)
    expect(await w.claims.list()).toEqual([])
  } finally {
    await import('node:fs/promises').then(fs => fs.rm(join(hook, 'pre-receive')))
  }
})
