import type { Proof } from '@batonpass/contract/proof'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { FencedActions } from '../../src/claim/fenced-actions.ts'
import type { ClaimRecord } from '../../src/claim/record.ts'
import type { Leases } from '../../src/ports/lease.ts'
import { claimsWorld } from '../claim/world.ts'
import { type FakeGitHub, fakeGitHub } from '../world/github.ts'

type World = Awaited<ReturnType<typeof claimsWorld>>

/** Where leases are kept for a suite of tests, and how it fails. */
export interface Keeper {
  /** For one machine; undefined: refs on its remote. */
  leases(): Leases | undefined
  /** Lets every lease expire, as `by` sees it. */
  expire(by: World): Promise<void>
  /** One machine cannot reach the keeper, though it can reach the forge. */
  cut(machine: World): Promise<void>
  mend(machine: World): Promise<void>
}

type Act = (outside: FencedActions, record: ClaimRecord) => Promise<unknown>

/** Every action that a claim's lease stands before. */
const ACTIONS: Record<string, Act> = {
  pushBranch: (outside, record) => outside.pushBranch(record),
  openPullRequest: (outside, record) =>
    outside.openPullRequest(record, { branch: record.branch, title: 'x', body: 'x' }),
  askForReviews: (outside, record) => outside.askForReviews(record, 1, ['bob']),
  askForReviewsIn: (outside, record) => outside.askForReviewsIn(record.project, 1, ['bob']),
  commentAndClose: (outside, record) => outside.commentAndClose(record, { comment: 'x', marker: record.id }),
  moveOnBoard: (outside, record) => outside.moveOnBoard(record, { status: 'Done', agent: '' }),
  assignTo: (outside, record) => outside.assignTo(record, 'bob'),
  unassignFrom: (outside, record) => outside.unassignFrom(record, 'ann'),
  mergePullRequest: (outside, record) =>
    outside.mergePullRequest(record, 1, { headSha: 'a'.repeat(40), method: 'merge' }),
  enqueuePullRequest: (outside, record) => outside.enqueuePullRequest(record, 1, 'a'.repeat(40)),
  showProof: (outside, record) => outside.showProof(record.project, 1, PROOF),
}

const PROOF = { commit: 'a'.repeat(40), checks: [], results: [], verdict: 'proven' } as unknown as Proof

/** What every keeper of leases means for what Baton does outside. */
export function fenceContract(title: string, open: () => Promise<Keeper>): void {
  describe(title, () => {
    vi.setConfig({ testTimeout: 120_000 })
    let github: FakeGitHub
    let keeper: Keeper
    beforeAll(async () => {
      github = await fakeGitHub()
    })
    afterAll(async () => {
      github.assertClean()
      await github.close()
    })
    beforeEach(async () => {
      keeper = await open()
    })

    const machine = (name: string) => {
      const leases = keeper.leases()
      return claimsWorld({ github, name, ...(leases ? { leases } : {}) })
    }
    /** Everything that others can see of an issue. */
    const seen = async (issue: number) => ({
      branch: (await github.repository.git.branches()).get(`issue-${issue}`),
      pulls: (await github.repository.pulls()).length,
      issue: await github.repository.issueNow(issue),
    })

    test('of a lease that expired and was taken over, the old holder does nothing and the new one everything', async () => {
      await using ann = await machine('ann')
      await using bob = await machine('bob')
      const issue = await github.repository.issue({ title: 'Contested' })
      await ann.claim(issue)
      await ann.commit('of ann')
      await keeper.expire(bob)
      await bob.claim(issue, { takeover: 'dead' })
      const before = await seen(issue)

      await expect(ann.handOff()).rejects.toMatchObject({
        code: 'claim_lost',
        message: expect.stringContaining('taken over'),
        remedy: expect.stringContaining(`baton claim release ${issue}`),
      })
      expect(ann.signal().phase).toBe('coding')
      expect((await ann.record()).lease.lost).toBe(true)
      const record = await ann.record()
      // Known to be lost, and as one who has not noticed yet.
      for (const known of [record, { ...record, lease: { ...record.lease, lost: false } }])
        for (const act of Object.values(ACTIONS))
          await expect(act(ann.ports.outside, known)).rejects.toMatchObject({ code: 'claim_lost' })
      expect(await seen(issue)).toEqual(before)

      await bob.commit('of bob')
      await bob.handOff()
      expect((await seen(issue)).branch).toBe(await bob.git('rev-parse', 'HEAD'))
      expect(await bob.stop()).toMatchObject({ did: 'opened' })
    })

    test('the holder of a lease that expired and was not taken over continues', async () => {
      await using ann = await machine('ann')
      const issue = await github.repository.issue({ title: 'Slept' })
      await ann.claim(issue)
      await ann.commit()
      await keeper.expire(ann)
      await ann.handOff()
      expect((await seen(issue)).branch).toBe(await ann.git('rev-parse', 'HEAD'))
    })

    test('while the lease cannot be checked nothing happens, and the message says why and what to do', async () => {
      await using ann = await machine('ann')
      const issue = await github.repository.issue({ title: 'Blind' })
      await ann.claim(issue)
      await ann.commit()
      const before = await seen(issue)
      await keeper.cut(ann)
      const record = await ann.record()
      for (const [name, act] of Object.entries(ACTIONS))
        await expect(act(ann.ports.outside, record), name).rejects.toMatchObject({
          code: expect.stringMatching(/^(database|git)_failed$/),
          message: expect.stringMatching(
            /^Baton did not .+: it cannot check whether issue #\d+ is still yours/,
          ),
          remedy: expect.stringMatching(/Check/i),
        })
      // What the session's stop sets off is tried again later by itself.
      ann.edit({ phase: 'ready_for_pr', summary: 'Do it' })
      expect(await ann.stop()).toMatchObject({ did: 'failed' })
      expect((await ann.record()).lease.lost).toBe(false)
      expect(await seen(issue)).toEqual(before)
      await keeper.mend(ann)
      ann.edit({ phase: 'coding' })
      await ann.handOff()
      expect(await ann.stop()).toMatchObject({ did: 'opened' })
    })

    test('of many actions at once during a takeover, none that starts after it happens', async () => {
      await using ann = await machine('ann')
      await using bob = await machine('bob')
      const issue = await github.repository.issue({ title: 'Raced' })
      await ann.claim(issue)
      await ann.commit('of ann')
      await keeper.expire(bob)
      const record = await ann.record()
      const over = bob.claim(issue, { takeover: 'dead' })
      let taken = false
      void over.then(() => {
        taken = true
      })
      let late = 0
      for (let round = 0; round < 200 && late < 5; round++) {
        const began = taken
        const pushed = await ann.ports.outside.moveOnBoard({ ...record }, { agent: 'ann' }).then(
          () => true,
          () => false,
        )
        if (began) late++
        expect(began && pushed).toBe(false)
      }
      await over
      expect(late).toBe(5)
      expect(await bob.ports.leases().holds(nameOf(await bob.record()), gripOf(await bob.record()))).toBe(
        true,
      )
    })
  })
}

test('the suite tries every action that a claim has', () => {
  const methods = Object.getOwnPropertyNames(FencedActions.prototype)
  const unclaimed = ['constructor', 'check', 'setUpBoard']
  expect(methods.filter(name => !unclaimed.includes(name)).sort()).toEqual(Object.keys(ACTIONS).sort())
})

const nameOf = ({ repository, issue, home }: ClaimRecord) => ({ repository, issue, folder: home })
const gripOf = ({ id, lease }: ClaimRecord) => ({ claim: id, token: lease.token })
