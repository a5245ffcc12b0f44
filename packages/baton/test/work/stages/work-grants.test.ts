import { describe, expect, it } from 'vitest'
import type { GitFacts, GrantFacts } from '../../../src/ports/grant-facts.ts'
import { sessionId } from '../../world/journal.ts'
import { stageWorld } from './world.ts'

const WORK = '.paw/work/auth-system'
const PLAN = '# Plan\n\n## Phase 1: Store\n- [x] tests pass\n\n## Phase 2: API\n- [ ] tests pass\n'
const opening = (agent: string, more = '') =>
  `Work ID: auth-system\n\nYou are ${agent}${more}. Call paw_get_context with this Work ID first.`

const factsWith = (more: Partial<GitFacts> = {}): GrantFacts => ({
  read: async folder => ({
    root: folder,
    branch: 'main',
    settings: 's',
    push: 'any',
    pushesTo: 'origin',
    fetchesFrom: 'origin',
    remotes: [
      { name: 'origin', url: 'https://github.com/acme/shop' },
      { name: 'fork', url: 'https://github.com/me/shop' },
    ],
    hooks: [],
    ...more,
  }),
  bases: async () => ['origin/main'],
})

/** A work item that no one has begun. */
async function made(given: object = {}, facts = factsWith()) {
  const world = stageWorld({ grantFacts: facts })
  await world.ports.items.create(world.project, {
    title: 'Auth System',
    mode: 'auto',
    issue: 'https://github.com/acme/shop/issues/7',
    ...given,
  })
  world.write(`${WORK}/ImplementationPlan.md`, PLAN)
  for (const n of [1, 2]) world.session(n, { pane: `%${n} /tmp/x` })
  const grants = (n = 1) => world.stages.grants.of(sessionId(n))
  const edit = (change: (text: string) => string) => {
    const path = `${WORK}/WorkflowContext.md`
    return world.ports.files
      .read(world.project, path)
      .then(found => world.write(path, change(found.kind === 'text' ? found.text : '')))
  }
  return Object.assign(world, { grants, edit })
}

const ALWAYS = `${WORK}/WorkflowContext.md`

describe('what a stage may do by itself', () => {
  it.each([
    ['PAW-01A Specification', '', ['read', 'issue-comment'], 'Spec'],
    ['PAW-01B Spec Researcher', '', ['read'], 'SpecResearch'],
    ['PAW-02A Code Researcher', '', ['read'], 'CodeResearch'],
    ['PAW-02B Impl Planner', '', ['read', 'issue-comment'], 'ImplementationPlan'],
    ['PAW-03A Implementer', ': implement Phase 1', ['read', 'rebase'], 'ImplementationPlan'],
    ['PAW-03B Impl Reviewer', ', Phase 1', ['read', 'push', 'rebase', 'pull-request'], 'ImplementationPlan'],
    ['PAW-04 Documenter', '', ['read'], 'Docs'],
    ['PAW-05 PR', '', ['read', 'push', 'rebase', 'pull-request', 'issue-comment'], undefined],
    ['PAW-X Status', '', ['read'], undefined],
  ])('%s', async (agent, more, may, file) => {
    await using world = await made()
    await world.said(1, opening(agent, more))
    expect(await world.grants()).toEqual([
      {
        job: 'work auth-system',
        may,
        worktree: world.project,
        bases: ['origin/main'],
        files: [...(file ? [`${WORK}/${file}.md`] : []), ALWAYS],
        filesIn: world.project,
        labels: [],
        settings: 's',
        remote: 'origin',
        repository: 'github.com/acme/shop',
        branch: 'feature/auth-system',
        issue: 7,
        work: 'auth-system',
      },
    ])
  })

  it.each([
    ['PAW-02B Impl Planner', '', ['feature/auth-system_plan']],
    ['PAW-03B Impl Reviewer', ', Phase 1', ['feature/auth-system_phase1', 'feature/auth-system']],
    ['PAW-04 Documenter', '', ['feature/auth-system_docs']],
    ['PAW-05 PR', '', ['feature/auth-system']],
  ])('%s works on its own branches with a pull request for each part', async (agent, more, branches) => {
    await using world = await made({ mode: 'semi-auto', strategy: 'prs' })
    await world.said(1, opening(agent, more))
    const grants = await world.grants()
    expect(grants.map(({ branch }) => branch)).toEqual(branches)
    for (const { may } of grants) expect(may).toEqual(expect.arrayContaining(['push', 'pull-request']))
    expect(grants[0]?.bases).toEqual(
      branches[0] === 'feature/auth-system' ? ['origin/main'] : ['origin/main', 'origin/feature/auth-system'],
    )
  })

  it('is only reading in a review of someone’s pull request', async () => {
    await using world = await made({
      workflow: 'review',
      issue: 'https://github.com/acme/shop/pull/9',
      branch: 'feature/auth-system',
    })
    await world.said(1, opening('PAW-R1A Understanding'))
    const [grant] = await world.grants()
    expect(grant).toMatchObject({ may: ['read'], files: [`${WORK}/DerivedSpec.md`, ALWAYS] })
    expect(grant).not.toHaveProperty('branch')
    expect(grant).not.toHaveProperty('issue')
  })

  it.each([
    ['another repository’s issue', 'https://github.com/other/shop/issues/7', undefined],
    ['a text', 'see #7', undefined],
    ['a number', '#7', 7],
    ['none', 'none', undefined],
  ])('concerns an issue of its repository only: %s', async (_, issue, number) => {
    await using world = await made({ issue })
    await world.said(1, opening('PAW-05 PR'))
    expect((await world.grants())[0]?.issue).toBe(number)
  })

  it.each([
    ['main', 'main', undefined],
    ['release/auth-system', 'main', undefined],
    ['colleague/payments', 'main', undefined],
    ['colleague/payments', 'colleague/payments', 'colleague/payments'],
    ['me/auth-system', 'main', 'me/auth-system'],
    ['auth-system:main', 'main', undefined],
    ['--force/auth-system', 'main', undefined],
  ])('is about a branch with its name, or the one checked out: %s on %s', async (branch, current, own) => {
    await using world = await made({ branch }, factsWith({ branch: current }))
    await world.said(1, opening('PAW-05 PR'))
    expect((await world.grants())[0]?.branch).toBe(own)
  })
})

