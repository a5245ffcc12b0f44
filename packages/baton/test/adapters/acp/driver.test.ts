import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Reaction } from '@batonpass/contract/reaction'
import { describe, expect, onTestFinished, test } from 'vitest'
import { acpDriver } from '../../../src/adapters/acp/driver.ts'
import { systemChance } from '../../../src/adapters/system/chance.ts'
import { systemClock } from '../../../src/adapters/system/clock.ts'
import type { DecodedEvent } from '../../../src/ports/agent.ts'
import { driverContract } from '../../contracts/driver.contract.ts'
import { scratch } from '../../world/scratch.ts'
import { until } from '../../world/wait.ts'

const program = join(import.meta.dirname, '../../world/agents/acp-agent.ts')

function world(react: (event: DecodedEvent) => Reaction | Promise<Reaction> = () => ({})) {
  const folder = scratch()
  const log = join(folder.path, 'log')
  const events: { event: DecodedEvent; pane: string }[] = []
  const driver = acpDriver({
    async tell(_, event, { pane }) {
      events.push({ event, pane })
      return react(event)
    },
    env: { PATH: process.env.PATH, ACP_LOG: log },
    clock: systemClock,
    chance: systemChance,
  })
  const order = (title: string) => ({
    agent: 'opencode' as const,
    launch: { program: process.execPath, args: [program] },
    cwd: folder.path,
    title,
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
  return { driver, order, rows, events, close, types: () => events.map(({ event }) => event.type) }
}

driverContract('acp', async () => {
  const { driver, order, rows, close } = world()
  const of = async (place: string) => {
    const { pid } = await driver.look(place, 'opencode')
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

describe('a hosted session', () => {
  const begin = async (react?: Parameters<typeof world>[0]) => {
    const hosted = world(react)
    onTestFinished(hosted.close)
    const { place } = await hosted.driver.start(hosted.order('x'))
    const waiting = () =>
      until(async () => (await hosted.driver.look(place, 'opencode')).state === 'waiting', {
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

  test('goes on with the prompt that a reaction gives, and no further', async () => {
    let left = 2
    const { driver, place, rows, waiting, types } = await begin(event =>
      event.type === 'TurnEnded' && left-- > 0 ? { goOn: { prompt: `say more ${left}` } } : {},
    )
    await driver.type(place, 'say first', 'opencode')
    await waiting()
    expect(rows().flatMap(row => row.prompt ?? [])).toEqual(['say first', 'say more 1', 'say more 0'])
    expect(types().filter(type => type === 'TurnEnded')).toHaveLength(3)
    expect((await driver.look(place, 'opencode')).lines.join('\n')).toContain('> say more 0')
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
    expect((await driver.look(place, 'opencode')).lines.join('\n')).toContain(said)
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

  test('a program that speaks something else is ended', { timeout: 20_000 }, async () => {
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
