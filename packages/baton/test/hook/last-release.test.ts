import { chmodSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { DIST } from '../daemon/process-world.ts'
import { until } from '../world/wait.ts'
import { lateDaemon, WITH_LATE_DAEMON } from './late-daemon.ts'
import { type HookWorld, hookWorld, isSafe, toolCall } from './world.ts'

const CLIENTS = join(import.meta.dirname, '../fixtures/clients')
const PRE = ['claude-code', 'PreToolUse', '--source', 'user']

/**
 * Launchers as releases wrote them, kept as they were: people upgrade Baton and their launcher stays. The
 * daemon speaks the last two protocols, so at most the folders of two protocols stand here.
 */
const released = readdirSync(CLIENTS).flatMap(protocol =>
  readdirSync(join(CLIENTS, protocol)).map(transport => [protocol, transport] as const),
)

describe.concurrent.each(released)('the launcher of %s by %s', (protocol, transport) => {
  const install = (world: HookWorld) => {
    const places: Record<string, string> = {
      HOME: world.folder.dir,
      NODE: process.execPath,
      CLI: join(DIST, 'cli.js'),
      DAEMON: join(DIST, 'daemon.js'),
    }
    const text = readFileSync(join(CLIENTS, protocol, transport), 'utf8')
    const path = join(world.scratch.path, 'launcher')
    writeFileSync(
      path,
      text.replace(/%([A-Z]+)%/g, (_, name: string) => places[name] ?? ''),
    )
    chmodSync(path, 0o755)
    return path
  }

  test('starts the new daemon and is answered by it', async () => {
    await using world = hookWorld()
    const launcher = install(world)
    for (const id of ['cold', 'warm']) {
      const { code, stdout } = await world.call(launcher, PRE, { input: toolCall(id) })
      expect({ code, safe: isSafe(stdout) }).toEqual({ code: 0, safe: false })
      expect(JSON.parse(stdout)).toBeTypeOf('object')
    }
    const events = await world.entries({ kind: 'event' })
    expect(events.map(entry => entry.toolUseId)).toEqual(['cold', 'warm'])
    expect(events[0]?.body).toMatchObject({ source: 'user' })
    const env = { BATON_INLINE: '1', BATON_HOME: join(world.home, 'inline') }
    expect(isSafe((await world.call(launcher, PRE, { input: toolCall('inline'), env })).stdout)).toBe(false)
  })

  test('waits for its answers, and asks again when it is cut off', WITH_LATE_DAEMON, async () => {
    await using world = hookWorld()
    const launcher = install(world)
    await using late = await lateDaemon(world, { answerAfterMs: 2500 })
    expect((await world.call(launcher, PRE, { input: toolCall('late') })).stdout).toContain('said late')
    const call = world.call(launcher, PRE, { input: toolCall('cut') })
    await until(() => late.held() === 2, { what: 'the call to be held' })
    late.kill('SIGTERM')
    expect(isSafe((await call).stdout)).toBe(false)
    const events = await world.entries({ kind: 'event' })
    expect(events.map(entry => entry.toolUseId)).toEqual(['late', 'cut'])
  })
})
