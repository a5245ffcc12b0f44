import type { CheckResult, Proof } from '@batonpass/contract/proof'
import { describe, expect, it } from 'vitest'
import type { Driver, TypeResult } from '../../../src/ports/driver.ts'
import type { Forge } from '../../../src/ports/forge.ts'
import { acceptRun } from '../../../src/work/workflows/accept-run.ts'
import { BUILTIN } from '../../../src/work/workflows/catalogue.ts'
import type { ClaimProgress, WorkflowPorts } from '../../../src/work/workflows/ports.ts'
import { settleProofs } from '../../../src/work/workflows/settle-proofs.ts'
import { BASE, type FakeProofs, failedCheck, fakeProofs, PASSED, unproven } from '../../world/fake-proofs.ts'
import { event, shell, type World, world, write } from './world.ts'

const OPENED = 'https://github.com/acme/app/pull/57'
const sha = (n: number) => String(n).repeat(40)

interface Proving {
  w: World
  /** What the agent read in its terminal. */
  typed: string[]
  terminal: { answer: TypeResult; isReachable: boolean }
  proofs: FakeProofs
  /** Ends the newest proof and lets Baton look. */
  ends(verdict: Partial<Proof>): Promise<void>
  tick(): Promise<void>
  /** The agent commits, opens its pull request and stops. */
  finish(commit: string): Promise<string | undefined>
}

async function proving(
  checks = 1,
  config: object = {},
  ports: Partial<WorkflowPorts> = {},
): Promise<Proving> {
  const proofs = fakeProofs(checks)
  const typed: string[] = []
  const terminal: Proving['terminal'] = { answer: 'taken', isReachable: true }
  const driver = {
    type: async (_: string, text: string) => {
      if (terminal.answer === 'taken') typed.push(text)
      return terminal.answer
    },
  } as unknown as Driver
  const w = world(config, {
    ...ports,
    proofs,
    driverAt: () => (terminal.isReachable ? driver : undefined),
  })
  w.worktree = { root: '/', head: BASE, branch: 'issue-42', tree: '' }
  await w.tell(event('PromptSubmitted', 's1', { prompt: '/issue-to-impl 42' }))
  const tick = () => {
    w.now += 60_000
    return settleProofs(w.ports, w.handsOff, w.now)
  }
  return {
    w,
    typed,
    terminal,
    proofs,
    tick,
    async ends(verdict) {
      proofs.end(verdict)
      await tick()
    },
    async finish(commit) {
      w.worktree = { root: '/', head: commit, branch: 'issue-42', tree: '' }
      await w.tell(write('s1', 'a.ts', commit))
      await w.tell(shell('s1', 'gh pr create --title x --body-file b.md', `${OPENED}\n`))
      await w.tell(shell('s1', 'baton done'))
      w.edit('s1', { ...w.state('s1'), state: 'done' })
      const { goOn, notice } = await w.tell(event('TurnEnded', 's1'))
      return goOn?.prompt ?? notice
    },
  }
}

