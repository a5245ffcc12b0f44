import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Reaction } from '@batonpass/contract/reaction'
import { describe, expect, onTestFinished, test } from 'vitest'
import { acpDriver } from '../../../src/adapters/acp/driver.ts'
import { savedSessions } from '../../../src/adapters/acp/saved-sessions.ts'
import { systemClock } from '../../../src/adapters/system/clock.ts'
import { systemIds } from '../../../src/adapters/system/ids.ts'
import { systemProcesses } from '../../../src/adapters/system/processes.ts'
import { systemSmallFiles } from '../../../src/adapters/system/small-files.ts'
import type { DecodedEvent } from '../../../src/ports/agent.ts'
import { driverContract } from '../../contracts/driver.contract.ts'
import { scratch } from '../../world/scratch.ts'
import { until } from '../../world/wait.ts'

const program = join(import.meta.dirname, '../../world/agents/acp-agent.ts')

type React = (event: DecodedEvent) => Reaction | Promise<Reaction>

function world(react: React = () => ({}), folder = scratch(), env: Record<string, string> = {}) {
  const log = join(folder.path, 'log')
  const events: { event: DecodedEvent; pane: string }[] = []
  const driver = acpDriver({
    async tell(_, event, { pane }) {
      events.push({ event, pane })
      return react(event)
    },
    env: { PATH: process.env.PATH, ACP_LOG: log },
    clock: systemClock,
    ids: systemIds,
    processes: systemProcesses,
    kept: savedSessions(systemSmallFiles, join(folder.path, 'state')),
  })
  const order = (title: string) => ({
    agent: 'opencode' as const,
    launch: { program: process.execPath, args: [program] },
    cwd: folder.path,
    title,
    env,
  })
  const rows = (): { pid: number; began?: string; session?: string; prompt?: string }[] =>
    existsSync(log)
      ? readFileSync(log, 'utf8')
          .trim()
          .split('\n')
          .map(line => JSON.parse(line))
      : []
  const close = async () => {
    await driver.close()
    folder.remove()
  }
  return { driver, order, rows, events, close, folder, types: () => events.map(({ event }) => event.type) }
}

driverContract('acp', async () => {
  const { driver, order, rows, close } = world()
  const of = async (place: string) => {
    const { pid } = await driver.readScreen(place, 'opencode')
    return rows().filter(row => row.pid === pid)
  }
  return {
    driver,
    agent: 'opencode',
    order,
    async prompts(place) {
      const all = await of(place)
      const now = all.findLast(row => row.began)?.began
      return all.flatMap(row => (row.session === now && row.prompt !== undefined ? row.prompt : []))
    },
    conversations: async place => (await of(place)).filter(row => row.began).length,
    nowhere: 'hosted 000000000000',
    [Symbol.asyncDispose]: close,
  }
})

