import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { hookWorld, toolCall } from '../hook/world.ts'
import { until } from '../world/wait.ts'
import { baton, health, hookCaller, startedDaemon } from './process-world.ts'

describe('a running daemon', () => {
  test('keeps the last good configuration in force, shows what is wrong, and takes the corrected one', async () => {
    await using world = hookWorld()
    const configure = (text: string) =>
      writeFileSync(join(world.home, '.baton.yaml'), `daemon: {port: 0}\n${text}`)
    configure('permissions:\n  deny: [frobnicate]\n')
    await startedDaemon(world)
    const caller = hookCaller(world.folder)
    let calls = 0
    const decision = async () => {
      const input = toolCall(`config-${++calls}`, { tool_input: { command: 'frobnicate --all' } })
      const answer = JSON.parse((await caller.call(input)).text)
      return answer.hookSpecificOutput?.permissionDecision
    }
    expect(await decision()).toBe('deny')

    configure('permissions:\n  deny: [something else\n')
    await until(async () => !(await health(world.folder)).config.ok, { what: 'the problem to be noticed' })
    expect(await decision()).toBe('deny')
    const status = await baton(world, ['status'])
    expect(status).toMatchObject({ code: 0, stdout: expect.stringMatching(/config .*\.baton\.yaml:\d+/) })
    expect(await baton(world, ['config'])).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('.baton.yaml:'),
    })
    const noted = (await world.entries({ kind: 'config' })).map(({ body }) => body)
    expect(noted).toMatchObject([{ what: 'rejected' }])

    configure('permissions:\n  deny: [unheard-of]\n')
    await until(async () => (await health(world.folder)).config.ok, { what: 'the mended file to be taken' })
    await until(async () => (await decision()) !== 'deny', { what: 'the new rules' })
    caller.close()
  })

  test('answers a small call before most of eight payloads of 26 MB that arrived before it', async () => {
    await using world = hookWorld()
    await startedDaemon(world)
    const caller = hookCaller(world.folder)
    const stdout = 'x'.repeat(26_000_000)
    const ended: string[] = []
    const send = async (name: string, more: Record<string, unknown>) => {
      expect((await caller.call(toolCall(name, more))).status).toBe(200)
      ended.push(name)
    }
    const finished = { hook_event_name: 'PostToolUse', tool_response: { stdout } }
    const large = Array.from({ length: 8 }, (_, n) => send(`large-${n}`, finished))
    // When the first has ended, the daemon has received the others or is receiving them.
    await Promise.race(large)
    await send('small', {})
    expect(ended.indexOf('small')).toBeLessThanOrEqual(5)
    await Promise.all(large)
    expect(ended).toHaveLength(9)
    caller.close()
  })

  test('stays as small over twenty thousand hook calls as it was', { timeout: 360_000 }, async () => {
    await using world = hookWorld()
    await startedDaemon(world)
    const caller = hookCaller(world.folder)
    const call = (i: number) => {
      const finished = { hook_event_name: 'PostToolUse', tool_response: { stdout: 'x'.repeat(i % 2000) } }
      return caller.call(toolCall(`tool-${i}`, { session_id: `session-${i % 50}`, ...finished }))
    }
    let next = 0
    const callers = async (upTo: number) => {
      const one = async () => {
        while (next < upTo) expect((await call(next++)).status).toBe(200)
      }
      await Promise.all(Array.from({ length: 16 }, one))
      return (await health(world.folder)).memoryMb
    }
    const early = await callers(10_000)
    const began = performance.now()
    const late = await callers(20_000)
    const rate = 10_000 / ((performance.now() - began) / 1000)
    caller.close()
    console.log(
      `daemon: ${early} MB after 10,000 calls, ${late} MB after 20,000; ${Math.round(rate)} calls/s`,
    )
    expect(late).toBeLessThan(220)
    expect(late - early).toBeLessThan(30)
    expect((await health(world.folder)).store.entries).toBeGreaterThan(20_000)
  })
})
