import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { adapter as gemini } from '../../src/adapters/agents/gemini/adapter.ts'
import type { Contribution } from '../../src/ports/contribution.ts'
import type { Reactor } from '../../src/ports/reactor.ts'
import { diskFull, intakeWorld, prompted, wantsToRun } from './intake-world.ts'

const deny: Reactor = saying({ permission: { decision: 'deny', reason: 'never here' } })
const allow: Reactor = saying({ permission: { decision: 'allow', reason: 'always' } })

function saying(now: Contribution): Reactor {
  return { name: 'permission', react: () => ({ now }) }
}

describe('a hook call', () => {
  it('is recorded before it is answered, with its session and with what was answered', async () => {
    const world = intakeWorld({ reactors: [deny] })
    const answer = JSON.parse(await world.take(wantsToRun('s1', 'rm -rf /')))
    expect(answer.hookSpecificOutput).toMatchObject({ permissionDecision: 'deny' })
    const [event] = world.events()
    expect(event).toMatchObject({ type: 'ToolRequested', nativeSession: 's1', agent: 'claude-code' })
    expect(world.bodies('reaction')).toMatchObject([
      { event: event?.id, reaction: { permission: { decision: 'deny' } }, by: ['permission'] },
    ])
    expect([...world.sessions.values()]).toMatchObject([
      { nativeSession: 's1', project: '/home/dev/project' },
    ])
  })

  it('while Baton is paused is recorded and left to the agent: nothing is denied, and nothing allowed', async () => {
    const world = intakeWorld({ reactors: [deny, allow] })
    world.paused = 'Baton is paused'
    await expect(world.take(wantsToRun('s1', 'rm -rf /'))).resolves.toBe('{}')
    await expect(world.take(prompted('s1', 'hello'))).resolves.toBe('{}')
    expect(world.events().map(({ type }) => type)).toEqual(['ToolRequested', 'PromptSubmitted'])
    const started = { hook_event_name: 'SessionStart', session_id: 's2', cwd: '/home/dev/project' }
    expect(JSON.parse(await world.take({ ...started, source: 'startup' }))).toMatchObject({
      systemMessage: 'Baton is paused',
    })
    world.paused = undefined
    const answer = JSON.parse(await world.take(wantsToRun('s1', 'rm -rf / ')))
    expect(answer.hookSpecificOutput).toMatchObject({ permissionDecision: 'deny' })
  })

  it('without a reaction is answered with {} and records only its event', async () => {
    const world = intakeWorld()
    await expect(world.take(prompted('s1', 'hello'))).resolves.toBe('{}')
    expect(world.journal).toHaveLength(1)
  })

  it('of an event Baton does not know, or made by Baton itself, is answered with {} and recorded nowhere', async () => {
    const world = intakeWorld({ reactors: [deny] })
    const unknown = { hook_event_name: 'SomethingNew', session_id: 's1' }
    await expect(world.take(unknown)).resolves.toBe('{}')
    await expect(world.take(wantsToRun('s1', 'ls'), { envelope: { marker: 'ours' } })).resolves.toBe('{}')
    expect(world.journal).toEqual([])
  })

  it("with a marker that is not Baton's own is heard as any other", async () => {
    const world = intakeWorld({ reactors: [deny] })
    const answer = await world.take(wantsToRun('s1', 'ls'), { envelope: { marker: 'forged' } })
    expect(answer).toContain('"deny"')
  })

  it('that reports our own continuation as a prompt is marked as automatic', async () => {
    const goesOn: Reactor = {
      name: 'workflow',
      react: ({ type }) =>
        type === 'TurnEnded'
          ? { now: { continuation: { rank: 'workflow', prompt: 'Go on.\n' } } }
          : undefined,
    }
    const world = intakeWorld({ reactors: [goesOn] })
    await world.take({ hook_event_name: 'Stop', session_id: 's1', stop_hook_active: false })
    for (const [session, prompt] of [
      ['s2', 'Go on.'],
      ['s1', 'Go on.'],
      ['s1', 'Go on.'],
    ] as const)
      await world.take(prompted(session, prompt))
    const told = world.events().filter(event => event.type === 'PromptSubmitted')
    expect(told.map(event => event.type === 'PromptSubmitted' && event.automatic)).toEqual([
      undefined,
      true,
      undefined,
    ])
  })

  it('of an agent without an adapter is refused', async () => {
    const world = intakeWorld()
    await expect(world.take({}, { envelope: { agent: 'pi' } })).rejects.toMatchObject({
      code: 'agent_unknown',
    })
  })
})

