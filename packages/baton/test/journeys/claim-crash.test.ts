import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ClaimList } from '@batonpass/contract/claim'
import { expect, test } from 'vitest'
import { type ClaimWorld, claimWorld } from '../world/claims.ts'
import { fakeGitHub } from '../world/github.ts'
import { until } from '../world/wait.ts'

/** Does what agent and people do, again and again until it took effect: the daemon may die at any moment. */
async function drive(w: ClaimWorld, issue: number): Promise<number> {
  const there = () => existsSync(join(w.project, '.agent-claim.json'))
  const claims = async () => ClaimList.parse(await w.api('GET', '/api/claims')).claims
  const patiently = (what: string, act: () => Promise<unknown>, done: () => boolean | Promise<boolean>) =>
    until(
      async () => {
        try {
          await act()
          return await done()
        } catch {
          // It died: a person starts it again.
          await w.baton.run(['up'])
          return await done()
        }
      },
      { what, timeout: 120_000, every: 50 },
    )
  const claim = { project: w.project, issue }
  await patiently(
    'the claim',
    () => w.api('POST', '/api/claims', claim),
    async () => there() && (await claims()).some(({ phase }) => phase === 'coding'),
  )
  await w.commit('work.txt', `for ${issue}`)
  await w.baton.must('claim', 'ready', '--summary', `Work for ${issue}`)
  const stop = () => w.hook('Stop', { stop_hook_active: false })
  await patiently('the pull request', stop, () => w.signal().pr_number !== null)
  const pull = w.signal().pr_number ?? 0
  await w.github.repository.merge(pull)
  const closing = async () => (await claims())[0]?.closing ?? ''
  await patiently('the question', w.nudge, async () => ['asked', 'yes'].includes(await closing()))
  const answer = async () => {
    if ((await closing()) === 'asked') await w.answer('yes')
  }
  await patiently('yes', answer, async () => !there() || (await closing()) === 'yes')
  await patiently('the end', w.nudge, async () => !there() && (await claims()).length === 0)
  return pull
}

const pidOf = (w: ClaimWorld): number | undefined => {
  try {
    return JSON.parse(readFileSync(join(w.baton.stateDir, 'endpoint.json'), 'utf8')).pid
  } catch {
    return undefined
  }
}

test('kill -9 after an outside call: one pull request, one comment, one closing, nothing held', {
  timeout: 500_000,
}, async () => {
  await using github = await fakeGitHub()
  const board = github.board({ owner: 'acme' })
  let calls = 0
  /** Lives one issue whole; the daemon dies once the nth outside call was carried out, before its result is reported. */
  const life = async (killAt: number) => {
    await using w = await claimWorld({ github, board })
    const issue = await github.repository.issue({ title: `Dies at ${killAt}` })
    board.add(issue, { status: 'Todo' })
    calls = 0
    let died = false
    let looked = false
    const kill = (call?: { operation: string | undefined }) => {
      // Looks in a row are one: how many there are depends on how fast the machine is.
      const looks = call?.operation === 'BatonPullRequest'
      if (looks && looked) return
      looked = looks
      calls++
      const pid = calls === killAt ? pidOf(w) : undefined
      if (pid === undefined) return
      died = true
      process.kill(pid, 'SIGKILL')
    }
    github.on('after', () => true, kill)
    github.onPush('after', () => kill())
    const before = github.calls.length
    const pull = await drive(w, issue)
    github.heal()
    const pulls = (await github.repository.pulls()).filter(({ head }) => head.ref === `issue-${issue}`)
    expect(
      pulls.map(({ number }) => number),
      `killed at ${killAt}`,
    ).toEqual([pull])
    const now = await github.repository.issueNow(issue)
    expect(now, `killed at ${killAt}`).toMatchObject({
      state: 'closed',
      comments: [expect.stringContaining(`Completed in #${pull}`)],
    })
    const closings = github.calls
      .slice(before)
      .filter(
        ({ operation, body }) => operation === 'BatonClose' && JSON.stringify(body).includes('closeIssue'),
      )
    expect(closings, `killed at ${killAt}`).toHaveLength(1)
    expect(board.of(issue), `killed at ${killAt}`).toEqual({ status: 'Done', agent: undefined })
    expect(await github.repository.git.git('for-each-ref', 'refs/baton'), `killed at ${killAt}`).toBe('')
    return died
  }
  // After each of them with BATON_LONG=1, in about three minutes; every run of CI takes each third. The last life is one
  // that has fewer calls, and is not cut.
  const step = process.env.BATON_LONG ? 1 : 3
  let n = 1
  while (await life(n)) n += step
  expect(calls).toBeGreaterThan(12)
  expect(calls).toBeLessThan(n)
  github.assertClean()
})
