import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Config } from '@batonpass/contract/config'
import { StageAgent, WorkReport } from '@batonpass/contract/work'
import { describe, expect, it } from 'vitest'
import { systemGit } from '../../../src/adapters/git/git.ts'
import { systemClock } from '../../../src/adapters/system/clock.ts'
import { systemFolders } from '../../../src/adapters/system/folders.ts'
import { systemSmallFiles } from '../../../src/adapters/system/small-files.ts'
import { forgeKeeper } from '../../../src/compose/forge.ts'
import type { Forge } from '../../../src/ports/forge.ts'
import { resolveCommand } from '../../../src/work/stages/resolve-command.ts'
import { WorkItems } from '../../../src/work/stages/work-items.ts'
import { type StatusPorts, workReport } from '../../../src/work/stages/work-status.ts'
import { fakeGitHub } from '../../world/github.ts'
import { gitRepo } from '../../world/scratch.ts'

const items = new WorkItems(systemSmallFiles, systemFolders)
const ports = (forge?: () => Promise<Forge | undefined>): StatusPorts => ({
  items,
  git: systemGit,
  forgeFor: forge ?? (async () => undefined),
})
const PLAN =
  '## Phase 1: Store\n- [x] a\n**Review**: passed\n\n## Phase 2: API\n- [x] b\n\n## Phase 3: UI\n- [ ] c\n'

describe('where am I?', () => {
  it('shows artifacts, phases, git and the next steps with the words to type', async () => {
    await using repo = await gitRepo()
    await repo.remote()
    await items.create(repo.path, { title: 'Auth System', branch: 'main' })
    for (const name of ['Spec', 'CodeResearch']) repo.write(`.paw/work/auth-system/${name}.md`, '# x\n')
    repo.write('.paw/work/auth-system/ImplementationPlan.md', PLAN)
    await repo.commit({ 'a.txt': 'one' })
    const { text, status } = WorkReport.parse(await workReport(ports(), repo.path))
    expect(text).toContain('Auth System (auth-system)')
    expect(text).toContain(
      '✓ Spec.md  · SpecResearch.md  ✓ CodeResearch.md  ✓ ImplementationPlan.md  · Docs.md',
    )
    expect(text).toContain('Phases: 2 of 3 done')
    expect(text).toContain('✓ Phase 1: Store (reviewed)\n  ✓ Phase 2: API (not reviewed)\n  · Phase 3: UI')
    expect(text).toContain('Git: on main, 1 ahead, 0 behind its upstream, clean')
    expect(text).toMatch(/Next steps:\n- `review`: .* \[PAW-03B Impl Reviewer\] \(also `continue`\)/)
    expect(status?.next.at(-1)?.command).toBe('status')
  })

  it('finds the work by the branch, else lists all by recency', async () => {
    await using repo = await gitRepo()
    await items.create(repo.path, { title: 'One' })
    await items.create(repo.path, { title: 'Two' })
    expect((await workReport(ports(), repo.path)).text).toMatch(
      /^Work items, most recently changed first:\n- (?:One|Two) .*\n- (?:One|Two) .*\n$/,
    )
    await repo.git('checkout', '-q', '-b', 'feature/two_phase1')
    const { text, status } = await workReport(ports(), repo.path)
    expect(status?.workId).toBe('two')
    expect(text).toContain('Other work items:\n- One (one): not started, manual')
    expect((await workReport(ports(), repo.path, 'one')).status?.workId).toBe('one')
    await expect(workReport(ports(), repo.path, 'three')).rejects.toThrow('There is no work item three')
  })

  it('says what to do if there are no work items', async () => {
    await using repo = await gitRepo()
    expect((await workReport(ports(), repo.path)).text).toBe(
      'No work items here. Create one: baton work new "TITLE"\n',
    )
  })

  it('reports a detached HEAD and suggests the checkout', async () => {
    await using repo = await gitRepo()
    await items.create(repo.path, { title: 'Auth System' })
    await repo.git('checkout', '-q', '--detach')
    const { text, status } = await workReport(ports(), repo.path)
    expect(status?.git).toMatchObject({ detached: true })
    expect(text).toContain('Git: detached HEAD')
    expect(text).toContain('git checkout feature/auth-system')
  })

  it('does not look for a branch or a pull request when it reviews another author’s work', async () => {
    await using repo = await gitRepo()
    await items.create(repo.path, { title: 'Review 12', workflow: 'review' })
    const { text, status } = await workReport(ports(), repo.path)
    expect(status).toMatchObject({
      pullRequests: [],
      next: [{ command: 'understand' }, { command: 'status' }],
    })
    expect(text).toContain('· DerivedSpec.md')
    expect(text).not.toMatch(/Not found|checkout/)
  })

  it('offers nothing while the work is blocked, and passes on the warnings', async () => {
    await using repo = await gitRepo()
    repo.write('.paw/work/a/WorkflowContext.md', 'Handoff Mode: fast\nBlocked: no \x1b[31mrights\n')
    const { text, status } = await workReport(ports(), repo.path, 'a')
    expect(status?.next).toEqual([])
    expect(text).toContain("Warning: Handoff Mode 'fast' is not manual")
    expect(text).toContain('Blocked: no  [31mrights')
    expect(text).not.toContain('\x1b')
    expect(text).toContain('To continue, remove the line')
  })
})

