import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { BatonError } from '@batonpass/contract/errors'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { systemGit } from '../../src/adapters/git/git.ts'
import { gitPush } from '../../src/adapters/git/push.ts'
import { gitWork } from '../../src/adapters/git/work.ts'
import { systemSmallFiles } from '../../src/adapters/system/small-files.ts'
import { FencedActions } from '../../src/claim/fenced-actions.ts'
import { makeReady } from '../../src/claim/make-ready.ts'
import { SignalFiles } from '../../src/claim/signal-file.ts'
import { gitRepo, type Repository } from '../world/scratch.ts'
import { claimFile, claimRecord } from './sample.ts'

let repo: Repository
let bare: string
const signals = new SignalFiles(systemSmallFiles)
const ran: string[] = []
let own: string | undefined
let leaseTrouble: BatonError | undefined

beforeEach(async () => {
  repo = await gitRepo()
  bare = await repo.remote()
  await repo.git('switch', '-q', '-c', 'issue-42')
  await systemGit.exclude(repo.path, '/.agent-claim.json')
  await signals.create(repo.path, claimFile({ branch: 'issue-42' }))
  ran.length = 0
  own = 'issue-42'
  leaseTrouble = undefined
})
afterEach(() => repo.remove())

const ready = (more: { summary?: string; validate?: string; dryRun?: boolean } = {}) =>
  makeReady(
    {
      signals,
      git: systemGit,
      work: gitWork,
      outside: new FencedActions({
        checkLease: async () => {
          if (leaseTrouble) throw leaseTrouble
        },
        claimAt: async () => undefined,
        forgeFor: () => Promise.reject(new Error('no forge here')),
        push: gitPush,
      }),
      claimOf: async () =>
        own === undefined ? undefined : claimRecord({ project: repo.path, home: repo.path, branch: own }),
      validate: async command => {
        ran.push(command)
        return command === 'false' ? 'two tests fail' : undefined
      },
    },
    repo.path,
    { summary: 'Do it', validate: '', dryRun: false, ...more },
  )
const pushed = () => repo.git('ls-remote', bare, 'refs/heads/issue-42')

describe('handing a claimed branch off', () => {
  test('pushes it and says so in the signal file', async () => {
    const head = await repo.commit({ 'a.txt': 'one' })
    expect(await ready({ summary: ' Do\n it ', validate: 'true' })).toMatchObject({
      phase: 'ready_for_pr',
      summary: 'Do it',
    })
    expect(await pushed()).toContain(head)
    expect(ran).toEqual(['true'])
    expect(await repo.git('rev-parse', '--abbrev-ref', '@{upstream}')).toBe('origin/issue-42')
  })

  test.each<[string, () => Promise<unknown>, Parameters<typeof ready>[0], RegExp]>([
    ['without a commit', async () => {}, {}, /has no commits of its own/],
    [
      'with uncommitted changes',
      async () => writeFileSync(join(repo.path, 'x.txt'), 'x'),
      {},
      /uncommitted changes: x.txt/,
    ],
    ['on another branch', () => repo.git('switch', '-q', '-c', 'other'), {}, /You are on other/],
    ['with a detached HEAD', () => repo.git('switch', '-q', '--detach'), {}, /HEAD is detached/],
    ['without a summary', async () => {}, { summary: ' ' }, /summary is missing/],
    [
      'when the person’s check fails',
      async () => void (await repo.commit({ 'a.txt': 'one' })),
      { validate: 'false' },
      /`false` fails/,
    ],
    ['without a remote', async () => void (await repo.git('remote', 'remove', 'origin')), {}, /no remote/],
    [
      'that is done',
      async () => void (await signals.change(repo.path, now => ({ ...now, phase: 'done' }))),
      {},
      /already done/,
    ],
    ['without a claim', () => signals.remove(repo.path), {}, /No issue is claimed/],
  ])('%s is refused, and nothing is pushed', async (_, act, more, message) => {
    await act()
    await expect(ready(more)).rejects.toThrow(message)
    expect((await repo.git('ls-remote', bare)).includes('issue-42')).toBe(false)
    const found = await signals.read(repo.path)
    if (found.kind === 'claim') expect(found.file.phase).not.toBe('ready_for_pr')
  })

  test('after a rebase it is pushed over what was seen, never over what was not', async () => {
    await repo.commit({ 'a.txt': 'one' })
    await ready()
    await repo.git('commit', '-q', '--amend', '-m', 'Other words')
    await ready()
    expect(await pushed()).toContain(await repo.git('rev-parse', 'HEAD'))
    // Somebody else pushes to it.
    const other = await gitRepo()
    await other.git('remote', 'add', 'origin', bare)
    await other.git('fetch', '-q', 'origin')
    await other.git('switch', '-q', '-c', 'issue-42', '--track', 'origin/issue-42')
    const theirs = await other.commit({ 'b.txt': 'theirs' })
    await other.git('push', '-q')
    other.remove()
    await repo.git('commit', '-q', '--amend', '-m', 'Yet other words')
    await expect(ready()).rejects.toThrow(/has commits that this clone does not have/)
    expect(await pushed()).toContain(theirs)
  })

  test('with a pull request it only pushes, needs no new summary, and has the checks read again', async () => {
    await repo.commit({ 'a.txt': 'one' })
    await signals.change(repo.path, now => ({
      ...now,
      phase: 'checks_running',
      summary: 'Title',
      pr_number: 7,
      last_check_poll: 'x',
    }))
    expect(await ready({ summary: '' })).toMatchObject({
      phase: 'checks_running',
      summary: 'Title',
      pr_number: 7,
      last_check_poll: null,
    })
  })

  test('no branch but the one that Baton made is pushed, whatever an agent wrote into the file', async () => {
    await repo.git('switch', '-q', 'main')
    await repo.commit({ 'a.txt': 'evil' })
    await signals.change(repo.path, now => ({ ...now, branch: 'main' }))
    const before = await repo.git('ls-remote', bare)
    await expect(ready()).rejects.toThrow(/names the branch main, but the claim's branch is issue-42/)
    own = undefined
    await expect(ready()).rejects.toThrow(/Baton did not create the branch/)
    expect(await repo.git('ls-remote', bare)).toBe(before)
  })

  test.each([
    ['taken over', new BatonError('claim_lost', 'Issue #42 was taken over'), /taken over/],
    [
      'not to be checked',
      new BatonError('database_failed', 'It does not answer', { remedy: 'Start the server.' }),
      /did not push the branch: it cannot check whether issue #42 is still yours. It does not answer/,
    ],
  ])(
    'a claim that is %s is refused before the person’s check runs, and nothing is pushed',
    async (_, trouble, message) => {
      await repo.commit({ 'a.txt': 'one' })
      leaseTrouble = trouble
      await expect(ready({ validate: 'true' })).rejects.toThrow(message)
      expect(ran).toEqual([])
      expect(await pushed()).toBe('')
    },
  )

  test('a dry run pushes nothing', async () => {
    await repo.commit({ 'a.txt': 'one' })
    await ready({ dryRun: true })
    expect(await pushed()).toBe('')
    expect((await signals.read(repo.path)).kind === 'claim' && ran).toEqual([])
  })
})
