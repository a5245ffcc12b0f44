import Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { VERSION } from '../../src/version.ts'
import { lateDaemon, WITH_LATE_DAEMON } from '../hook/late-daemon.ts'
import { type HookWorld, hookWorld, isSafe, toolCall } from '../hook/world.ts'
import { type Scratch, scratch } from '../world/scratch.ts'
import { until } from '../world/wait.ts'
import { buildAs } from './other-version.ts'
import { baton, health, startedDaemon } from './process-world.ts'

const PRE = ['claude-code', 'PreToolUse', '--source', 'user']

describe('an upgrade', () => {
  let folder: Scratch
  let old: Awaited<ReturnType<typeof buildAs>>
  beforeAll(async () => {
    folder = scratch()
    old = await buildAs('0.0.9', folder.path)
  })
  afterAll(() => folder.remove())

  test('drains the old daemon and loses no call sent in between', { timeout: 240_000 }, async () => {
    await using world = hookWorld()
    await startedDaemon(world, { program: old.daemon })
    expect((await health(world.folder)).version).toBe('0.0.9')
    // The launchers know the old program: were they to start it, it would come back.
    const hammer = hammering(world, world.launcher('perl', old))
    await until(() => hammer.answered() > 20, { what: 'the load to run' })
    const { code, stdout } = await baton(world, ['up'])
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('took over from 0.0.9') })
    const reached = hammer.answered()
    await until(() => hammer.answered() > reached + 20, { what: 'the load to go on' })
    const ids = await hammer.stop()

    expect((await health(world.folder)).version).toBe(VERSION)
    expect(world.daemons()).toHaveLength(1)
    const events = (await world.entries({ kind: 'event' })).map(entry => entry.toolUseId)
    expect(events.sort()).toEqual(ids.sort())
    expect((await world.entries({ kind: 'daemon' })).map(({ body }) => body)).toMatchObject([
      { what: 'started', version: '0.0.9' },
      { what: 'drained', version: '0.0.9' },
      { what: 'started', version: VERSION },
    ])
  })

  test('lets a call that waits for a person continue with the new daemon', WITH_LATE_DAEMON, async () => {
    await using world = hookWorld()
    await using daemon = await lateDaemon(world)
    const call = world.call(world.launcher('perl'), PRE, { input: toolCall('waiting') })
    await until(() => daemon.held() === 1, { what: 'the daemon to hold the call' })
    expect((await baton(world, ['up'])).code).toBe(0)
    await until(() => daemon.letGo() === 1, { what: 'the old daemon to let the call go' })
    expect(isSafe((await call).stdout)).toBe(false)
    const events = (await world.entries({ kind: 'event' })).map(entry => entry.toolUseId)
    expect(events).toEqual(['waiting'])
  })
})

test('kill -9 at any moment loses nothing that was answered', { timeout: 240_000 }, async () => {
  await using world = hookWorld()
  const hammer = hammering(world, world.launcher('perl'))
  let kills = 0
  for (const after of [1, 12, 35]) {
    const reached = hammer.answered()
    await until(() => hammer.answered() >= reached + after, { what: 'answers', timeout: 120_000 })
    const victims = world.daemons()
    for (const pid of victims) process.kill(pid, 'SIGKILL')
    await until(() => !world.daemons().some(pid => victims.includes(pid)), { what: 'the daemon to be dead' })
    kills += victims.length
  }
  const ids = await hammer.stop()
  expect((await baton(world, ['up'])).code).toBe(0)
  expect(kills).toBeGreaterThanOrEqual(3)
  const events = (await world.entries({ kind: 'event' })).map(entry => entry.toolUseId)
  expect(events.sort()).toEqual(ids.sort())
  for (const pid of world.daemons()) process.kill(pid, 'SIGKILL')
  await until(() => world.daemons().length === 0, { what: 'the daemon to end' })
  const database = new Database(world.folder.database)
  expect(database.pragma('integrity_check', { simple: true })).toBe('ok')
  database.close()
})

/** Four agents that call all the time; every one of their calls must be answered by a daemon. */
function hammering(world: HookWorld, launcher: string) {
  const ids: string[] = []
  let answered = 0
  let going = true
  const agents = Array.from({ length: 4 }, async (_, agent) => {
    for (let i = 0; going; i++) {
      const id = `agent-${agent}-call-${i}`
      ids.push(id)
      const called = await world.call(launcher, PRE, {
        input: toolCall(id, { session_id: `session-${agent}` }),
      })
      if (called.code !== 0 || isSafe(called.stdout)) throw new Error(`${id}: ${world.failures().join('\n')}`)
      answered++
    }
  })
  const all = Promise.all(agents)
  // Told when stopped; until then a failure only ends the load.
  all.catch(() => {})
  return {
    answered: () => answered,
    async stop() {
      going = false
      await all
      return ids
    },
  }
}