describe('A run that says it is done', () => {
  it('is proven by checks that the stop does not wait for', async () => {
    const p = await proving()
    await using w = p.w
    expect(await p.finish(sha(1))).toContain('Baton now checks commit 1111111111')
    expect(p.proofs.started).toEqual([{ commit: sha(1), since: BASE }])
    expect(w.announced).toEqual([])
    await p.tick()
    expect(w.announced).toEqual([])
    const shown: string[] = []
    w.ports.showProof = async (_, pull, { verdict }) => {
      // People who are notified of the end find it in the pull request.
      expect(w.announced).toEqual([])
      shown.push(`#${pull} ${verdict}`)
    }
    await p.ends({ verdict: 'proven', results: [PASSED] })
    expect(shown).toEqual(['#57 proven'])
    expect(w.announced).toMatchObject([
      {
        end: 'proven',
        pullRequest: OPENED,
        reason: 'pull request #57 was opened; 1 check passed on commit 1111111111',
      },
    ])
    expect(w.state('s1').state).toBe('done')
    expect(p.typed).toEqual([])
  })

  it('gets the failing output back, fixes it and is proven', async () => {
    const p = await proving()
    await using w = p.w
    await p.finish(sha(1))
    await p.ends(unproven(failedCheck('minus.test.js:3 expected 1, got 5')))
    expect(p.typed).toHaveLength(1)
    expect(p.typed[0]).toMatch(/^This is an auto-continuation prompt for handsoff mode/)
    expect(p.typed[0]).toContain('npm test failed with exit code 1')
    expect(p.typed[0]).toContain('  > minus.test.js:3 expected 1, got 5')
    // The run is open again, with its grants; a continuation of this kind does not count.
    expect(w.state('s1')).toMatchObject({ state: 'initial', continuation_count: 0 })
    await p.finish(sha(2))
    await p.ends({ verdict: 'proven', results: [PASSED] })
    expect(w.announced).toMatchObject([{ end: 'proven' }])
  })

  it('is measured by the checks that its issue had when it began', async () => {
    const issue = { number: 42, author: 'dev', body: '```baton\ndone_when: [npm run e2e]\n```' }
    const forge = { issue: async () => issue, me: async () => 'dev' } as unknown as Forge
    const p = await proving(1, {}, { forgeFor: async () => forge })
    await using w = p.w
    issue.body = '```baton\ndone_when: [true]\n```'
    w.ports.forgeFor = async () => undefined
    await p.finish(sha(1))
    expect(p.proofs.ordered.at(-1)?.issueChecks).toMatchObject({
      issue: 42,
      done_when: ['npm run e2e'],
      isTrusted: true,
      refused: [],
    })
  })

  it('is measured by the checks that its workflow had when it began', async () => {
    const [issueToImpl] = BUILTIN.filter(({ name }) => name === 'issue-to-impl')
    if (!issueToImpl) throw new Error('no such workflow')
    const p = await proving(1, {}, { workflows: async () => [{ ...issueToImpl, doneWhen: ['npm run e2e'] }] })
    await using w = p.w
    w.ports.workflows = async () => [{ ...issueToImpl, doneWhen: ['true'] }]
    await p.finish(sha(1))
    expect(p.proofs.ordered.at(-1)?.workflowChecks).toEqual({
      workflow: 'issue-to-impl',
      done_when: ['npm run e2e'],
    })
  })

  it.each([
    [async () => Promise.reject(new Error('offline')), 'the checks of issue #42 could not be read'],
    [
      async () => ({ number: 42, author: 'x', body: '```baton\ndone_when: [evil]\n```' }),
      'evil does not count: its author is not in proof.trusted_authors',
    ],
  ])('records what of its issue does not apply', async (issue, reason) => {
    const forge = { issue, me: async () => 'dev' } as unknown as Forge
    const p = await proving(1, {}, { forgeFor: async () => forge })
    await using w = p.w
    expect(w.journal).toContainEqual(expect.objectContaining({ what: 'warned', reason }))
  })

  it.each([true, false])(
    'reads its issue before the proof if the forge was silent before: %s',
    async answers => {
      const issue = { number: 42, title: 't', author: 'dev', body: '```baton\ndone_when: [npm run e2e]\n```' }
      let isSilent = true
      const read = async () => (isSilent ? Promise.reject(new Error('offline')) : issue)
      const forge = { issue: read, me: async () => 'dev' } as unknown as Forge
      const p = await proving(1, {}, { forgeFor: async () => forge })
      await using w = p.w
      isSilent = !answers
      await p.finish(sha(1))
      expect(p.proofs.ordered.map(({ issueChecks }) => issueChecks?.done_when)).toEqual(
        answers ? [['npm run e2e']] : [],
      )
      if (!answers)
        expect(w.announced).toMatchObject([
          { end: 'unproven', reason: expect.stringContaining('the checks of issue #42 could not be read') },
        ])
    },
  )

  it('reads its issue again if the forge fails once more at the end', async () => {
    const issue = { number: 42, title: 't', author: 'dev', body: '```baton\ndone_when: [npm run e2e]\n```' }
    let failures = 2
    const read = async () => (failures-- > 0 ? Promise.reject(new Error('gh was killed')) : issue)
    const forge = { issue: read, me: async () => 'dev' } as unknown as Forge
    const p = await proving(1, {}, { forgeFor: async () => forge })
    await using w = p.w
    await p.finish(sha(1))
    const wanted = () => p.proofs.ordered.map(({ issueChecks }) => issueChecks?.done_when)
    expect(wanted()).toEqual([['npm run e2e']])
    issue.body = '```baton\ndone_when: [npm run other]\n```'
    await p.finish(sha(2))
    expect(wanted()).toEqual([['npm run e2e'], ['npm run e2e']])
    expect(w.announced).toEqual([])
  })

  describe('with a report that the evidence contradicts', () => {
    const LIE = 'The last message says "All tests pass.", but `npm test` failed with exit code 1'
    const reporting = async (found: string[][], config: object = {}) => {
      const p = await proving(1, config)
      p.w.ports.compareReport = async () => found.shift() ?? []
      const shown: (string[] | undefined)[] = []
      p.w.ports.showProof = async (_, __, { contradictions }) => void shown.push(contradictions)
      return { ...p, shown }
    }
    const proven: Partial<Proof> = { verdict: 'proven', results: [PASSED] }

    it('is asked once to correct it, and is then proven', async () => {
      const p = await reporting([[LIE], []])
      await using w = p.w
      await p.finish(sha(1))
      await p.ends(proven)
      expect(p.typed).toHaveLength(1)
      expect(p.typed[0]).toContain('your report is not right')
      expect(p.typed[0]).toContain(LIE)
      expect(w.announced).toEqual([])
      expect(w.state('s1')).toMatchObject({ state: 'initial', continuation_count: 0 })
      // The same commit: only the report was corrected.
      await p.finish(sha(1))
      await p.ends(proven)
      expect(w.announced).toMatchObject([{ end: 'proven', reason: expect.not.stringContaining('differs') }])
      expect(p.shown).toEqual([[LIE], []])
    })

    it('is proven although it repeats it, and the pull request says so', async () => {
      const p = await reporting([[LIE], [LIE]])
      await using w = p.w
      for (const n of [1, 2]) {
        await p.finish(sha(n))
        await p.ends(proven)
      }
      expect(p.typed).toHaveLength(1)
      expect(p.shown.at(-1)).toEqual([LIE])
      expect(w.announced).toMatchObject([
        { end: 'proven', reason: expect.stringContaining('what the agent reported differs') },
      ])
    })

    it('gets it together with a failed check, which still counts as the same failure', async () => {
      const p = await reporting([[LIE], [LIE], [LIE]])
      await using w = p.w
      for (const n of [1, 2, 3]) {
        await p.finish(sha(n))
        await p.ends(unproven(failedCheck('expected x')))
      }
      expect(p.typed).toHaveLength(2)
      expect(p.typed[0]).toContain('npm test failed with exit code 1')
      expect(p.typed[0]).toContain(LIE)
      expect(p.typed[1]).not.toContain(LIE)
      expect(w.announced).toMatchObject([{ end: 'stalled' }])
    })

    it.each<[string, (p: Awaited<ReturnType<typeof reporting>>) => void, object]>([
      [
        'the terminal cannot be reached',
        p => {
          p.terminal.isReachable = false
        },
        {},
      ],
      ['nothing may go back', () => {}, { proof: { retries: 0 } }],
      [
        'the comparison fails',
        p => {
          p.w.ports.compareReport = async () => {
            throw new Error('broken')
          }
        },
        {},
      ],
    ])('ends at once as proven if %s', async (_, arrange, config) => {
      const p = await reporting([[LIE]], config)
      await using w = p.w
      arrange(p)
      await p.finish(sha(1))
      await p.ends(proven)
      expect(p.typed).toEqual([])
      expect(w.announced).toMatchObject([{ end: 'proven' }])
    })
  })

  it('stalls with the evidence when the same check fails three times in the same way', async () => {
    const p = await proving()
    await using w = p.w
    for (const n of [1, 2, 3]) {
      await p.finish(sha(n))
      // Durations and line numbers differ, the failure is the same.
      await p.ends(unproven(failedCheck(`a.test.js:${n} expected x (${n * 7} ms)`)))
    }
    expect(p.typed).toHaveLength(2)
    expect(w.announced).toMatchObject([
      { end: 'stalled', reason: 'the same failure 3 times: npm test failed with exit code 1' },
    ])
    // A person helps: what fails then goes back again.
    await w.tell(event('PromptSubmitted', 's1', { prompt: 'The other file is wrong.' }))
    await p.finish(sha(4))
    await p.ends(unproven(failedCheck('a.test.js:4 expected x (28 ms)')))
    expect(p.typed).toHaveLength(3)
  })

  it('is unproven after as many different failures as proof.retries allows', async () => {
    const p = await proving(1, { proof: { retries: 2 } })
    await using w = p.w
    for (const [n, word] of ['x', 'y', 'z'].entries()) {
      await p.finish(sha(n + 1))
      await p.ends(unproven(failedCheck(`expected ${word}`)))
    }
    expect(p.typed).toHaveLength(2)
    expect(w.announced).toMatchObject([
      { end: 'unproven', reason: expect.stringContaining('after 2 attempts') },
    ])
  })

  it('reports a weakened test once, and then it is unproven: the change may be right', async () => {
    const p = await proving()
    await using w = p.w
    const weakened: CheckResult = {
      name: 'no test weakened',
      status: 'failed',
      why: 'failed: sum.test.js has 1 test less',
      seconds: 0,
    }
    await p.finish(sha(1))
    await p.ends(unproven(weakened))
    expect(p.typed).toHaveLength(1)
    await p.finish(sha(2))
    await p.ends(unproven(weakened))
    expect(p.typed).toHaveLength(1)
    expect(w.announced).toMatchObject([
      { end: 'unproven', reason: expect.stringContaining('sum.test.js has 1 test less') },
    ])
  })

  it.each([
    ['no sandbox', []],
    ['npm test failed once and then passed', [{ ...PASSED, status: 'flaky' as const }]],
    ['cancelled', [failedCheck('x')]],
  ])('is unproven without another prompt if the agent can do nothing about it: %s', async (why, results) => {
    const p = await proving()
    await using w = p.w
    await p.finish(sha(1))
    await p.ends({ verdict: 'unproven', why, results })
    expect(p.typed).toEqual([])
    expect(w.announced).toMatchObject([{ end: 'unproven', reason: `${why} (pull request #57 was opened)` }])
  })

  it('is unproven at once if there is nothing to check', async () => {
    const p = await proving(0)
    await using w = p.w
    const shown: number[] = []
    w.ports.showProof = async (_, pull) => void shown.push(pull)
    expect(await p.finish(sha(1))).toContain('unproven: no checks (pull request #57 was opened)')
    expect(w.announced).toMatchObject([{ end: 'unproven' }])
    expect(shown).toEqual([57])
  })

  it('keeps its proof while a person edits the state file, and is blocked if the file stays unreadable', async () => {
    const p = await proving()
    await using w = p.w
    await p.finish(sha(1))
    const saved = w.state('s1')
    w.edit('s1', '{ "state": ')
    await p.ends({ verdict: 'proven', results: [PASSED] })
    expect(w.announced).toEqual([])
    w.edit('s1', saved)
    await p.tick()
    expect(w.announced).toMatchObject([{ end: 'proven' }])

    const q = await proving()
    await using other = q.w
    await q.finish(sha(1))
    other.edit('s1', '{ "state": ')
    await q.ends({ verdict: 'proven', results: [PASSED] })
    for (let minute = 0; minute < 10; minute++) await q.tick()
    expect(other.announced).toMatchObject([
      { end: 'blocked', reason: expect.stringContaining('the state file cannot be read') },
    ])
  })

  it('keeps its proof while its record or the state file is away for a moment', async () => {
    const p = await proving()
    await using w = p.w
    await p.finish(sha(1))
    const saved = w.state('s1')
    p.proofs.isUnreadable = true
    await p.ends({ verdict: 'proven', results: [PASSED] })
    expect(w.announced).toEqual([])
    p.proofs.isUnreadable = false
    w.edit('s1', undefined)
    await p.tick()
    w.edit('s1', saved)
    await p.tick()
    expect(w.announced).toMatchObject([{ end: 'proven' }])
  })

  it('keeps its proof if its record is away for a moment, and much later for another', async () => {
    const p = await proving()
    await using w = p.w
    await p.finish(sha(1))
    for (const isUnreadable of [true, ...Array(14).fill(false), true]) {
      p.proofs.isUnreadable = isUnreadable
      await p.tick()
    }
    expect(w.announced).toEqual([])
    p.proofs.isUnreadable = false
    await p.ends({ verdict: 'proven', results: [PASSED] })
    expect(w.announced).toMatchObject([{ end: 'proven' }])
  })

  it('ends without a verdict if the record of its proof stays unreadable', async () => {
    const p = await proving()
    await using w = p.w
    await p.finish(sha(1))
    p.proofs.isUnreadable = true
    await p.ends({ verdict: 'proven', results: [PASSED] })
    for (let minute = 0; minute < 10; minute++) await p.tick()
    expect(w.announced).toMatchObject([{ end: 'unproven', reason: 'the record of the checks is gone' }])
  })

  it('without a commit is unproven', async () => {
    const p = await proving()
    await using w = p.w
    expect(await p.finish(BASE)).toContain('no commit was made')
    expect(p.proofs.started).toEqual([])
    expect(w.announced).toMatchObject([{ end: 'unproven' }])
  })

  it('and commits more while its checks run is checked again', async () => {
    const p = await proving()
    await using w = p.w
    await p.finish(sha(1))
    expect(await p.finish(sha(1))).toContain('still checks')
    await p.finish(sha(2))
    expect(p.proofs.cancelled).toHaveLength(1)
    await p.ends({ verdict: 'proven', results: [PASSED] })
    expect(w.announced).toMatchObject([{ end: 'proven', reason: expect.stringContaining('2222222222') }])
  })
})