describe('a payload that cannot be read', () => {
  it('is answered with valid JSON that allows nothing, whatever its bytes', async () => {
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 200 }),
      fc.json().map(text => new TextEncoder().encode(text)),
    )
    const event = fc.constantFrom('PreToolUse', 'PermissionRequest', 'Stop', 'UserPromptSubmit', undefined)
    await fc.assert(
      fc.asyncProperty(bytes, event, async (body, name) => {
        const world = intakeWorld({ reactors: [allow] })
        const answer = await world.take(body, { envelope: name ? { event: name } : {} })
        expect(typeof JSON.parse(answer)).toBe('object')
        expect(answer).not.toContain('allow')
        expect(world.events()).toEqual([])
      }),
    )
  })

  it('asks a person for a tool call, lets a stop stop, and is a fault', async () => {
    const world = intakeWorld({ reactors: [allow] })
    const broken = new TextEncoder().encode('{"hook_event_name": "PreToolUse"')
    const answer = await world.take(broken, { envelope: { event: 'PreToolUse' } })
    expect(JSON.parse(answer).hookSpecificOutput).toMatchObject({ permissionDecision: 'ask' })
    await expect(world.take(broken, { envelope: { event: 'Stop' } })).resolves.toBe('{}')
    expect(world.faults).toHaveLength(2)
  })

  it('keeps a prompt with odd bytes: they are replaced, and the event counts', async () => {
    const world = intakeWorld()
    const body = Buffer.concat([
      Buffer.from('{"hook_event_name":"UserPromptSubmit","session_id":"s1","prompt":"caf'),
      Buffer.from([0xe9, 0xff]),
      Buffer.from('"}'),
    ])
    await world.take(body)
    expect(world.events()).toMatchObject([{ prompt: 'caf\ufffd\ufffd' }])
  })
})

describe('a journal that cannot be written', () => {
  it.each([
    ['default', 'ask'],
    ['bypassPermissions', 'deny'],
  ])('in mode %s makes a tool call end in %s', async (mode, decision) => {
    const world = intakeWorld({ reactors: [allow] })
    world.disk = diskFull
    const answer = JSON.parse(await world.take(wantsToRun('s1', 'ls', mode)))
    expect(answer.hookSpecificOutput).toMatchObject({ permissionDecision: decision })
    expect(world.faults).toHaveLength(1)
  })

  it.each(['default', 'bypassPermissions'])(
    'lets stand in mode %s what rules alone deny, and names the cause',
    async mode => {
      const denies: Reactor['denies'] = async event =>
        event.type === 'ToolRequested' && JSON.stringify(event.input).includes('rm -rf /')
          ? { decision: 'deny', reason: 'Baton: it removes everything' }
          : undefined
      const world = intakeWorld({ reactors: [{ ...allow, denies }] })
      world.disk = diskFull
      const answer = JSON.parse(await world.take(wantsToRun('s1', 'rm -rf /', mode)))
      expect(answer.hookSpecificOutput).toMatchObject({
        permissionDecision: 'deny',
        permissionDecisionReason: expect.stringMatching(/it removes everything.*No space is left/),
      })
      expect(world.faults).toHaveLength(1)
      const other = JSON.parse(await world.take(wantsToRun('s1', 'ls', 'default')))
      expect(other.hookSpecificOutput).toMatchObject({
        permissionDecision: 'ask',
        permissionDecisionReason: expect.stringContaining('No space is left'),
      })
    },
  )

  it('does not stop the next call', async () => {
    const world = intakeWorld()
    world.disk = diskFull
    await world.take(prompted('s1', 'lost'))
    world.disk = async () => {}
    await world.take(prompted('s1', 'kept'))
    expect(world.events()).toMatchObject([{ prompt: 'kept' }])
  })

  it('lets a deny stand that could not be recorded, and nothing else', async () => {
    for (const [reactor, decision] of [
      [deny, 'deny'],
      // Said by another than the permission chain, so that the reaction is all the journal would have.
      [{ ...allow, name: 'session' }, 'ask'],
    ] as const) {
      const world = intakeWorld({ reactors: [reactor] })
      world.disk = ([entry]) => (entry?.body.kind === 'reaction' ? diskFull() : Promise.resolve())
      const answer = JSON.parse(await world.take(wantsToRun('s1', 'ls')))
      expect(answer.hookSpecificOutput).toMatchObject({ permissionDecision: decision })
      expect(world.faults).toHaveLength(1)
    }
  })
})

