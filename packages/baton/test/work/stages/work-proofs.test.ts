import { Config } from '@batonpass/contract/config'
import { describe, expect, it } from 'vitest'
import { callTool } from '../../../src/work/packs/paw/tools.ts'
import { BASE, failedCheck, fakeProofs, PASSED, unproven } from '../../world/fake-proofs.ts'
import { stageWorld } from './world.ts'

const WORK = '.paw/work/auth-system'
const sha = (n: number) => String(n).repeat(40)

/** Work whose last stage runs in session 1, at a terminal that Baton can type into. */
async function lastStage(mode = 'auto', checks = 1, retries = 5) {
  const world = stageWorld()
  const proofs = fakeProofs(checks)
  const git = { head: BASE }
  const shown: string[] = []
  Object.assign(world.ports, {
    proofs,
    git: { ...world.ports.git, worktree: async () => ({ root: '/', head: git.head, branch: 'x', tree: '' }) },
    config: async () => Config.parse({ proof: { retries } }),
    forgeFor: async () => ({ pullRequestFor: async () => ({ number: 57 }) }),
    showProof: async (_: string, pull: number, { verdict }: { verdict?: string }) =>
      void shown.push(`#${pull} ${verdict}`),
  })
  world.write(`${WORK}/WorkflowContext.md`, `Target Branch: feature/auth-system\nHandoff Mode: ${mode}\n`)
  world.write(`${WORK}/ImplementationPlan.md`, '## Phase 1: A\n- [x] a\n**Review**: passed\n')
  world.write(`${WORK}/Docs.md`, '# Docs\n')
  world.session(1, { pane: '%1 /tmp/tmux' })
  await world.said(1, 'Work ID: auth-system\nTarget agent: PAW-05 PR\n')
  return {
    world,
    proofs,
    shown,
    /** The agent commits and stops. */
    async stops(commit: string, message = 'Opened.') {
      git.head = commit
      return (await world.stopped(1, message)).notice
    },
    /** The newest proof ends, and Baton looks until nothing is left to do. */
    async ends(verdict: Parameters<typeof proofs.end>[0]) {
      proofs.end(verdict)
      await world.stages.proofs.tick()
      await world.stages.proofs.tick()
    },
    result: async () => (await world.ports.memory.proof(world.project, 'auth-system'))?.result,
  }
}

describe('the last stage of staged work', () => {
  it('ends as proven when the checks of its commit have passed; its stop does not wait', async () => {
    const s = await lastStage()
    await using world = s.world
    expect(await s.stops(sha(1))).toContain('Baton now checks commit 1111111111')
    expect(s.proofs.started).toEqual([{ commit: sha(1), since: BASE }])
    await world.stages.proofs.tick()
    expect(world.told).toEqual([])
    await s.ends({ verdict: 'proven', results: [PASSED] })
    expect(world.told).toEqual([
      '✅ auth-system: Final PR, the last stage, is done, proven (1 check passed on commit 1111111111)',
    ])
    expect(world.entries.at(-1)).toMatchObject({ what: 'ended', stage: 'pr', end: 'proven' })
    expect(s.shown).toEqual(['#57 proven'])
    const status = await callTool(
      world.stages,
      world.ports,
      'baton_status',
      {},
      { project: world.project, opensChats: false },
    )
    expect(status.text).toContain('Result: proven (1 check passed on commit 1111111111)')
    // A later stop with the same commit changes nothing.
    expect(await s.stops(sha(1))).toBeUndefined()
    expect(world.told).toHaveLength(1)
  })

  it('gets the failing output back, fixes it and is proven', async () => {
    const s = await lastStage()
    await using world = s.world
    await s.stops(sha(1))
    await s.ends(unproven(failedCheck('minus.test.js:3 expected 1, got 5')))
    expect(world.typed.at(-1)).toContain('Work ID: auth-system')
    expect(world.typed.at(-1)).toContain('  > minus.test.js:3 expected 1, got 5')
    expect(world.entries.at(-1)).toMatchObject({ what: 'sent-back' })
    await s.stops(sha(2))
    await s.ends({ verdict: 'proven', results: [PASSED] })
    expect(await s.result()).toMatchObject({ end: 'proven', commit: sha(2) })
  })

  it('tells the agent once that its report is wrong', async () => {
    const s = await lastStage()
    await using world = s.world
    world.ports.compareReport = async ({ said }) =>
      said?.includes('src/x.ts') ? ['there is no src/x.ts'] : []
    await s.stops(sha(1), 'Added src/x.ts.')
    await s.ends({ verdict: 'proven', results: [PASSED] })
    expect(world.typed.at(-1)).toContain('there is no src/x.ts')
    await s.stops(sha(2), 'Added src/x.ts.')
    await s.ends({ verdict: 'proven', results: [PASSED] })
    expect(await s.result()).toMatchObject({ end: 'proven', reason: expect.stringContaining('differs') })
  })

  it.each<[string, Parameters<typeof lastStage>, string, string]>([
    ['a person is there (manual)', ['manual'], sha(1), 'npm test failed with exit code 1'],
    ['nothing may go back', ['auto', 1, 0], sha(1), 'npm test failed with exit code 1'],
    ['there are no checks', ['auto', 0], sha(1), 'no checks'],
    ['no commit was made', ['auto'], BASE, 'no commit was made'],
  ])('is unproven if %s', async (_, given, commit, why) => {
    const s = await lastStage(...given)
    await using world = s.world
    await s.stops(commit)
    await s.ends(why === 'no checks' ? { verdict: 'unproven', why } : unproven(failedCheck('x')))
    expect(await s.result()).toMatchObject({ end: 'unproven', reason: expect.stringContaining(why) })
    expect(world.typed).toEqual([])
    const { end } = await world.stages.proofs.accept('auth', 'ann')
    expect(end.reason).toBe(`accepted by ann; it was unproven: ${why}`)
    expect(world.entries.at(-1)).toMatchObject({ what: 'ended', end: 'accepted' })
    await expect(world.stages.proofs.accept('auth', 'ann')).rejects.toThrow('is accepted')
  })

  it('ends after the same failure three times, or when its terminal is gone', async () => {
    const s = await lastStage()
    await using world = s.world
    for (const n of [1, 2, 3]) {
      await s.stops(sha(n))
      await s.ends(unproven(failedCheck('the same')))
    }
    expect(world.typed).toHaveLength(2)
    expect(await s.result()).toMatchObject({ end: 'unproven' })
    const gone = await lastStage()
    await using other = gone.world
    other.answers('gone')
    await gone.stops(sha(1))
    await gone.ends(unproven(failedCheck('x')))
    expect(await gone.result()).toMatchObject({ reason: 'the checks failed, and the terminal is gone' })
  })

  it('waits while the terminal is in use, and asks the same proof after a restart', async () => {
    const s = await lastStage()
    await using world = s.world
    world.answers('busy')
    await s.stops(sha(1))
    await s.ends(unproven(failedCheck('x')))
    expect(await s.result()).toBeUndefined()
    world.answers('taken')
    await world.stages.proofs.tick()
    expect(world.typed.length).toBeGreaterThan(1)
    await world.stages.proofs.tick()
    expect(await world.ports.memory.proof(world.project, 'auth-system')).not.toHaveProperty('sendBack')
  })
})