describe('A run whose branch a claim proves', () => {
  it('waits for the pull request of the claim, and ends with its proof', async () => {
    const p = await proving()
    await using w = p.w
    let claim: ClaimProgress = { isReady: true }
    w.ports.claimOf = async () => claim
    w.worktree = { root: '/', head: sha(1), branch: 'issue-42', tree: '' }
    const { goOn, notice } = await w.stop('s1')
    expect(goOn).toBeUndefined()
    expect(notice).toContain('waits until Baton has checked the branch')
    await p.tick()
    expect(w.announced).toEqual([])
    const { id } = await p.proofs.start({ project: '/', commit: sha(1) })
    claim = { isReady: false, pullRequest: { number: 57, url: OPENED }, proof: id }
    await p.ends({ verdict: 'proven', results: [PASSED] })
    expect(w.announced).toMatchObject([
      { end: 'proven', reason: 'pull request #57 is open; 1 check passed on commit 1111111111' },
    ])
    expect(w.state('s1')).toMatchObject({ state: 'done', pr_number: 57, continuation_count: 0 })
  })

  it('waits while the record of the proof cannot be read', async () => {
    const p = await proving()
    await using w = p.w
    const { id } = await p.proofs.start({ project: '/', commit: sha(1) })
    const claim: ClaimProgress = { isReady: false, pullRequest: { number: 57, url: OPENED }, proof: id }
    w.ports.claimOf = async () => ({ isReady: true })
    w.worktree = { root: '/', head: sha(1), branch: 'issue-42', tree: '' }
    await w.stop('s1')
    w.ports.claimOf = async () => claim
    p.proofs.isUnreadable = true
    for (let minute = 0; minute < 5; minute++) await p.tick()
    expect(w.announced).toEqual([])
    p.proofs.isUnreadable = false
    await p.ends({ verdict: 'proven', results: [PASSED] })
    expect(w.announced).toMatchObject([{ end: 'proven' }])
  })

  it('ends without a verdict if the record of the proof stays unreadable', async () => {
    const p = await proving()
    await using w = p.w
    const { id } = await p.proofs.start({ project: '/', commit: sha(1) })
    w.ports.claimOf = async () => ({ isReady: true })
    w.worktree = { root: '/', head: sha(1), branch: 'issue-42', tree: '' }
    await w.stop('s1')
    w.ports.claimOf = async () => ({ isReady: false, pullRequest: { number: 57, url: OPENED }, proof: id })
    p.proofs.isUnreadable = true
    for (let minute = 0; minute < 12; minute++) await p.tick()
    expect(w.announced).toMatchObject([
      { end: 'unproven', reason: 'the record of the checks cannot be read (pull request #57 is open)' },
    ])
  })
})