describe('a call that is repeated because its answer was lost', () => {
  it('is one event, however often it comes, and is answered each time', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 5 }), fc.boolean(), async (times, died) => {
        const world = intakeWorld({ reactors: [deny] })
        const call = { envelope: { request: 'r1' } }
        if (!died) await world.take(wantsToRun('s1', 'ls'), call)
        for (let i = 0; i < times; i++)
          expect(await world.take(wantsToRun('s1', 'ls'), { ...call, retry: true })).toContain('deny')
        expect(world.events()).toHaveLength(1)
        expect([...world.sessions.values()]).toMatchObject([{ events: 1 }])
      }),
    )
  })

  it('is found by a daemon that was started after the first one died', async () => {
    const first = intakeWorld()
    await first.take(prompted('s1', 'hello'), { envelope: { request: 'r1' } })
    const second = intakeWorld({ before: first.journal })
    await second.take(prompted('s1', 'hello'), { envelope: { request: 'r1' }, retry: true })
    expect(second.events()).toHaveLength(1)
  })

  it('counts once, too, when two installations repeat their calls to a new daemon', async () => {
    const world = intakeWorld({ reactors: [deny] })
    const retry = (source: 'user' | 'plugin') =>
      world.take(wantsToRun('s1', 'ls'), { envelope: { request: `r-${source}`, source }, retry: true })
    const answers = [await retry('user'), await retry('plugin')]
    expect(world.events()).toHaveLength(1)
    expect(answers[0]).toContain('deny')
    expect(answers[1]).toBe('{}')
  })
})

describe('two installations of the hooks', () => {
  it('count each event once and answer it once, whichever source reports first', async () => {
    const sources = ['plugin', 'user', 'project', 'local'] as const
    await fc.assert(
      fc.asyncProperty(
        fc.shuffledSubarray([...sources], { minLength: 1 }),
        fc.nat({ max: 3 }),
        async (installed, times) => {
          const world = intakeWorld({ reactors: [deny] })
          const answers: string[] = []
          for (let i = 0; i < times; i++)
            for (const source of installed)
              answers.push(await world.take(wantsToRun('s1', 'ls'), { envelope: { source } }))
          expect(world.events()).toHaveLength(times)
          expect(answers.filter(answer => answer !== '{}')).toHaveLength(times)
        },
      ),
    )
  })
})

describe('two ways to tell', () => {
  it('are one event: a process is given a line break at the end, HTTP is not', async () => {
    const world = intakeWorld({ reactors: [deny] })
    const said = JSON.stringify(wantsToRun('s1', 'ls'))
    await world.take(new TextEncoder().encode(said), { envelope: { source: 'user' } })
    await world.take(new TextEncoder().encode(`${said}\n`), { envelope: { source: 'plugin' } })
    expect(world.events()).toHaveLength(1)
  })
})

