import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type ClaimWorld, claimWorld } from '../world/claims.ts'
import { until } from '../world/wait.ts'

describe('an issue from claim to close, with the real command, a real git and a strict GitHub', () => {
  test('every phase, by hooks and a webhook, with no more calls than promised', {
    timeout: 240_000,
  }, async () => {
    await using w = await claimWorld()
    const issue = await w.github.repository.issue({
      title: 'Leases end too early',
      labels: ['ready-for-agent'],
    })
    w.board.add(issue, { status: 'Todo' })

    // Claim
    const said = await w.baton.must('claim', String(issue))
    expect(said).toContain(`Claimed: #${issue} Leases end too early`)
    expect(w.signal()).toMatchObject({
      schema_version: 1,
      issue_number: issue,
      branch: `issue-${issue}`,
      phase: 'coding',
      summary: '',
      status: 'In Progress',
      pr_number: null,
      last_check_poll: null,
      last_synced_status: 'In Progress',
    })
    expect(w.signal().agent_id).toMatch(/^.+-\d{10}$/)
    expect(w.board.of(issue)).toEqual({ status: 'In Progress', agent: w.signal().agent_id })
    expect((await w.github.repository.issueNow(issue)).assignees.map(({ login }) => login)).toEqual(['dev'])
    expect(await w.git('branch', '--show-current')).toBe(`issue-${issue}`)
    expect(await w.git('status', '--porcelain')).toBe('')
    expect(await w.baton.must('claim', String(issue))).toContain('Already claimed')

    // Coding: a stop costs nothing
    const begin = await w.hook('SessionStart', { source: 'startup' })
    expect(JSON.stringify(begin)).toContain('baton claim ready')
    await w.hook('UserPromptSubmit', { prompt: 'go' })
    await w.commit('lease.txt', 'longer')
    const coding = await w.github.counting(() => w.hook('Stop', { stop_hook_active: false }))
    expect(coding.calls).toEqual([])

    // Handoff and pull request
    await w.hook('UserPromptSubmit', { prompt: 'finish' })
    const ready = await w.baton.must('claim', 'ready', '--summary', `Fixes #${issue}: renew leases in time`)
    expect(ready).toContain('is pushed and handed off')
    expect(w.signal()).toMatchObject({ phase: 'ready_for_pr', pr_number: null })
    const opening = await w.github.counting(() => w.hook('Stop', { stop_hook_active: false }))
    expect(opening.calls.length).toBeLessThanOrEqual(3)
    const { pr_number: pull } = w.signal()
    expect(JSON.stringify(opening.result)).toContain(`PR #${pull} created`)
    expect(w.signal()).toMatchObject({
      phase: 'pr_created',
      status: 'In Review',
      last_synced_status: 'In Review',
    })
    expect(w.board.of(issue)?.status).toBe('In Review')
    const opened = await w.github.repository.pullNow(pull ?? 0)
    expect(opened.title).toBe(`Refs #${issue}: renew leases in time`)
    expect(opened.body).toContain(`Refs #${issue}`)
    expect(opened.body).not.toMatch(/\b(close|fix|resolve)[sd]?(es)?:? #/i)
    expect(opened.body?.match(/^- \[ \] /gm)).toHaveLength(8)

    // Checks: the daemon looks once by itself, then not before it is nudged, or much later.
    await until(() => w.signal().phase === 'checks_running', { what: 'checks_running', timeout: 120_000 })
    await w.github.repository.check(pull ?? 0, 'lint', 'success')
    await w.github.repository.check(pull ?? 0, 'test', 'in_progress')
    const polling = await w.github.counting(async () => {
      await w.nudge()
      await until(async () => (await w.claims())[0]?.pullRequest?.checks === '1/2 passed, 1 running', {
        what: 'the checks',
      })
    })
    expect(polling.calls).toHaveLength(1)
    const next = await w.hook('UserPromptSubmit', { prompt: 'and?' })
    expect(JSON.stringify(next)).toContain('CI: 1/2 passed, 1 running')
    await w.hook('Stop', { stop_hook_active: false })

    await w.github.repository.check(pull ?? 0, 'test', {
      state: 'failure',
      workflow: 'CI',
      log: 'one\nexpected 2, got 3\n',
    })
    await w.nudge()
    await until(async () => (await w.claims())[0]?.pullRequest?.checks.includes('failed'), {
      what: 'the failure',
    })
    await w.hook('UserPromptSubmit', { prompt: 'what next?' })
    const failed = { state: 'failure', workflow: 'CI', log: 'build\nexpected 2, got 3\n' }
    await w.github.repository.check(pull ?? 0, 'build', failed)
    await w.nudge()
    await until(async () => (await w.claims())[0]?.pullRequest?.checks.includes('2 failed'), {
      what: 'the second failure',
    })
    const back = await w.hook('Stop', { stop_hook_active: false })
    expect(back.decision).toBe('block')
    expect(String(back.reason)).toMatch(/FAILED on PR/)
    expect(String(back.reason)).toContain('expected 2, got 3')

    for (const name of ['test', 'build']) await w.github.repository.check(pull ?? 0, name, 'success')
    await w.nudge()
    await until(async () => (await w.claims())[0]?.pullRequest?.checks === '3/3 passed', {
      what: 'green checks',
    })

    // Merge, the one question, closing
    await w.github.repository.merge(pull ?? 0)
    await w.nudge()
    const closing = await w.github.counting(async () => {
      await w.answer('yes')
      await until(() => !existsSync(join(w.project, '.agent-claim.json')), {
        what: 'the signal file to go',
        timeout: 120_000,
      })
    })
    expect(
      closing.calls.filter(({ operation }) => operation !== 'BatonPullRequest').length,
    ).toBeLessThanOrEqual(3)
    const closed = await w.github.repository.issueNow(issue)
    expect(closed.state).toBe('closed')
    expect(closed.comments).toHaveLength(1)
    expect(closed.comments[0]).toContain(`Completed in #${pull}`)
    expect(w.board.of(issue)).toEqual({ status: 'Done', agent: undefined })
    await until(async () => (await w.claims()).length === 0, { what: 'the claim to end' })
    expect(await w.github.repository.git.git('for-each-ref', 'refs/baton')).toBe('')
    expect(readFileSync(join(w.project, '.git/info/exclude'), 'utf8')).toContain('/.agent-claim.json')
    w.github.assertClean()
  })
})

describe('a claim whose proof asks a person, CI and a reviewer', () => {
  const checks = `proof:
  done_when:
    - files: { exist: [lease.txt] }
    - person: Does it look right?
    - forge: { checks: green, review: approved }
`

  test('red CI goes back to the agent, and the next commit is proven by a yes, green CI and an approval', {
    timeout: 300_000,
  }, async () => {
    await using w = await claimWorld({ settings: checks })
    const { repository } = w.github
    const issue = await repository.issue({ title: 'Leases end too early' })
    await w.baton.must('claim', String(issue))
    await w.hook('SessionStart', { source: 'startup' })
    const body = async () => (await repository.pulls())[0]?.body ?? ''
    const shows = (text: string) =>
      until(async () => (await body()).includes(text), {
        what: `${text} in the pull request`,
        timeout: 120_000,
        evidence: async () => `${await body()}\n${await w.baton.must('proof', '--json')}`,
      })

    await w.hook('UserPromptSubmit', { prompt: 'go' })
    await w.commit('lease.txt', 'longer')
    await w.baton.must('claim', 'ready', '--summary', `Refs #${issue}: longer`)
    await w.hook('Stop', { stop_hook_active: false })
    // No pull request and no wait for CI before a person agreed.
    await w.answer('yes')
    await shows('**Not proven yet**, Baton waits for CI and approval.')
    const pull = (await repository.pulls())[0]?.number ?? 0
    await repository.check(pull, 'test', { state: 'failure', workflow: 'CI', log: 'expected 2, got 3\n' })
    await shows('**Unproven: CI and approval failed: CI / test.**')
    await recapShows(w, 'unproven (CI and approval failed: CI / test)')
    await w.nudge()
    await until(async () => (await w.claims())[0]?.pullRequest?.checks.includes('failed'), {
      what: 'the failure',
    })
    const told = [
      await w.hook('UserPromptSubmit', { prompt: 'what next?' }),
      await w.hook('Stop', { stop_hook_active: false }),
    ]
    expect(JSON.stringify(told)).toContain('expected 2, got 3')

    await w.commit('lease.txt', 'even longer')
    await w.git('push', '-q', 'origin', `issue-${issue}`)
    await w.nudge()
    await w.answer('yes')
    await repository.check(pull, 'test', 'success')
    await repository.review(pull, 'APPROVE', 'Fine')
    await shows('**Proven.**')
    expect(await body()).toMatch(/\| Does it look right\? \| passed \|/)
    expect((await body()).match(/baton:proof -->/g)).toHaveLength(2)
    const recap = await recapShows(w, `claim #${issue}  proven`)
    expect(recap).not.toContain('unproven')
    w.github.assertClean()
  })

  test('without the yes of the person the pull request is a draft', { timeout: 240_000 }, async () => {
    await using w = await claimWorld({ settings: checks })
    const { repository } = w.github
    const issue = await repository.issue({ title: 'Leases end too early' })
    await w.baton.must('claim', String(issue))
    await w.hook('SessionStart', { source: 'startup' })
    await w.hook('UserPromptSubmit', { prompt: 'go' })
    await w.commit('lease.txt', 'longer')
    await w.baton.must('claim', 'ready', '--summary', `Refs #${issue}: longer`)
    await w.hook('Stop', { stop_hook_active: false })
    await w.answer('no')
    // The agent receives it, and has nothing to change.
    let said = ''
    const [pull] = await until(
      async () => {
        await w.hook('UserPromptSubmit', { prompt: 'go on' })
        said += JSON.stringify(await w.hook('Stop', { stop_hook_active: false }))
        const pulls = await repository.pulls()
        return pulls[0]?.body?.includes('**Unproven') && pulls
      },
      { what: 'the draft', timeout: 120_000, evidence: () => w.baton.must('proof', '--json') },
    )
    expect(said).toContain('was answered with no')
    expect(pull?.draft).toBe(true)
    expect(pull?.body).toContain('was answered with no')
    await recapShows(w, 'was answered with no')
  })
})

/** Waits for the recap to show a text: the journal learns of an end after the pull request does. */
async function recapShows(w: ClaimWorld, text: string): Promise<string> {
  let recap = ''
  await until(
    async () => {
      recap = await w.baton.must('recap')
      return recap.includes(text)
    },
    { what: `${text} in the recap`, evidence: () => recap },
  )
  return recap
}
