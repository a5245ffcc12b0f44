import { chmodSync, existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { JobRecord } from '../../src/fleet/job-record.ts'
import { scratch } from '../world/scratch.ts'
import { memoryLeases } from './memory-leases.ts'
import { mergeWorld, REPOSITORY } from './merge-world.ts'

const PROVEN = { merge: { policy: 'proven' } }

describe('the merge queue', () => {
  test('merges one after the other, each with the base merged in and proven', async () => {
    using world = mergeWorld({ settings: PROVEN })
    await world.pull(1, { one: '1\n' })
    await world.pull(2, { two: '2\n' })
    const { queue } = world.life()
    await world.settle(queue)
    expect(world.main()).toEqual(['Issue 2 (#2)', 'Issue 1 (#1)', 'Begin'])
    expect(world.state.closed.sort()).toEqual([1, 2])
    // What was proven is what main is now.
    const [, second] = world.state.proofs
    const tree = (commit: string) => world.run(world.origin, 'rev-parse', `${commit}^{tree}`)
    expect(tree('main')).toBe(tree(second?.commit ?? ''))
    expect(second?.isUnpushed).toBe(true)
    expect(existsSync(`${world.project}-fleet/merge-2`)).toBe(false)
    expect(world.state.faults).toEqual([])
  })

  test('asks a person by default, about these commits, and asks again when the author changes them', async () => {
    using world = mergeWorld()
    const pull = await world.pull(1, { one: '1\n' })
    const { queue } = world.life()
    await world.settle(queue, 3)
    expect(world.state.asked).toHaveLength(1)
    expect(world.main()).toEqual(['Begin'])
    expect(await queue.views()).toMatchObject([{ issue: 1, state: 'waiting', note: 'Baton asks you' }])
    world.commit(pull.clone, { one: 'other\n' })
    world.run(pull.clone, 'push', '-q')
    await world.settle(queue, 2)
    expect(world.state.asked.map(({ isOpen }) => isOpen)).toEqual([false, true])
    world.state.asked[0]?.answer('yes')
    await world.settle(queue, 2)
    expect(world.main()).toEqual(['Begin'])
    world.state.asked[1]?.answer('yes')
    await world.settle(queue)
    expect(world.main()).toHaveLength(2)
  })

  test('after a no, nothing is merged or asked', async () => {
    using world = mergeWorld()
    await world.pull(1, { one: '1\n' })
    const { queue } = world.life()
    await world.settle(queue, 2)
    world.state.asked[0]?.answer('no')
    await world.settle(queue, 4)
    expect(world.state.asked).toHaveLength(1)
    expect(world.main()).toEqual(['Begin'])
  })

  test('with `approved` an approval counts for the commit that was approved, also after Baton merged the base', async () => {
    using world = mergeWorld({ settings: { merge: { policy: 'approved' } } })
    const first = await world.pull(1, { one: '1\n' })
    const second = await world.pull(2, { two: '2\n' })
    world.state.approved = { [first.number]: [first.head], [second.number]: ['0'.repeat(40)] }
    world.people()
    world.commit(world.project, { base: 'moved\n' })
    world.run(world.project, 'push', '-q', 'origin', 'HEAD:main')
    const { queue } = world.life()
    await world.settle(queue)
    expect(world.state.closed).toEqual([1])
    expect(world.state.asked).toEqual([])
  })

  test('checks that fail or run keep a pull request open, and CI must pass again after Baton pushed', async () => {
    using world = mergeWorld({ settings: PROVEN })
    const pull = await world.pull(1, { one: '1\n' })
    world.commit(world.project, { base: 'moved\n' })
    world.run(world.project, 'push', '-q', 'origin', 'HEAD:main')
    const check = (state: string) => {
      world.state.checks = { [pull.number]: [{ name: 'ci', state }] }
      world.people()
    }
    check('failed')
    const { queue } = world.life()
    await world.settle(queue, 3)
    expect(await queue.views()).toMatchObject([{ note: 'Its checks fail' }])
    check('passed')
    await world.settle(queue, 1)
    check('pending')
    await world.settle(queue, 5)
    expect(await queue.views()).toMatchObject([{ state: 'merging', note: 'Its checks run' }])
    expect(world.state.closed).toEqual([])
    check('passed')
    await world.settle(queue, 3)
    expect(world.state.closed).toEqual([1])
  })

  test('two changes that only fail together: the second goes back to its agent, and main stays green', async () => {
    using world = mergeWorld({ settings: PROVEN })
    await world.pull(1, { left: '1\n' })
    const second = await world.pull(2, { right: '2\n' })
    const { queue } = world.life()
    await world.settle(queue)
    expect(world.state.closed).toEqual([1])
    expect(world.state.entries.at(-1)).toContain('#2 sent-back: PR #2 fails its checks together with')
    const record = await world.claims.at(second.clone)
    expect(record?.inbox).toMatchObject([{ act: true, text: expect.stringContaining('npm test failed') }])
    expect(await queue.views()).toMatchObject([{ issue: 2, state: 'author' }])
    // Its agent fixes it.
    world.run(second.clone, 'fetch', '-q')
    world.run(second.clone, 'merge', '-q', '--no-edit', 'origin/main')
    world.run(second.clone, 'rm', '-q', 'right')
    world.commit(second.clone, { other: '2\n' })
    world.run(second.clone, 'push', '-q')
    await world.settle(queue)
    expect(world.state.closed).toEqual([1, 2])
  })

  test('a conflict goes back to its agent with the files, and the next pull request is merged meanwhile', async () => {
    using world = mergeWorld({ settings: PROVEN })
    await world.pull(1, { sum: 'one\n' })
    const second = await world.pull(2, { sum: 'two\n' })
    await world.pull(3, { three: '3\n' })
    const { queue } = world.life()
    await world.settle(queue)
    expect(world.state.closed).toEqual([1, 3])
    expect((await world.claims.at(second.clone))?.inbox[0]?.text).toContain('- sum\n')
    // Its agent does nothing: after an hour a person is told, once.
    expect(world.state.announced).toEqual([])
    world.state.now += 60 * 60_000
    await world.settle(queue, 2)
    expect(world.state.announced).toEqual([expect.stringContaining('issue #2 waits for you')])
    expect(world.fileOnMain('sum')).toBe('one')
  })

  test('a conflict that an author solved before is solved the same way', async () => {
    using world = mergeWorld({ settings: PROVEN })
    await world.pull(1, { sum: 'one\n' })
    const second = await world.pull(2, { sum: 'two\n' })
    const { queue } = world.life()
    await world.settle(queue)
    world.run(second.clone, 'fetch', '-q')
    const before = world.run(second.clone, 'rev-parse', 'HEAD')
    world.run(second.clone, 'merge', '-q', '-X', 'ours', '--no-edit', 'origin/main')
    world.commit(second.clone, { sum: 'one and two\n' })
    world.run(second.clone, 'reset', '-q', '--soft', before)
    const tree = world.run(second.clone, 'write-tree')
    const merge = world.run(
      second.clone,
      'commit-tree',
      tree,
      '-p',
      before,
      '-p',
      'origin/main',
      '-m',
      'Solve',
    )
    world.run(second.clone, 'reset', '-q', '--hard', merge)
    world.commit(second.clone, { left: 'l\n', right: 'r\n' }, 'Cannot be together')
    world.run(second.clone, 'push', '-q')
    await world.settle(queue, 4)
    expect(world.state.closed).toEqual([1])
    // Started again from before the merge: the same conflict.
    world.run(second.clone, 'reset', '-q', '--hard', before)
    world.run(second.clone, 'commit', '-q', '--amend', '-m', 'Start again')
    world.run(second.clone, 'push', '-q', '--force')
    await world.settle(queue)
    expect(world.state.closed).toEqual([1, 2])
    expect(world.fileOnMain('sum')).toBe('one and two')
  })

  test('what rerere does not know goes to mergiraf, if it is installed', async () => {
    await using folder = scratch('bx-')
    const program = join(folder.path, 'mergiraf')
    writeFileSync(
      program,
      '#!/bin/sh\nif [ "$1" = languages ]; then echo "sum merge=mergiraf"; exit; fi\necho both > "$4"\n',
    )
    chmodSync(program, 0o755)
    using world = mergeWorld({ settings: PROVEN, mergiraf: program })
    await world.pull(1, { sum: 'one\n' })
    await world.pull(2, { sum: 'two\n' })
    const { queue } = world.life()
    await world.settle(queue)
    expect(world.state.closed).toEqual([1, 2])
    expect(world.fileOnMain('sum')).toBe('both')
  })

  test('on a forge with a merge queue of its own, Baton puts it there once and follows it', async () => {
    using world = mergeWorld({ settings: PROVEN, native: true })
    const pull = await world.pull(1, { one: '1\n' })
    const second = await world.pull(2, { two: '2\n' })
    const { queue } = world.life()
    await world.settle(queue, 4)
    expect([...world.state.queued]).toEqual([pull.number, second.number])
    expect(world.state.operations.filter(each => each === 'forge.enqueuePullRequest')).toHaveLength(2)
    await world.forge.mergePullRequest(pull.number, { headSha: pull.head, method: 'merge' })
    world.state.queued.delete(second.number)
    await world.settle(queue, 2)
    expect(world.state.closed).toEqual([1])
    expect(world.state.entries).toContainEqual(expect.stringContaining('#2 sent-back'))
    expect(world.state.operations).not.toContain('git.push')
  })

  test('a claim that another session took over: nothing is pushed or merged', async () => {
    using world = mergeWorld({ settings: PROVEN })
    await world.pull(1, { one: '1\n' })
    world.commit(world.project, { base: 'moved\n' })
    world.run(world.project, 'push', '-q', 'origin', 'HEAD:main')
    world.state.isLost = true
    const { queue } = world.life()
    await world.settle(queue, 4)
    expect(world.main()).toEqual(['Change', 'Begin'])
    expect(world.state.operations).not.toContain('git.push')
    expect(world.state.operations).not.toContain('forge.mergePullRequest')
  })

  test('while it is paused nothing happens to it, and it continues afterwards', async () => {
    using world = mergeWorld({ settings: PROVEN })
    await world.pull(1, { one: '1\n' })
    const { queue } = world.life()
    world.state.isPaused = true
    await world.settle(queue, 4)
    expect([world.state.operations, await queue.views()]).toEqual([[], []])
    world.state.isPaused = false
    await world.settle(queue)
    expect(world.state.closed).toEqual([1])
  })

  test('a push of the author at the same moment is not lost: the queue starts again with it', async () => {
    using world = mergeWorld({ settings: PROVEN })
    const pull = await world.pull(1, { one: '1\n' })
    world.commit(world.project, { base: 'moved\n' })
    world.run(world.project, 'push', '-q', 'origin', 'HEAD:main')
    world.state.beforePush = () => {
      world.state.beforePush = undefined
      world.commit(pull.clone, { late: 'late\n' })
      world.run(pull.clone, 'push', '-q')
    }
    const { queue } = world.life()
    await world.settle(queue)
    expect(world.state.closed).toEqual([1])
    expect(world.fileOnMain('late')).toBe('late')
    expect(world.state.announced).toEqual([])
  })

  test('two machines, one base: one merges at a time, and one that is suspended past its lease merges nothing it did not prove', async () => {
    using world = mergeWorld({ settings: PROVEN })
    const { state } = world
    await world.pull(1, { one: '1\n' })
    await world.pull(2, { two: '2\n' })
    const clock = { now: state.now }
    const leases = memoryLeases(() => clock.now)
    const first = world.life({ id: 'one', issues: [1], leases }).queue
    const second = world.life({ id: 'two', issues: [2], leases }).queue
    let wake = () => {}
    const suspended = new Promise<void>(resolve => {
      // It has decided to merge, and sleeps before it checks its leases for the last time.
      state.beforeForge = () => {
        state.beforeForge = undefined
        resolve()
        return new Promise(woken => {
          wake = woken
        })
      }
    })
    const merging = world.settle(first, 4)
    await suspended
    await world.settle(second, 2)
    expect(await second.views()).toMatchObject([{ issue: 2, note: 'The machine one merges into main' }])
    expect(world.main()).toEqual(['Begin'])
    // Its lease ends by the clock of the database, and the other machine goes first.
    clock.now += 600_001
    await world.settle(second, 4)
    expect(world.main()).toEqual(['Issue 2 (#2)', 'Begin'])
    wake()
    await merging
    await world.settle(first, 8)
    expect(world.main()).toEqual(['Issue 1 (#1)', 'Issue 2 (#2)', 'Begin'])
    const tree = (commit: string) => world.run(world.origin, 'rev-parse', `${commit}^{tree}`)
    for (const [nth, at] of [
      [-1, 'main'],
      [-2, 'main~1'],
    ] as const)
      expect(tree(state.proofs.at(nth)?.commit ?? ''), at).toBe(tree(at))
    expect(state.closed.sort()).toEqual([1, 2])
  })

  test('a machine that merges when another one takes its issue, or when it is paused, leaves the base branch to the others', async () => {
    using world = mergeWorld({ settings: PROVEN })
    await world.pull(1, { one: '1\n' })
    await world.pull(2, { two: '2\n' })
    // Its clock stands still: no lease ends by itself.
    const leases = memoryLeases(() => 0)
    const first = world.life({ id: 'one', issues: [1], leases }).queue
    const second = world.life({ id: 'two', issues: [2], leases }).queue
    // Baton merged the base into the branch, and has not pushed that yet.
    await world.settle(first, 2)
    expect(await first.views()).toMatchObject([{ state: 'merging' }])
    await world.settle(second, 2)
    expect(await second.views()).toMatchObject([{ note: 'The machine one merges into main' }])
    first.pause()
    await world.settle(second, 6)
    expect(world.main()).toEqual(['Issue 2 (#2)', 'Begin'])

    await world.pull(3, { three: '3\n' })
    const third = world.life({ id: 'three', issues: [3], leases }).queue
    await world.settle(first, 1)
    expect(await first.views()).toMatchObject([{ state: 'merging' }])
    await world.settle(third, 2)
    expect(await third.views()).toMatchObject([{ note: 'The machine one merges into main' }])
    const [job] = (await world.jobs.all()).filter(({ data }) => data.issue === 1)
    if (!job) throw new Error('no job')
    await world.jobs.put({ ...job, stage: 'waiting', isFenced: true })
    await first.tick()
    await world.settle(third, 6)
    expect(world.state.closed).toEqual([2, 3])
  })

  test('killed before every step: each pull request is merged exactly once, and no commit is lost', {
    timeout: 240_000,
  }, async () => {
    using world = mergeWorld({ settings: PROVEN })
    const { state } = world
    let issue = 0
    let isDead = true
    for (let nth = 1; isDead; nth++) {
      const pull = await world.pull(++issue, { [`file-${issue}`]: `${issue}\n` })
      // The base moves, so that there is something to merge and push.
      world.run(world.project, 'pull', '-q', '--no-rebase', 'origin', 'main')
      world.commit(world.project, { [`base-${issue}`]: 'moved\n' })
      world.run(world.project, 'push', '-q', 'origin', 'HEAD:main')
      state.killAt = nth
      const first = world.life()
      await world.settle(first.queue, 4).catch(() => {})
      isDead = first.isDead()
      state.killAt = undefined
      state.closed = []
      const { queue } = world.life()
      await world.settle(queue, 6)
      const about = `operation ${nth} (${state.operations.slice(-12).join(', ')})`
      expect(
        world.main().filter(line => line === `Issue ${issue} (#${pull.number})`),
        about,
      ).toHaveLength(1)
      expect(world.fileOnMain(`file-${issue}`), about).toBe(`${issue}`)
      expect(world.run(world.origin, 'merge-base', 'main', pull.head), about).toBe(pull.head)
      expect(await queue.views(), about).toEqual([])
      await world.jobs.remove({ data: { repository: REPOSITORY, issue } } as JobRecord)
      await queue.tick()
      expect(existsSync(`${world.project}-fleet/merge-${issue}`), about).toBe(false)
    }
    for (const each of ['merges.attempt', 'actions.startProof', 'git.push', 'forge.mergePullRequest'])
      expect(state.operations).toContain(each)
    expect(issue).toBeGreaterThan(8)
  })
})