describe('the order of one session', () => {
  it('is the order of arrival, while other sessions continue concurrently', async () => {
    const calls = fc.array(fc.record({ session: fc.constantFrom('s1', 's2', 's3') }), { maxLength: 10 })
    await fc.assert(
      fc.asyncProperty(calls, fc.scheduler(), async (arrivals, scheduler) => {
        const seen: Record<string, string[]> = {}
        const watching: Reactor = {
          name: 'session',
          async react(event) {
            await scheduler.schedule(Promise.resolve(), 'react')
            const prompt = event.type === 'PromptSubmitted' ? event.prompt : ''
            seen[event.nativeSession] = [...(seen[event.nativeSession] ?? []), prompt]
            return undefined
          },
        }
        const world = intakeWorld({ reactors: [watching] })
        world.disk = () => scheduler.schedule(Promise.resolve(), 'write')
        const all = Promise.all(arrivals.map(({ session }, i) => world.take(prompted(session, `${i}`))))
        await scheduler.waitFor(all)
        for (const session of ['s1', 's2', 's3']) {
          const order = arrivals.flatMap((arrival, i) => (arrival.session === session ? [`${i}`] : []))
          expect(seen[session] ?? []).toEqual(order)
          expect(
            world.events().flatMap(e => (e.nativeSession === session && 'prompt' in e ? [e.prompt] : [])),
          ).toEqual(order)
        }
        expect([...world.sessions.values()].reduce((sum, { events }) => sum + events, 0)).toBe(
          arrivals.length,
        )
      }),
    )
  })

  it('is not held up by an answer that waits for a person', async () => {
    const { promise, resolve } = Promise.withResolvers<Contribution>()
    const asking: Reactor = {
      name: 'permission',
      react: event =>
        event.type === 'ToolRequested'
          ? { later: { run: () => promise, otherwise: {}, withinMs: 60_000 } }
          : undefined,
    }
    const world = intakeWorld({ reactors: [asking] })
    const waiting = world.take(wantsToRun('s1', 'git push'))
    await world.take(prompted('s1', 'meanwhile'))
    await world.intake.idle()
    expect(world.events()).toHaveLength(2)
    resolve({ permission: { decision: 'allow', reason: 'a person said so' } })
    expect(await waiting).toContain('"allow"')
  })
})

describe('the place that a hook names', () => {
  const placeAfter = async (world: ReturnType<typeof intakeWorld>) => {
    const [session] = world.sessions.values()
    return { pane: session?.pane, pid: session?.pid }
  }
  const pane = '%1 /tmp/tmux-1000/default'

  it('counts where its process runs there', async () => {
    const world = intakeWorld()
    world.processes.set(42, pane)
    await world.take(prompted('s1', 'hello'), { envelope: { pane, pid: 42 } })
    expect(await placeAfter(world)).toEqual({ pane, pid: 42 })
    // Known once, it is not asked for again.
    world.processes.clear()
    await world.take(prompted('s1', 'again'), { envelope: { pane, pid: 43 } })
    expect(await placeAfter(world)).toEqual({ pane, pid: 43 })
  })

  it('does not count where another machine or container has a pane of that name', async () => {
    const world = intakeWorld()
    world.processes.set(42, pane)
    await world.take(prompted('s1', 'hello'), { envelope: { pane, pid: 7 } })
    expect(await placeAfter(world)).toEqual({ pane: undefined, pid: 7 })
    await world.take(prompted('s1', 'again'), { envelope: { pane } })
    expect((await placeAfter(world)).pane).toBeUndefined()
  })

  it('does not count, nor does its process, where the caller sees other paths', async () => {
    const world = intakeWorld()
    world.processes.set(42, pane)
    await world.take(prompted('s1', 'hello'), { envelope: { pane, pid: 42, pathMap: '/w=/home/me' } })
    expect(await placeAfter(world)).toEqual({ pane: undefined, pid: undefined })
  })
})

it('An agent that asks on its screen only is told to ask where its screen was seen, and refused elsewhere', async () => {
  const asks = saying({ permission: { decision: 'ask', reason: 'a push' } })
  const world = intakeWorld({ adapter: gemini, reactors: [asks] })
  const pane = '%1 /tmp/tmux-1000/default'
  world.processes.set(42, pane)
  const envelope = { agent: 'gemini', pane, pid: 42 } as const
  const ask = async (command: string) =>
    JSON.parse(
      await world.take(
        {
          hook_event_name: 'BeforeTool',
          session_id: 's1',
          cwd: '/home/dev/project',
          tool_name: 'run_shell_command',
          tool_input: { command },
        },
        { envelope },
      ),
    ) as { decision: string }
  expect((await ask('git push')).decision).toBe('deny')
  world.screens.add(`gemini ${pane}`)
  expect(await ask('git push origin')).toMatchObject({ decision: 'ask', reason: 'a push' })
})