describe('A failed proof', () => {
  it('waits while the terminal is in use, and is the answer to the next stop', async () => {
    const p = await proving()
    await using w = p.w
    await p.finish(sha(1))
    p.terminal.answer = 'busy'
    await p.ends(unproven(failedCheck('expected 1')))
    await p.tick()
    expect(p.typed).toEqual([])
    w.worktree = { root: '/', head: sha(2), branch: 'issue-42', tree: '' }
    const run = await w.ports.runs.get((await w.ports.runs.all())[0]?.session ?? '')
    if (run) await w.ports.runs.put({ ...run, marks: [] })
    const { goOn } = await w.stop('s1')
    expect(goOn?.prompt).toContain('  > expected 1')
    p.terminal.answer = 'taken'
    await p.tick()
    expect(p.typed).toEqual([])
  })

  it('that cannot be typed says so, and reaches the agent with the next prompt of a person', async () => {
    const p = await proving()
    await using w = p.w
    await p.finish(sha(1))
    p.terminal.isReachable = false
    await p.ends(unproven(failedCheck('expected 1')))
    expect(w.announced).toMatchObject([
      { end: 'blocked', reason: expect.stringContaining('Baton cannot type into this terminal') },
    ])
    const { context } = await w.tell(event('PromptSubmitted', 's1', { prompt: 'go on' }))
    expect(context).toContain('expected 1')
    expect(w.state('s1').state).toBe('initial')
  })

  it('of a session that has ended leaves the run unproven', async () => {
    const p = await proving()
    await using w = p.w
    await p.finish(sha(1))
    await w.tell(event('SessionEnded', 's1'))
    expect(w.announced).toEqual([])
    await p.ends(unproven(failedCheck('expected 1')))
    expect(w.announced).toMatchObject([{ end: 'unproven' }])
    expect(p.typed).toEqual([])
  })

  it('is proven after its session ended, if its stop did not arrive', async () => {
    const p = await proving()
    await using w = p.w
    w.worktree = { root: '/', head: sha(1), branch: 'issue-42', tree: '' }
    await w.tell(shell('s1', 'baton done'))
    w.edit('s1', { ...w.state('s1'), state: 'done' })
    await w.tell(event('SessionEnded', 's1'))
    expect(p.proofs.started).toEqual([{ commit: sha(1), since: BASE }])
    expect(w.announced).toEqual([])
    await p.ends({ verdict: 'proven', results: [PASSED] })
    expect(w.announced).toMatchObject([{ end: 'proven' }])
  })

  it('is not proven after its session ended, if the agent did not say that it is done', async () => {
    const p = await proving()
    await using w = p.w
    w.worktree = { root: '/', head: sha(1), branch: 'issue-42', tree: '' }
    await w.tell(event('SessionEnded', 's1'))
    expect(p.proofs.started).toEqual([])
    expect(w.announced).toMatchObject([{ end: 'blocked' }])
  })

  it.each([
    ['done', 'unproven'],
    ['stopped', undefined],
  ])('does not continue a run into whose state file a person wrote %s', async (word, end) => {
    const p = await proving()
    await using w = p.w
    w.worktree = { root: '/', head: sha(1), branch: 'issue-42', tree: '' }
    w.edit('s1', { ...w.state('s1'), state: 'done' })
    await w.tell(event('TurnEnded', 's1'))
    w.edit('s1', { ...w.state('s1'), state: word })
    await p.ends(unproven(failedCheck('expected 1')))
    expect(p.typed).toEqual([])
    expect(w.announced.map(each => each.end)).toEqual(end ? [end] : [])
  })
})

describe('A person', () => {
  it('accepts an unproven run as it is, and no other', async () => {
    const p = await proving(0)
    await using w = p.w
    const accept = () => acceptRun(w.ports, w.handsOff, { wanted: 's1', who: 'ada', now: w.now })
    await expect(accept()).rejects.toThrow('still running')
    await p.finish(sha(1))
    expect((await accept()).end).toMatchObject({
      kind: 'accepted',
      reason: 'accepted by ada; it was unproven: no checks (pull request #57 was opened)',
    })
    await expect(accept()).rejects.toThrow('is accepted')
    expect(w.announced.map(each => each.end)).toEqual(['unproven', 'accepted'])
  })
})
