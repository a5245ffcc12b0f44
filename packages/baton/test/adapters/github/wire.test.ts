import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { ApiCall } from '../../../src/adapters/github/connection.ts'
import { type GitHubOptions, gitHub } from '../../../src/adapters/github/forge.ts'
import { type FakeGitHub, fakeGitHub } from '../../world/github.ts'

describe('over the wire', () => {
  let world: FakeGitHub
  beforeAll(async () => {
    world = await fakeGitHub()
  })
  afterEach(() => world.heal())
  afterAll(async () => {
    world.assertClean()
    await world.close()
  })
  let now = 1_800_000_000_000
  const connect = (options: Partial<GitHubOptions> = {}) =>
    gitHub({
      repository: { host: 'github.com', owner: 'acme', name: 'app' },
      clock: { now: () => now, elapsed: () => 0 },
      token: world.token,
      apiUrl: world.apiUrl,
      paced: false,
      retryPause: 0,
      ...options,
    })

  test('every call is counted as it went out, repeats included', async () => {
    const calls: ApiCall[] = []
    const forge = await connect({ onCall: call => calls.push(call) })
    world.failNext('server-error')
    await forge.me()
    await forge.me()
    expect(calls.map(({ operation, status }) => [operation, status])).toEqual([
      ['BatonViewer', 502],
      ['BatonViewer', 200],
    ])
    expect(JSON.stringify(calls)).not.toContain(world.token)
  })

  test('a short limit is sat out, a long one is told with its end by our clock', async () => {
    const forge = await connect()
    world.failNext('secondary-limit', { retryAfter: 1 })
    expect(await forge.me()).toBe('dev')
    const other = await connect()
    world.failNext('secondary-limit', { retryAfter: 90 })
    await expect(other.me()).rejects.toMatchObject({ trouble: 'rate-limited', retryAt: now + 90_000 })
  })

  test('a refusal is not asked again', async () => {
    const forge = await connect()
    for (const fault of ['unauthorised', 'forbidden', 'secondary-limit'] as const) {
      world.failNext(fault)
      const { calls } = await world.counting(() => forge.pullRequestFor('x').catch(() => {}))
      expect(calls).toHaveLength(1)
    }
    const { calls } = await world.counting(() => forge.pullRequest(404).catch(() => {}))
    expect(calls).toHaveLength(1)
  })

  test('a writing call is sent once, whatever happens to it', async () => {
    const forge = await connect()
    const number = await world.repository.issue()
    world.failNext('server-error', { times: 5, match: /assignees/ })
    const { calls } = await world.counting(() => forge.assign(number, ['dev']).catch(() => {}))
    expect(calls).toHaveLength(1)
  })

  test('an answer that never comes ends by our deadline', async () => {
    const forge = await connect({ timeout: 50 })
    world.failNext('hang', { times: 9 })
    await expect(forge.me()).rejects.toMatchObject({ trouble: 'unreachable' })
  })

  test('a server that does not listen is unreachable', async () => {
    const forge = await connect({ apiUrl: 'http://127.0.0.1:1' })
    await expect(forge.pullRequest(1)).rejects.toMatchObject({ trouble: 'unreachable' })
  })

  test('more than a hundred checks are all read', async () => {
    const forge = await connect()
    await world.repository.git.commit('many', { 'a.txt': 'a' })
    const { number } = await forge.createPullRequest({ branch: 'many', title: 'Many', body: '' })
    for (let n = 0; n < 120; n++)
      await world.repository.status(number, `check/${n}`, n === 119 ? 'FAILURE' : 'SUCCESS')
    const { result, calls } = await world.counting(() => forge.pullRequest(number))
    expect(result.checks).toMatchObject({ total: 120, failed: 1, passed: 119, verdict: 'failed' })
    expect(calls).toHaveLength(2)
  })

  test('what a check of another service wrote stands for its log', async () => {
    const forge = await connect()
    await world.repository.git.commit('other', { 'b.txt': 'b' })
    const { number } = await forge.createPullRequest({ branch: 'other', title: 'Other', body: '' })
    const output = { title: 'Two problems', summary: 'One here', text: 'One there' }
    await world.repository.check(number, 'scan', { state: 'failure', app: 'scanner', output })
    const [scan] = (await forge.pullRequest(number)).checks.all
    if (!scan) throw new Error('no check')
    expect(await forge.checkLog(scan)).toBe('Two problems\n\nOne here\n\nOne there')
  })

  test('what was remembered of the board is asked again after a while', async () => {
    const board = world.board({ owner: 'acme' })
    const number = await world.repository.issue()
    board.add(number)
    const forge = await connect()
    await forge.issue(number)
    const warm = await world.counting(() => forge.setOnBoard(number, { status: 'Todo' }))
    expect(warm.calls).toHaveLength(1)
    now += 11 * 60_000
    const cold = await world.counting(() => forge.setOnBoard(number, { status: 'Done' }))
    expect(cold.calls).toHaveLength(2)
    expect(board.of(number)?.status).toBe('Done')
  })

  test.each(['a/b', '../x', 'x y', ''])('%j is not an owner', async owner => {
    const repository = { host: 'github.com', owner, name: 'app' }
    await expect(connect({ repository })).rejects.toMatchObject({ trouble: 'refused' })
  })
})