describe('a hosted session that another process left', () => {
  const left = async (env: Record<string, string>, prompt = 'say hello', how: 'leave' | 'end' = 'leave') => {
    const before = world(undefined, undefined, env)
    const { place } = await before.driver.start(before.order('x'))
    const native = (await before.driver.conversation?.(place))?.nativeSession
    await before.driver.type(place, prompt, 'opencode')
    if (prompt !== 'wait')
      await until(async () => (await before.driver.readScreen(place, 'opencode')).state === 'waiting', {
        what: 'the end of the turn',
      })
    const told = before.events.length
    await before.driver.close(how)
    const after = world(undefined, before.folder)
    onTestFinished(after.close)
    return { before, after, place, native, told }
  }

  test('continues in the same conversation, with the environment it had', async () => {
    const { before, after, place, native, told } = await left({ ACP_LOADS: '1' })
    // It does not matter that it ended: it continues.
    expect(before.events.slice(told)).toEqual([])
    expect(await after.driver.revive()).toMatchObject([
      { place, how: 'resumed', working: false, nativeSession: native },
    ])
    expect(after.events.map(({ event, pane }) => [event.type, event.nativeSession, pane])).toEqual([
      ['SessionStarted', native, place],
    ])
    expect(await after.driver.type(place, 'say again', 'opencode')).toBe('taken')
  })

  test('begins afresh where the agent cannot go back, and says that the old one is over', async () => {
    const { after, place, native } = await left({}, 'wait')
    const [revived] = await after.driver.revive()
    expect(revived).toMatchObject({ place, how: 'afresh', working: true })
    expect(revived?.nativeSession).not.toBe(native)
    expect(
      after.events.map(({ event }) => [event.type, 'source' in event ? event.source : undefined]),
    ).toEqual([
      ['SessionStarted', 'startup'],
      ['SessionEnded', undefined],
    ])
    expect(after.events[1]?.event).toMatchObject({ nativeSession: native, reason: 'clear' })
  })

  test('is neither gone nor ready while it is started again', async () => {
    const { after, place } = await left({ ACP_LOADS: '1' })
    const reviving = after.driver.revive()
    await until(async () => (await after.driver.readScreen(place, 'opencode')).state === 'unknown', {
      what: 'the place to be known',
      every: 1,
    })
    expect(await after.driver.type(place, 'say x', 'opencode')).toBe('busy')
    expect(await after.driver.clear(place, 'opencode')).toBe('busy')
    await reviving
    expect((await after.driver.readScreen(place, 'opencode')).state).toBe('waiting')
  })

  test('is remembered as cut off until a caller continues it, and counts no starts while it only waits', async () => {
    const { after, place } = await left({ ACP_LOADS: '1' }, 'wait')
    const kept = savedSessions(systemSmallFiles, join(after.folder.path, 'state'))
    expect(await after.driver.revive()).toMatchObject([{ how: 'resumed', working: true }])
    expect(await kept.all()).toMatchObject([{ working: true, revivals: 1 }])
    await after.driver.type(place, 'say on', 'opencode')
    await until(async () => (await kept.all())[0]?.revivals === 0, { what: 'the end of its turn to count' })
    expect(await kept.all()).toMatchObject([{ working: false }])
    await after.driver.close('leave')
    for (let start = 0; start < 3; start++) {
      const again = world(undefined, after.folder)
      expect(await again.driver.revive()).toMatchObject([{ how: 'resumed', working: false }])
      expect(await kept.all()).toMatchObject([{ revivals: 0 }])
      await again.driver.close('leave')
    }
  })

  test('is not started again when it was ended on purpose', async () => {
    const { after } = await left({}, 'say x', 'end')
    expect(await after.driver.revive()).toEqual([])
  })

  test.each([
    [
      'a program that is gone',
      { launch: { program: '/no/such/agent', args: [], env: {} } },
      /is not installed/,
    ],
    ['a folder that is gone', { cwd: '/no/such/folder' }, /folder .* no longer exists/],
    ['one that was left long ago', { seenAt: 0 }, /stopped for more than a day/],
    ['one that never comes to the end of a turn', { revivals: 5 }, /restarted 5 times/],
  ])('says why it cannot be started again, once: %s', async (_, change, why) => {
    const { after, place } = await left({ ACP_LOADS: '1' })
    const kept = savedSessions(systemSmallFiles, join(after.folder.path, 'state'))
    const [one] = await kept.all()
    await kept.put({ ...(one ?? expect.fail()), ...change })
    expect(await after.driver.revive()).toMatchObject([
      { place, how: 'failed', why: expect.stringMatching(why) },
    ])
    expect((await after.driver.readScreen(place, 'opencode')).state).toBe('dead')
    expect(await kept.all()).toEqual([])
  })

  test('whose agent outlived its host is ended before another works in its place', async () => {
    const { after } = await left({ ACP_LOADS: '1' })
    const orphan = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { detached: true })
    const ended = new Promise(resolve => orphan.once('exit', resolve))
    const kept = savedSessions(systemSmallFiles, join(after.folder.path, 'state'))
    const [one] = await kept.all()
    const pid = orphan.pid ?? expect.fail()
    await kept.put({ ...(one ?? expect.fail()), pid, born: 'another birth' })
    await after.driver.revive()
    // The number alone is not it.
    expect(orphan.exitCode).toBe(null)
    await after.driver.close('leave')
    const born = (await systemProcesses.born(pid)) ?? expect.fail()
    await kept.put({ ...(one ?? expect.fail()), pid, born })
    const third = world(undefined, after.folder)
    onTestFinished(third.close)
    await third.driver.revive()
    await ended
    expect(orphan.signalCode).toBe('SIGTERM')
  })
})

