import { describe, expect, it } from 'vitest'
import type { GrantFacts } from '../../../src/ports/grant-facts.ts'
import { sessionId } from '../../../src/session/id.ts'
import { issueToImpl } from '../../../src/work/workflows/builtin-workflows.ts'
import { carryOver } from '../../../src/work/workflows/mode.ts'
import { grantNow } from '../../../src/work/workflows/run-grant.ts'
import { event, shell, type World, world } from './world.ts'

const FACTS: GrantFacts = {
  read: async folder => ({
    root: folder,
    branch: 'main',
    settings: 's',
    push: 'any',
    pushesTo: 'origin',
    fetchesFrom: 'origin',
    remotes: [{ name: 'origin', url: 'https://github.com/acme/shop' }],
    hooks: [],
  }),
  bases: async () => ['origin/main'],
}

async function started(prompt: string): Promise<World> {
  const made = world({}, { grantFacts: FACTS })
  await made.tell(event('PromptSubmitted', 'one', { prompt }))
  return made
}

const runOf = (made: World, native = 'one') => made.ports.runs.get(sessionId('claude-code', native))
async function grantOf(made: World, native = 'one') {
  const run = await runOf(made, native)
  if (!run) throw new Error('no run')
  return grantNow(run, await made.ports.files.read(run.root, native), issueToImpl)
}

describe('the grant of a run', () => {
  it('is what Baton recorded when the run began', async () => {
    await using made = await started('/issue-to-impl 42')
    expect(await grantOf(made)).toMatchObject({
      job: 'issue-to-impl #42',
      may: ['read', 'push', 'rebase', 'pull-request', 'issue'],
      branch: 'issue-42',
      remote: 'origin',
      issue: 42,
      repository: 'github.com/acme/shop',
      files: ['.tmp/plan-of-issue-42.md', '.tmp/pr-body.md', '.tmp/hooked-sessions/one.json'],
    })
  })

  it('covers only reading in a dry run', async () => {
    await using made = await started('/issue-to-impl --dry-run 42')
    expect((await grantOf(made))?.may).toEqual(['read'])
  })

  it('ends with the run, and with a state file that names something else', async () => {
    await using made = await started('/issue-to-impl 42')
    const state = made.state('one')
    for (const edited of [
      { ...state, issue_no: 43 },
      { ...state, issue_no: undefined },
      { ...state, state: 'done' },
      { ...state, state: 'blocked: help' },
      { ...state, workflow: 'setup-viewboard' },
      'not json',
    ]) {
      made.edit('one', edited)
      expect(await grantOf(made)).toBeUndefined()
    }
    made.edit('one', { ...state, branch: 'main', remote: 'fork', pr_number: 7 })
    expect(await grantOf(made)).toMatchObject({ branch: 'issue-42', remote: 'origin' })
    expect(await grantOf(made)).not.toHaveProperty('pullRequest')
    made.edit('one', { ...state, state: 'done' })
    await made.stop('one')
    made.edit('one', state)
    expect((await runOf(made))?.end?.kind).toBe('unproven')
    expect(await grantOf(made)).toBeUndefined()
  })

  it('moves with the run to the session that continues it', async () => {
    await using made = await started('/issue-to-impl 42')
    const to = {
      session: sessionId('claude-code', 'two'),
      nativeSession: 'two',
      agent: 'claude-code' as const,
    }
    const moved = await carryOver(
      made.ports,
      made.handsOff,
      sessionId('claude-code', 'one'),
      to as never,
      made.now,
    )
    expect(moved).toBe(true)
    expect(await grantOf(made)).toBeUndefined()
    expect(await grantOf(made, 'two')).toMatchObject({
      branch: 'issue-42',
      files: ['.tmp/plan-of-issue-42.md', '.tmp/pr-body.md', '.tmp/hooked-sessions/two.json'],
    })
  })

  it('learns the number of its pull request only from a gh command that is alone', async () => {
    await using made = await started('/issue-to-impl 42')
    const link = (number: number, at = 'https://github.com/acme/shop') => `${at}/pull/${number}\n`
    await made.tell(shell('one', 'gh pr create --fill; echo x', link(7)))
    await made.tell(shell('one', 'echo gh pr create', link(7)))
    await made.tell(shell('one', 'gh pr create --fill', link(7, 'https://github.com/evil/shop')))
    await made.tell(shell('one', 'gh pr create --fill', link(7), true))
    expect((await runOf(made))?.grant?.pullRequest).toBeUndefined()
    await made.tell(shell('one', 'gh pr create --fill 2>&1', link(9)))
    expect((await runOf(made))?.grant?.pullRequest).toBe(9)
    await made.tell(shell('one', 'gh pr create --fill', link(10)))
    expect((await runOf(made))?.grant?.pullRequest).toBe(9)
  })
})

describe('the one issue of plan-to-issue', () => {
  const CREATE = 'gh issue create --title x --body y'
  const LINK = 'https://github.com/acme/shop/issues/12'
  const created = (made: World, rest: { failed?: boolean; id?: string; command?: string; out?: string }) =>
    made.tell({
      ...shell('one', rest.command ?? CREATE, rest.out ?? LINK, rest.failed ?? false),
      toolUseId: rest.id ?? 'a',
    })
  const use = (made: World, call: string) => made.handsOff.useGrant(sessionId('claude-code', 'one'), call)

  it('is used up by the call that creates it, unless that call fails', async () => {
    await using made = await started('/plan-to-issue a plan')
    await use(made, 'a')
    expect((await runOf(made))?.grant?.created).toEqual({ call: 'a' })
    await created(made, { failed: true })
    expect((await runOf(made))?.grant?.created).toBeUndefined()
    await use(made, 'b')
    await created(made, { id: 'a' })
    expect((await runOf(made))?.grant?.created).toEqual({ call: 'b' })
    await created(made, { id: 'b' })
    expect((await runOf(made))?.grant?.created).toEqual({ issue: 12 })
  })

  it('is known by what the broker ran, not by what a command in the sandbox prints', async () => {
    await using made = await started('/plan-to-issue a plan')
    const session = sessionId('claude-code', 'one')
    const words = ['gh', 'issue', 'create', '--title', 'x']
    const ended = (call: string, output?: string) =>
      made.handsOff.brokerEnded(session, { call, words, output })
    await use(made, 'broker_1')
    await made.tell({ ...shell('one', CREATE, LINK), toolUseId: 'broker_1', sandbox: 'x' })
    expect((await runOf(made))?.grant?.created).toEqual({ call: 'broker_1' })
    await ended('broker_2', LINK)
    expect((await runOf(made))?.grant?.created).toEqual({ call: 'broker_1' })
    await ended('broker_1')
    expect((await runOf(made))?.grant?.created).toBeUndefined()
    await use(made, 'broker_3')
    await ended('broker_3', `${LINK}\n`)
    expect((await runOf(made))?.grant?.created).toEqual({ issue: 12 })
    const pull = {
      call: 'broker_4',
      words: ['gh', 'pr', 'create'],
      output: `${LINK.replace('issues', 'pull')}\n`,
    }
    await made.handsOff.brokerEnded(session, { ...pull, output: undefined })
    expect((await runOf(made))?.grant?.pullRequest).toBeUndefined()
    await made.handsOff.brokerEnded(session, pull)
    expect((await runOf(made))?.grant?.pullRequest).toBe(12)
  })

  it('stays used up when the call says nothing', async () => {
    await using made = await started('/plan-to-issue a plan')
    await use(made, 'a')
    await created(made, { out: '' })
    expect((await runOf(made))?.grant?.created).toEqual({})
  })
})
