import { execFileSync, spawn } from 'node:child_process'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { DAEMON_FLAGS, stateArgument } from '../../src/hook/spawn.ts'
import { hookWorld, isSafe, toolCall } from '../hook/world.ts'
import { until } from '../world/wait.ts'
import { DIST } from './process-world.ts'

const compiler = ['/usr/bin/cc', '/usr/bin/gcc', '/usr/bin/clang'].find(existsSync)
const CALLS = 25
const LASTS_MS = 4000

/** A daemon for which every fsync takes as long as it is told. */
async function daemonOnSlowDisk() {
  const world = hookWorld()
  const library = join(world.scratch.path, 'slow-disk.so')
  execFileSync(compiler ?? 'cc', [
    ...['-shared', '-fPIC', '-o', library],
    ...[join(import.meta.dirname, 'slow-disk.c'), '-ldl'],
  ])
  const delay = join(world.scratch.path, 'delay')
  const log = join(world.scratch.path, 'disk.log')
  const daemon = spawn(
    process.execPath,
    [...DAEMON_FLAGS, join(DIST, 'daemon.js'), stateArgument(world.folder.dir)],
    { env: { ...world.env, LD_PRELOAD: library, SLOW_DISK: delay, DISK_LOG: log }, stdio: 'ignore' },
  )
  await until(() => existsSync(world.folder.socket), { what: 'the daemon to listen', timeout: 120_000 })
  return {
    world,
    daemon,
    setDelay: (ms: number) => writeFileSync(delay, String(ms)),
    log: () => readFileSync(log, 'utf8').split('\n').filter(Boolean),
    walBytes: () => statSync(`${world.folder.database}-wal`, { throwIfNoEntry: false })?.size ?? 0,
    async [Symbol.asyncDispose]() {
      daemon.kill('SIGKILL')
      await world[Symbol.asyncDispose]()
    },
  }
}

describe.runIf(compiler && process.platform === 'linux')('on a slow disk', { timeout: 240_000 }, () => {
  test.each([1000, 4000])('hooks do not wait for an fsync of %i ms', async ms => {
    await using disk = await daemonOnSlowDisk()
    const { world } = disk
    const launcher = world.launcher('perl')
    const call = (id: string) =>
      world.call(launcher, ['claude-code', 'PreToolUse', '--source', 'user'], { input: toolCall(id) })
    await call('warm')
    const atStart = disk.log().filter(line => line.startsWith('main sync'))
    disk.setDelay(ms)
    const took: number[] = []
    const began = performance.now()
    // Long enough for several checkpoints, as over a turn of an agent.
    while (took.length < CALLS || performance.now() - began < LASTS_MS) {
      const called = await call(`slow-${took.length}`)
      expect(isSafe(called.stdout)).toBe(false)
      took.push(called.ms)
    }
    const p50 = took.toSorted((a, b) => a - b)[Math.floor(took.length / 2)] ?? 0
    expect(p50).toBeLessThan(ms / 4)
    expect(disk.log().filter(line => line.startsWith('main sync'))).toEqual(atStart)

    // What was answered was recorded before, also for a daemon that is killed while it waits for the disk.
    disk.daemon.kill('SIGKILL')
    await until(() => world.daemons().length === 0, { what: 'the daemon to end' })
    await call('after')
    const events = await world.entries({ kind: 'event' })
    expect(events).toHaveLength(took.length + 2)
  })

  test('the write-ahead file is emptied, and a power cut at any moment leaves a sound database', async () => {
    await using disk = await daemonOnSlowDisk()
    const launcher = disk.world.launcher('perl')
    const call = (id: string) =>
      disk.world.call(launcher, ['claude-code', 'PreToolUse', '--source', 'user'], { input: toolCall(id) })
    await call('warm')
    await until(() => disk.walBytes() === 0, { what: 'the first checkpoint', timeout: 120_000 })
    const before = disk.log().length
    disk.setDelay(300)
    for (let n = 0; n < 10; n++) await call(`grow-${n}`)
    await until(() => disk.walBytes() === 0, { what: 'the write-ahead file to be emptied', timeout: 120_000 })

    const log = disk.log().slice(before)
    expect(log).toContain('main truncate wal')
    expect(log.filter(line => line.startsWith('main sync'))).toEqual([])
    // Between two truncations: frames are synced before pages are copied, and pages before frames are dropped.
    for (const part of log.join('\n').split('main truncate wal').slice(0, -1)) {
      const lines = part.split('\n').filter(Boolean)
      const copied = lines.indexOf('main write db')
      expect(lines.slice(0, copied)).toContain('pool sync wal')
      expect(lines.slice(lines.lastIndexOf('main write db'))).toContain('pool sync db')
    }
  })
})