describe('pull requests', () => {
  it('are found by the branches of the work, with their comments and who answers them', {
    timeout: 120_000,
  }, async () => {
    await using github = await fakeGitHub()
    await using repo = await gitRepo()
    await repo.git('remote', 'add', 'origin', github.repository.remote)
    const forges = forgeKeeper({
      git: systemGit,
      env: { GITHUB_TOKEN: github.token },
      clock: systemClock,
      config: async () =>
        Config.parse({ github: { host: new URL(github.url).host, api_url: github.apiUrl } }),
    })
    const looking = ports(() => forges.find(repo.path))
    await repo.git('fetch', '-q', 'origin')
    for (const branch of ['auth', 'auth_plan', 'auth_phase2']) {
      await repo.git('checkout', '-q', '-f', '-B', branch, 'origin/main')
      await repo.commit({ [`${branch}.txt`]: 'x' })
      await repo.git('push', '-q', 'origin', branch)
    }
    await items.create(repo.path, { title: 'Auth', strategy: 'prs', branch: 'auth' })
    repo.write('.paw/work/auth/Spec.md', '# x\n')
    repo.write('.paw/work/auth/CodeResearch.md', '# x\n')
    repo.write('.paw/work/auth/ImplementationPlan.md', PLAN)
    const plan = await github.repository.pull({ branch: 'auth_plan', title: 'Plan' })
    await github.repository.closePull(plan)
    const phase = await github.repository.pull({ branch: 'auth_phase2', title: 'API' })
    await github.repository.remark(phase, { path: 'auth_phase2.txt', line: 1, body: 'Why?' })
    const { text, status } = await workReport(looking, repo.path, 'auth')
    expect(status?.pullRequests.map(({ kind, state }) => `${kind} ${state}`)).toEqual([
      'planning closed',
      'phase not-found',
      'phase open',
      'docs not-found',
      'final not-found',
    ])
    expect(text).toContain(`phase (Phase 2) #${phase} API: open`)
    expect(text).toContain('1 unresolved at auth_phase2.txt:1')
    expect(text).toContain('`address comments` hands over to PAW-03A Implementer, then PAW-03B Impl Reviewer')
    expect(text).toContain('docs: Not found')
    expect(status?.next[0]).toMatchObject({ command: 'address comments', agent: 'PAW-03A Implementer' })
    const { facts } = await items.get(repo.path, 'auth')
    expect(resolveCommand({ kind: 'comments' }, facts, undefined, status?.pullRequests)).toMatchObject({
      kind: 'hand-off',
      step: { stage: 'implement', phase: 2 },
      instruction: `Address the review comments on pull request #${phase} (auth_phase2)`,
    })
  })

  it.each([
    ['planning', 'PAW-02B Impl Planner'],
    ['docs', 'PAW-04 Documenter'],
    ['final', 'PAW-03A Implementer'],
  ] as const)('comments on the %s one lead to %s', async (kind, agent) => {
    await using repo = await gitRepo()
    await items.create(repo.path, { title: 'Auth' })
    repo.write('.paw/work/auth/ImplementationPlan.md', '## Phase 1: A\n- [x] a\n')
    const { facts } = await items.get(repo.path, 'auth')
    const comments = { unresolved: 1, outdated: 0, changesRequested: [], where: [] }
    const pull = { kind, branch: 'b', number: 7, state: 'open' as const, comments }
    expect(resolveCommand({ kind: 'comments' }, facts, undefined, [pull])).toMatchObject({
      kind: 'hand-off',
      agent,
    })
    expect(
      resolveCommand({ kind: 'comments' }, facts, undefined, [{ ...pull, state: 'merged' }]),
    ).toMatchObject({
      kind: 'nothing',
    })
  })

  it('that cannot be read are `Not found`, not an error', async () => {
    await using repo = await gitRepo()
    await items.create(repo.path, { title: 'Auth' })
    const failing = ports(async () => {
      throw new Error('no network')
    })
    const { text } = await workReport(failing, repo.path)
    expect(text).toContain('final: Not found')
    expect(text).toContain('check the remote, the branch and the token')
  })
})

describe('the agents of the plugin', () => {
  const plugin = (name: string) =>
    readFileSync(join(import.meta.dirname, '../../../../../plugin', name), 'utf8')

  it('are in the form that Claude Code reads, with the component filled in', () => {
    for (const agent of StageAgent.options)
      expect(plugin(`agents/${agent.toLowerCase().replaceAll(' ', '-')}.md`)).not.toContain('{{')
    const text = plugin('agents/paw-03a-implementer.md')
    expect(text).toMatch(/^---\nname: paw-03a-implementer\ndescription: ".+"\n---\n/)
    expect(text).not.toContain('{{')
    expect(text).toContain('| Implementation | PAW-03B Impl Reviewer | continues | continues |')
    expect(plugin('components/handoff-instructions.component.md')).toContain(
      'hand over to `PAW-04 Documenter`',
    )
  })
})