describe('the grant of staged work', () => {
  it('begins with a person: not with a stage that an agent called for, nor with a quoted Work ID', async () => {
    await using world = await made()
    await world.said(1, `Someone wrote:\n${opening('PAW-05 PR')}`)
    expect(await world.grants()).toEqual([])
    world.calls(2, 'paw_call_agent', { work_id: 'auth-system' })
    await world.ports.memory.keep({
      project: world.project,
      workId: 'auth-system',
      target: 'PAW-05 PR',
      stage: 'pr',
      at: 0,
      state: 'begun',
      tries: 0,
    })
    await world.said(2, opening('PAW-05 PR'))
    expect(world.entries.at(-1)).toMatchObject({ what: 'begun', stage: 'pr' })
    expect(await world.grants(2)).toEqual([])
  })

  it('lets the session that got a command hand over, and do nothing else', async () => {
    await using world = await made()
    await world.said(1, '/baton:stage spec')
    expect(await world.grants()).toMatchObject([{ may: [], files: [], work: 'auth-system' }])
  })

  it('moves to the next stage’s session and to the successor of a handoff, and leaves the one before', async () => {
    await using world = await made()
    await world.said(1, opening('PAW-03B Impl Reviewer', ', Phase 1'))
    await world.said(2, opening('PAW-04 Documenter'))
    expect(await world.grants(1)).toEqual([])
    expect(await world.grants(2)).toMatchObject([{ may: ['read'] }])
    const to = { id: sessionId(3), nativeSession: 'native-3', agent: 'claude-code' as const }
    await world.stages.carryOver(sessionId(2), to as never)
    expect(await world.grants(2)).toEqual([])
    expect(await world.grants(3)).toMatchObject([{ may: ['read'] }])
  })

  it.each<[string, (text: string) => string]>([
    ['another branch', text => text.replace('feature/auth-system', 'main')],
    ['another remote', text => text.replace('Remote: origin', 'Remote: fork')],
    ['another issue', text => text.replace('issues/7', 'issues/8')],
    ['another strategy', text => text.replace('Strategy: local', 'Strategy: prs').replace('auto', 'manual')],
    ['a block', text => `${text}Blocked: no key\n`],
    ['its end', text => `${text}Current Stage: complete\n`],
    ['nothing', () => ''],
  ])('ends when the file names %s, and begins again with no other words', async (_, change) => {
    await using world = await made()
    await world.said(1, opening('PAW-05 PR'))
    const before = await world.grants()
    let text = ''
    await world.edit(now => {
      text = now
      return change(now)
    })
    expect(await world.grants()).toEqual([])
    // A person continues: what was edited meanwhile does not count.
    await world.said(1, opening('PAW-05 PR'))
    expect(await world.grants()).toEqual([])
    await world.edit(() => text)
    expect(await world.grants()).toEqual(before)
  })

  it('ends with the last stage; a person who then hands over begins again', async () => {
    await using world = await made({ issue: 'none' })
    await world.said(1, opening('PAW-05 PR'))
    await world.stopped(1)
    expect(world.entries.at(-1)).toMatchObject({ what: 'ended' })
    expect(await world.grants()).toEqual([])
    await world.said(1, 'implement Phase 2')
    expect(await world.grants()).not.toEqual([])
  })

  it('learns its pull request from gh alone, for the branch that it is about', async () => {
    await using world = await made({}, factsWith({ branch: 'feature/auth-system' }))
    await world.said(1, opening('PAW-05 PR'))
    const created = (words: string[], output: string | undefined) =>
      world.stages.grants.finished(sessionId(1), { call: 'c', words, output })
    const link = (n: number, at = 'acme/shop') => `https://github.com/${at}/pull/${n}\n`
    await created(['gh', 'pr', 'create', '--head', 'other'], link(3))
    await created(['gh', 'pr', 'create'], link(3, 'evil/shop'))
    await created(['gh', 'pr', 'create'], undefined)
    await created(['gh', 'pr', 'view'], link(3))
    expect((await world.grants())[0]).not.toHaveProperty('pullRequest')
    await created(['gh', 'pr', 'create', '--fill'], link(12))
    await created(['gh', 'pr', 'create', '--fill'], link(13))
    expect((await world.grants())[0]?.pullRequest).toBe(12)
  })

  it('is shown in the status, and survives the daemon', async () => {
    await using world = await made()
    await world.said(1, opening('PAW-05 PR'))
    const { text, status } = await (await import('../../../src/work/stages/work-status.ts')).workReport(
      world.ports,
      world.project,
      'auth-system',
    )
    expect(status?.grants).toContain('push branch feature/auth-system to origin')
    expect(text).toContain('May by itself: fetch and read github.com/acme/shop; push branch')
    const again = new (await import('../../../src/work/stages/stages.ts')).Stages(world.ports)
    expect(await again.grants.of(sessionId(1))).toEqual(await world.grants())
  })
})
