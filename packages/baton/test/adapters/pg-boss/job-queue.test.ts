import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { JobData } from '@batonpass/contract/fleet'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openJobQueue } from '../../../src/adapters/pg-boss/job-queue.ts'
import { ownPostgres } from '../../../src/adapters/pg-boss/own-postgres.ts'
import { findQueuePackages, installQueuePackages } from '../../../src/adapters/pg-boss/queue-packages.ts'
import type { JobQueue } from '../../../src/ports/job-queue.ts'
import { query } from '../../world/postgres.ts'
import { type Scratch, scratch } from '../../world/scratch.ts'

const job = (issue: number, more: Partial<JobData> = {}): JobData => ({
  repository: 'github.com/acme/app',
  project: '/work/app',
  issue,
  priority: 0,
  ...more,
})
const evidence = { reason: 'it stalled', at: '2026-01-01T00:00:00.000Z' }

describe('a PostgreSQL of our own with the queue in it', () => {
  let folder: Scratch
  let queue: JobQueue
  let url = ''
  const found = findQueuePackages('/nowhere')
  const server = () => ownPostgres({ folder: join(folder.path, 'postgres'), native: found?.postgres ?? '' })
  beforeAll(async () => {
    folder = scratch('bj-')
    url = await server().start()
    queue = await openJobQueue(url, found?.boss ?? '')
  }, 180_000)
  afterAll(async () => {
    await queue?.close()
    await server().stop()
    folder?.remove()
  })
  const stateOf = async (issue: number) => (await queue.list()).find(({ data }) => data.issue === issue)

  test('is private: only loopback, only with the password, in files that only their owner can read', async () => {
    const password = join(folder.path, 'postgres', 'password')
    expect(statSync(password).mode & 0o777).toBe(0o600)
    expect(statSync(join(folder.path, 'postgres', 'data')).mode & 0o077).toBe(0)
    await expect(query(url.replace(/:[0-9a-f]+@/, ':wrong@'), 'select 1')).rejects.toThrow(/password/)
    expect(await query(url, 'show listen_addresses')).toEqual([{ listen_addresses: '127.0.0.1' }])
    expect(await query(url, 'show unix_socket_directories')).toEqual([{ unix_socket_directories: '' }])
  })

  test('is found again by the next daemon, and does not start twice', async () => {
    expect(await server().start()).toBe(url)
  })

  test('holds an issue at most once, whether it waits or is worked on', async () => {
    const first = await queue.add(job(1))
    expect(first).toMatchObject({ state: 'waiting', failures: 0 })
    expect(await queue.add(job(1))).toBeUndefined()
    await queue.take(first?.id ?? '', 'here', 9)
    expect(await queue.add(job(1))).toBeUndefined()
    await queue.complete(first?.id ?? '')
    expect(await stateOf(1)).toBeUndefined()
    expect(await queue.add(job(1))).toBeDefined()
  })

  test('gives exactly the job that was chosen, once, and says who took it', async () => {
    await queue.add(job(2, { priority: 100 }))
    const chosen = await queue.add(job(3, { priority: -5 }))
    const id = chosen?.id ?? ''
    const both = await Promise.all([queue.take(id, 'here', 9), queue.take(id, 'there', 9)])
    expect(both.filter(Boolean)).toHaveLength(1)
    expect(both.find(Boolean)).toMatchObject({ id, data: { issue: 3, priority: -5 } })
    expect(await stateOf(2)).toMatchObject({ state: 'waiting' })
    expect(await stateOf(3)).toMatchObject({
      state: 'active',
      data: { machine: expect.stringMatching(/here$/) },
    })
  })

  test('keeps the limit of a repository across machines', async () => {
    const repository = 'github.com/acme/limited'
    const [a, b] = [await queue.add(job(10, { repository })), await queue.add(job(11, { repository }))]
    expect(await queue.take(a?.id ?? '', 'here', 1)).toBeDefined()
    expect(await queue.take(b?.id ?? '', 'there', 1)).toBeUndefined()
    expect(await stateOf(11)).toMatchObject({ state: 'waiting', data: { priority: 0 } })
    await queue.complete(a?.id ?? '')
    expect(await queue.take(b?.id ?? '', 'there', 1)).toBeDefined()
  })

  test('counts failures: after the first the job waits, after the second it stays until a person retries it', async () => {
    const id = (await queue.add(job(20)))?.id ?? ''
    await queue.take(id, 'here', 9)
    expect(await queue.fail(id, evidence)).toBe('waiting')
    // Told twice, because the daemon was killed after the first time.
    await queue.fail(id, evidence)
    expect(await stateOf(20)).toMatchObject({ state: 'waiting', failures: 1, evidence })
    await query(url, `update baton_fleet.job set start_after = now() where id = '${id}'`)
    await queue.take(id, 'here', 9)
    expect(await queue.fail(id, evidence)).toBe('failed')
    expect(await stateOf(20)).toMatchObject({ state: 'failed', failures: 2, evidence })
    await queue.retry(id)
    expect(await queue.take(id, 'here', 9)).toMatchObject({ data: { issue: 20 } })
  })

  test('puts a job back for later without counting a failure', async () => {
    const id = (await queue.add(job(30, { priority: 7 })))?.id ?? ''
    const taken = await queue.take(id, 'here', 9)
    await queue.putBack(id, 600, evidence)
    const later = await stateOf(30)
    expect(later).toMatchObject({ state: 'waiting', failures: 0, data: { priority: 7 } })
    expect((later?.notBefore ?? 0) - (taken?.addedAt ?? 0)).toBeGreaterThan(500_000)
    expect(later?.data.machine).toBeUndefined()
  })

  test('keeps what a machine reached, and gives the issue to another only when that one is said to have vanished', async () => {
    const data = job(40)
    const id = (await queue.add(data))?.id ?? ''
    await queue.take(id, 'one', 9)
    const handoff = { name: 'handoff-2026-01-22-14-30.md', text: 'Half done' }
    const reached = { data, machine: 'one', claim: 'clm_one', handoff, isInReview: false }
    expect(await queue.saveProgress(reached)).toBe(true)
    expect(await queue.saveProgress({ ...reached, machine: 'two' })).toBe(false)
    expect(await queue.reclaim(data, 'two', evidence)).toBe(false)
    // Two machines see it vanish at the same moment.
    const both = await Promise.all([
      queue.reclaim(data, 'one', evidence),
      queue.reclaim(data, 'one', evidence),
    ])
    expect(both.sort()).toEqual([false, true])
    expect(await stateOf(40)).toMatchObject({ state: 'waiting', failures: 0 })
    expect(await queue.saveProgress(reached)).toBe(false)
    const again = await queue.take((await stateOf(40))?.id ?? '', 'two', 9)
    expect(again).toMatchObject({ data: { machine: 'two' } })
    const rows = async () => (await queue.progress()).filter(row => row.data.issue === 40)
    expect(await rows()).toMatchObject([{ machine: 'two', claim: 'clm_one', handoff }])
    // Its pull request is open: the queue has done its part, and the progress says who follows it.
    expect(await queue.saveProgress({ data, machine: 'two', claim: 'clm_two', isInReview: true })).toBe(true)
    await queue.complete(again?.id ?? '')
    expect(await stateOf(40)).toBeUndefined()
    expect(await queue.reclaim(data, 'two', evidence)).toBe(true)
    expect(await stateOf(40)).toMatchObject({ state: 'waiting' })
    await queue.take((await stateOf(40))?.id ?? '', 'one', 9)
    await queue.dropProgress(data, 'two')
    expect(await rows()).toMatchObject([{ machine: 'one', isInReview: true }])
    // Removed on another machine: what its own saves in the same moment does not undo it, the next machine that takes it does.
    expect(await queue.saveProgress({ ...reached, isRemoved: true })).toBe(true)
    expect(await queue.saveProgress(reached)).toBe(true)
    expect(await rows()).toMatchObject([{ machine: 'one', isRemoved: true }])
    await queue.remove((await stateOf(40))?.id ?? '')
    await queue.add(data)
    await queue.take((await stateOf(40))?.id ?? '', 'two', 9)
    expect((await rows()).map(({ machine, isRemoved }) => [machine, isRemoved])).toEqual([['two', undefined]])
    await queue.dropProgress(data, 'two')
    expect(await rows()).toEqual([])
    // It is over: only an open pull request brings it back.
    expect(await queue.saveProgress({ ...reached, machine: 'two' })).toBe(false)
    expect(await rows()).toEqual([])
    expect(await queue.saveProgress({ ...reached, machine: 'two', isInReview: true })).toBe(true)
    await queue.dropProgress(data, 'two')
  })

  test('keeps what was merged, by the machine that had the issue and once', async () => {
    const data = job(41)
    const merged = { repository: data.repository, issue: 41, mergedAt: '2026-01-02T00:00:00.000Z' }
    const earlier = { ...merged, issue: 42, mergedAt: '2026-01-01T00:00:00.000Z' }
    for (const each of [data, job(42)])
      await queue.saveProgress({ data: each, machine: 'two', isInReview: true })
    await queue.dropProgress(data, 'one', merged)
    expect(await queue.merged()).toEqual([])
    for (let time = 0; time < 2; time++) await queue.dropProgress(data, 'two', merged)
    await queue.dropProgress(job(42), 'two', earlier)
    expect(await queue.merged()).toEqual([earlier, merged])
    expect((await queue.list()).map(({ data: { issue } }) => issue)).not.toContain(41)
  })

  test('stops and starts with everything in it', async () => {
    const before = (await queue.list()).length
    await queue.close()
    await server().stop()
    expect(existsSync(join(folder.path, 'postgres/data/postmaster.pid'))).toBe(false)
    url = await server().start()
    queue = await openJobQueue(url, found?.boss ?? '')
    expect(await queue.list()).toHaveLength(before)
  }, 120_000)
})

