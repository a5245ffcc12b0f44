import { expect, test } from 'vitest'
import { claimWorld } from '../world/claims.ts'
import { fakeGitHub } from '../world/github.ts'
import { asPerson } from '../world/person.ts'
import { postgres } from '../world/postgres.ts'

const READY = ['claim', 'ready', '--summary', 'Do it'] as const

test.each(['PostgreSQL', 'refs on the remote'])(
  'a session that lost its claim pushes nothing, and its successor can (leases in %s)',
  { timeout: 480_000 },
  async keeper => {
    await using server = keeper === 'PostgreSQL' ? await postgres() : undefined
    const settings = server ? `store:\n  url: ${await server.database()}\n` : ''
    await using github = await fakeGitHub()
    const board = github.board({ owner: 'acme' })
    await using ann = await claimWorld({ github, board, settings })
    await using bob = await claimWorld({ github, board, settings })
    const issue = await github.repository.issue({ title: 'Contested' })
    const branch = `issue-${issue}`
    const pushed = async () => (await github.repository.git.branches()).get(branch)

    await ann.baton.must('claim', String(issue))
    await ann.commit('ann.txt', 'mine')
    await bob.baton.must('up')
    await asPerson({ ...bob.baton, cwd: bob.project }, 'claim', 'takeover', String(issue), '--force')

    const late = await ann.baton.run(READY)
    expect(late.code).not.toBe(0)
    expect(late.stderr).toContain(`Issue #${issue} was taken over`)
    expect(late.stderr).toContain('baton claim release')
    expect(await pushed()).toBeUndefined()
    expect(ann.signal().phase).toBe('coding')
    // The daemon's own way to push is closed as well.
    await expect(ann.api('POST', '/api/claims/push', { project: ann.project })).rejects.toThrow('claim_lost')
    expect(await pushed()).toBeUndefined()

    await bob.commit('bob.txt', 'his')
    await bob.baton.must(...READY)
    const first = await bob.git('rev-parse', 'HEAD')
    expect(await pushed()).toBe(first)
    expect(bob.signal().phase).toBe('ready_for_pr')

    if (!server) return
    await bob.commit('more.txt', 'more')
    await server.stop()
    const blind = await bob.baton.run(READY)
    expect(blind.code).not.toBe(0)
    expect(blind.stderr).toMatch(/cannot check whether issue #\d+ is still yours.*does not answer/s)
    expect(blind.stderr).toContain('store.url')
    expect(await pushed()).toBe(first)
    await server.start()
    await bob.baton.must(...READY)
    expect(await pushed()).toBe(await bob.git('rev-parse', 'HEAD'))
  },
)
