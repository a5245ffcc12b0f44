import { describe, expect, it } from 'vitest'
import type { DecodedEvent } from '../../src/ports/agent.ts'
import { intakeWorld, prompted } from './intake-world.ts'

const about = { cwd: '/home/dev/project', attended: false, pane: 'hosted 0123456789ab', hosted: true }
const submitted = (nativeSession: string): DecodedEvent => ({
  type: 'PromptSubmitted',
  nativeSession,
  prompt: 'hi',
})
const ended = (nativeSession: string): DecodedEvent => ({
  type: 'TurnEnded',
  nativeSession,
  continued: false,
  outcome: 'completed',
})

describe('an event that a host tells', () => {
  it('is heard where the session has no hooks', async () => {
    const world = intakeWorld()
    await world.intake.handleEvent('claude-code', submitted('s1'), about)
    await world.intake.handleEvent('claude-code', ended('s1'), about)
    expect(world.events().map(({ type }) => type)).toEqual(['PromptSubmitted', 'TurnEnded'])
    expect([...world.sessions.values()]).toMatchObject([{ pane: about.pane }])
  })

  it('counts once where hooks tell it, too; the place is known all the same', async () => {
    const world = intakeWorld({
      reactors: [
        { name: 'workflow', react: () => ({ now: { continuation: { rank: 'workflow', prompt: 'more' } } }) },
      ],
    })
    await world.take(prompted('s1', 'hi'))
    await world.intake.handleEvent('claude-code', submitted('s1'), about)
    expect(await world.intake.handleEvent('claude-code', ended('s1'), about)).toEqual({})
    expect(world.events().map(({ type }) => type)).toEqual(['PromptSubmitted'])
    expect([...world.sessions.values()]).toMatchObject([{ pane: about.pane }])
  })

  it('no reactor speaks at the stop of a question of Baton’s own, and all do again after it', async () => {
    const world = intakeWorld({
      reactors: [
        { name: 'workflow', react: () => ({ now: { continuation: { rank: 'workflow', prompt: 'more' } } }) },
      ],
    })
    const stop = () => world.intake.handleEvent('claude-code', ended('s1'), about)
    expect(await stop()).toMatchObject({ goOn: { prompt: 'more' } })
    world.intake.ownTurn('claude-code', 's1', true)
    expect(await stop()).toEqual({})
    expect(await world.intake.handleEvent('claude-code', ended('s2'), about)).toMatchObject({ goOn: {} })
    world.intake.ownTurn('claude-code', 's1', false)
    expect(await stop()).toMatchObject({ goOn: { prompt: 'more' } })
    // It is written down all the same.
    expect(world.events().map(({ type }) => type)).toEqual(Array(4).fill('TurnEnded'))
  })

  it('an end is heard in any case and once: an agent that is sent away may not call its hook any more', async () => {
    const world = intakeWorld()
    await world.take(prompted('s1', 'hi'))
    await world.intake.handleEvent(
      'claude-code',
      { type: 'SessionEnded', nativeSession: 's1', reason: 'closed' },
      about,
    )
    await world.take({ hook_event_name: 'SessionEnd', session_id: 's1', reason: 'other', cwd: about.cwd })
    expect(world.events().map(({ type }) => type)).toEqual(['PromptSubmitted', 'SessionEnded'])
    expect([...world.sessions.values()]).toMatchObject([{ endReason: 'closed' }])
    // It lives again with the next prompt, and ends again.
    await world.take(prompted('s1', 'once more'))
    await world.take({ hook_event_name: 'SessionEnd', session_id: 's1', reason: 'other', cwd: about.cwd })
    expect([...world.sessions.values()]).toMatchObject([{ endReason: 'other' }])
  })

  it('a question about a tool is heard in any case: no hook waits for its answer', async () => {
    const world = intakeWorld({
      reactors: [
        { name: 'permission', react: () => ({ now: { permission: { decision: 'deny', reason: 'no' } } }) },
      ],
    })
    await world.take(prompted('s1', 'hi'))
    const asked: DecodedEvent = {
      type: 'PermissionAsked',
      nativeSession: 's1',
      tool: 'Bash',
      input: { command: 'ls' },
      action: { kind: 'shell', command: 'ls' },
    }
    expect(await world.intake.handleEvent('claude-code', asked, about)).toMatchObject({
      permission: { decision: 'deny' },
    })
  })
})

describe('one question that comes by a hook and from the host', () => {
  const asked: DecodedEvent = {
    type: 'PermissionAsked',
    nativeSession: 's1',
    tool: 'Bash',
    input: { command: 'ls', description: 'x' },
    action: { kind: 'shell', command: 'ls' },
  }
  const hook = {
    hook_event_name: 'PermissionRequest',
    session_id: 's1',
    cwd: '/home/dev/project',
    tool_name: 'Bash',
    tool_input: { description: 'x', command: 'ls' },
  }
  const waiting = () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    let times = 0
    const world = intakeWorld({
      reactors: [
        {
          name: 'permission',
          react: () => {
            times++
            const run = async () => {
              await promise
              return { permission: { decision: 'allow' as const, reason: 'a person' } }
            }
            return { later: { run, otherwise: {}, withinMs: 10_000 } }
          },
        },
      ],
    })
    return { ...world, answer: resolve, times: () => times }
  }

  it.each(['hook first', 'host first'])('is asked once, and both get the answer: %s', async order => {
    const { take, intake, answer, times } = waiting()
    const ways = [() => take(hook), () => intake.handleEvent('claude-code', asked, about)]
    const both = (order === 'hook first' ? ways : ways.toReversed()).map(way => way())
    answer()
    const answers = (await Promise.all(both)).map(each => JSON.stringify(each))
    expect(answers.every(each => each.includes('allow'))).toBe(true)
    expect(times()).toBe(1)
  })

  it('but two equal calls are two questions', async () => {
    const { intake, answer, times } = waiting()
    const both = [1, 2].map(() => intake.handleEvent('claude-code', asked, about))
    answer()
    await Promise.all(both)
    expect(times()).toBe(2)
  })
})

it('an end without a start, such as of `claude plugin list`, is recorded but creates no session', async () => {
  const world = intakeWorld()
  await world.take({ hook_event_name: 'SessionEnd', session_id: 's1', reason: 'other', cwd: about.cwd })
  expect(world.events().map(({ type }) => type)).toEqual(['SessionEnded'])
  expect(world.sessions.size).toBe(0)
})

describe('a session that /clear began', () => {
  it('continues the one that /clear ended', async () => {
    const world = intakeWorld()
    const hook = (hook_event_name: string, session_id: string, more: object) => ({
      hook_event_name,
      session_id,
      cwd: '/home/dev/project',
      ...more,
    })
    const envelope = { pid: 77 }
    await world.take(hook('SessionEnd', 's1', { reason: 'clear' }), { envelope })
    await world.take(hook('SessionStart', 's2', { source: 'clear' }), { envelope })
    const [first, second] = [...world.sessions.values()]
    expect(second?.nativeSession).toBe('s2')
    expect(second?.parent).toBe(first?.id)
  })
})