describe('the packages of the queue', () => {
  test('are fetched by npm with a lock file that names a sha512 for each, without running a script of theirs', async () => {
    await using folder = scratch('bn-')
    const bin = join(folder.path, 'bin')
    mkdirSync(bin)
    // Notes how it was called, and brings what `npm ci` would.
    const npm = [
      '#!/bin/sh',
      `echo "$@" > '${folder.path}/called'; cp package-lock.json '${folder.path}/lock.json'`,
      `mkdir -p node_modules/pg-boss`,
      `echo '{"version":"12.35.0"}' > node_modules/pg-boss/package.json; echo fetched`,
    ].join('\n')
    writeFileSync(join(bin, 'npm'), npm, { mode: 0o755 })
    const lines: string[] = []
    const state = join(folder.path, 'state')
    const env = { PATH: `${bin}:${process.env.PATH}` }
    const progress = (line: string) => void lines.push(line)
    const packages = await installQueuePackages(state, { env, withPostgres: false, progress })
    expect(packages.boss).toBe(join(state, 'fleet/packages/node_modules/pg-boss'))
    expect(lines.join('')).toContain('fetched')
    expect(readFileSync(join(folder.path, 'called'), 'utf8')).toBe(
      'ci --ignore-scripts --no-audit --no-fund --omit=optional\n',
    )
    const { '': root, ...all } = JSON.parse(readFileSync(join(folder.path, 'lock.json'), 'utf8')).packages
    expect(root.dependencies).toEqual({ 'pg-boss': '12.35.0' })
    for (const one of Object.values<{ integrity?: string }>(all))
      expect(one.integrity).toMatch(/^sha512-.{86}==$/)
  })

  test('say why npm failed, and leave nothing behind', async () => {
    await using folder = scratch('bn-')
    const script =
      '#!/bin/sh\necho "npm error code EINTEGRITY"\necho "npm error sha512-x integrity checksum failed" >&2\nexit 1\n'
    writeFileSync(join(folder.path, 'npm'), script, { mode: 0o755 })
    const env = { PATH: `${folder.path}:${process.env.PATH}` }
    const state = join(folder.path, 'state')
    await expect(
      installQueuePackages(state, { env, withPostgres: true, progress: () => {} }),
    ).rejects.toThrow('npm could not fetch what keeps the queue: sha512-x integrity checksum failed')
    expect(existsSync(join(state, 'fleet/packages'))).toBe(false)
  })
})