describe('a hosted session', () => {
  const begin = async (react?: Parameters<typeof world>[0]) => {
    const hosted = world(react)
    onTestFinished(hosted.close)
    const { place } = await hosted.driver.start(hosted.order('x'))
    const waiting = () =>
      until(async () => (await hosted.driver.readScreen(place, 'opencode')).state === 'waiting', {
        what: 'the end of the turn',
      })
    return { ...hosted, place, waiting }
  }

  test('tells its life as hooks would, with its place', async () => {
    const { driver, place, events, types, waiting } = await begin()
    await driver.type(place, 'usage 850\nsay half way\nsay done', 'opencode')
    await waiting()
    await driver.clear(place, 'opencode')
    await driver.kill(place)
    expect(types()).toEqual([
      'SessionStarted',
      'PromptSubmitted',
      'ContextMeasured',
      'TurnEnded',
      'SessionEnded',
      'SessionStarted',
      'SessionEnded',
    ])
    expect(events[2]?.event).toMatchObject({ used: 850, size: 1000, percent: 85 })
    expect(events[3]?.event).toMatchObject({
      lastMessage: 'half waydone',
      outcome: 'completed',
      continued: false,
    })
    expect(events[5]?.event).toMatchObject({ source: 'clear' })
    expect(new Set(events.map(({ pane }) => pane))).toEqual(new Set([place]))
    expect(events[5]?.event.nativeSession).not.toBe(events[0]?.event.nativeSession)
  })

  test('continues with the prompt that a reaction gives, and no further', async () => {
    let left = 2
    const { driver, place, rows, waiting, types } = await begin(event =>
      event.type === 'TurnEnded' && left-- > 0 ? { goOn: { prompt: `say more ${left}` } } : {},
    )
    await driver.type(place, 'say first', 'opencode')
    await waiting()
    expect(rows().flatMap(row => row.prompt ?? [])).toEqual(['say first', 'say more 1', 'say more 0'])
    expect(types().filter(type => type === 'TurnEnded')).toHaveLength(3)
    expect((await driver.readScreen(place, 'opencode')).lines.join('\n')).toContain('> say more 0')
  })

  test('begins with the context of a handoff, and is not sent what is refused', async () => {
    const { driver, place, rows, waiting } = await begin(event => {
      if (event.type === 'SessionStarted') return { context: 'FROM BEFORE' }
      return event.type === 'PromptSubmitted' && event.prompt === 'no'
        ? { refuse: { reason: 'not today' } }
        : {}
    })
    expect(await driver.type(place, 'no', 'opencode')).toBe('not-taken')
    await waiting()
    expect(rows().flatMap(row => row.prompt ?? [])).toEqual([])
    await driver.type(place, 'say yes', 'opencode')
    await waiting()
    expect(rows().flatMap(row => row.prompt ?? [])).toEqual(['FROM BEFORE\n\nsay yes'])
  })

  test.each([
    ['allow', 'answered yes'],
    ['deny', 'answered no'],
    ['ask', 'answered no'],
  ] as const)('a tool call that the chain answers with %s: %s', async (decision, said) => {
    const { driver, place, waiting, events } = await begin(event =>
      event.type === 'PermissionAsked' ? { permission: { decision, reason: 'x' } } : {},
    )
    await driver.type(place, 'run git push', 'opencode')
    await waiting()
    expect(events.find(({ event }) => event.type === 'PermissionAsked')?.event).toMatchObject({
      tool: 'Bash',
      toolUseId: 'call-1',
      action: { kind: 'shell', command: 'git push' },
    })
    expect((await driver.readScreen(place, 'opencode')).lines.join('\n')).toContain(said)
  })

  test('an agent that is not installed: the error says what to do', async () => {
    const hosted = world()
    onTestFinished(hosted.close)
    const launch = { program: 'no-such-agent', args: [], remedy: 'Install it: npm install -g no-such-agent' }
    await expect(hosted.driver.start({ ...hosted.order('x'), launch })).rejects.toMatchObject({
      code: 'missing_tool',
      message: 'no-such-agent is not installed',
      remedy: 'Install it: npm install -g no-such-agent',
    })
  })

  test('a program that speaks something else is ended', { timeout: 240_000 }, async () => {
    const hosted = world()
    onTestFinished(hosted.close)
    const launch = {
      program: process.execPath,
      args: ['-e', 'console.log("hello"); console.error("no key"); process.exit(3)'],
    }
    await expect(hosted.driver.start({ ...hosted.order('x'), launch })).rejects.toMatchObject({
      code: 'model_failed',
      message: expect.stringContaining('no key'),
    })
  })
})
