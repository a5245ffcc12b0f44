import { describe, expect, it } from 'vitest'
import { cycleWorld } from './world.ts'

const STORY = ['due', 'asked', 'written', 'cleared', 'resumed', 'verified', 'completed']

describe('a cycle', () => {
  it('of an idle session types the request, clears, resumes, verifies and lets the session continue', async () => {
    const world = cycleWorld()
    await world.measured()
    await world.run()
    expect(world.faults).toEqual([])
    expect(world.what()).toEqual(STORY)
    expect(world.agent.typed.map(text => text.slice(0, 30))).toEqual([
      'Create handoff document now - ',
      '/clear',
      'Read handoff from .bmad/handof',
    ])
    expect(world.agent.typed[0]).toMatch(/^Create handoff document now - context at 87%/)
    expect(world.agent.typed[2]).toMatch(/^Read handoff from \.bmad\/handoffs\/doc-1\.md and resume work/)
    expect(world.done).toEqual(['native-2'])
    expect(world.carried).toEqual([['native-1', 'native-2']])
    expect(world.cycle()).toMatchObject({ step: 'done', writtenBy: 'agent', percent: 87 })
  })

  it.each([false, true])(
    'of an agent that reports a new session only with its first prompt sends that prompt once (late end report: %s)',
    async lateGoodbye => {
      const world = cycleWorld({ startsWithPrompt: true, lateGoodbye })
      await world.measured()
      await world.run()
      expect(world.faults).toEqual([])
      expect(world.what()).toEqual(STORY)
      expect(world.agent.typed.map(text => text.slice(0, 30))).toEqual([
        'Create handoff document now - ',
        '/clear',
        'Read handoff from .bmad/handof',
      ])
      expect(world.done).toEqual(['native-2'])
      expect(world.carried).toEqual([['native-1', 'native-2']])
    },
  )

  it('of such an agent that ignores /clear is not resumed in the old session', async () => {
    const world = cycleWorld({ startsWithPrompt: true, swallows: 1 })
    await world.measured()
    await world.run()
    expect(world.done.at(-1)).toBe(world.cycle()?.successor?.nativeSession)
    expect(world.done.at(-1)).not.toBe('native-1')
    expect(world.cycle()?.step).toBe('done')
  })

  it('of a working session asks at the end of its turn, without typing', async () => {
    const world = cycleWorld({ working: true })
    world.begin()
    await world.run()
    expect(world.what()).toEqual(STORY)
    expect(world.agent.typed).toHaveLength(2)
    expect(world.done).toEqual(['native-2'])
  })

  it('waits as long as a person types, and does not disturb them', async () => {
    const world = cycleWorld()
    await world.measured()
    world.agent.state = 'person'
    await world.pass(() => false, 60)
    expect(world.agent.typed).toEqual([])
    world.agent.state = 'waiting'
    await world.run()
    expect(world.cycle()?.step).toBe('done')
  })
})

describe('while Baton is paused, a cycle', () => {
  it('that is due types nothing, and runs after the pause', async () => {
    const world = cycleWorld()
    await world.measured()
    world.pause.on = true
    await world.pass(() => false, 60)
    expect(world.agent.typed).toEqual([])
    expect(world.what()).toEqual(['due'])
    world.pause.on = false
    await world.run()
    expect(world.what()).toEqual(STORY)
  })

  it.each([
    [1, false],
    [1, true],
    [2, false],
    [2, true],
    [3, false],
    [3, true],
  ])('that typed %i texts types no other, and ends after the pause (restart: %s)', async (texts, restart) => {
    const world = cycleWorld({ pausedAfter: texts })
    await world.measured()
    await world.pass(() => world.pause.on)
    await world.pass(() => false, 30)
    if (restart) world.kill()
    await world.pass(() => false, 30)
    expect(world.agent.typed).toHaveLength(texts)
    expect(world.questions).toEqual([])
    world.pause.on = false
    await world.run()
    expect(world.faults).toEqual([])
    expect(world.cycle()?.step).toBe('done')
    expect(world.agent.cleared).toBe(1)
    expect(world.done).toEqual(['native-2'])
  })

  it('keeps a document that is finished meanwhile, and continues with it after the pause', async () => {
    const world = cycleWorld({ documents: ['hangs'] })
    await world.measured()
    await world.pass(() => world.agent.typed.length === 1)
    world.pause.on = true
    await world.pass(() => false, 30)
    await world.documentFound()
    await world.pass(() => false, 30)
    expect(world.agent.typed).toHaveLength(1)
    world.pause.on = false
    await world.run()
    expect(world.what()).toEqual(STORY)
    expect(world.agent.cleared).toBe(1)
  })

  it('that waits for its moment ends if the person clears the context meanwhile', async () => {
    const world = cycleWorld()
    await world.measured()
    world.pause.on = true
    await world.pass(() => false, 1)
    world.clearedByPerson()
    await world.pass(() => false, 5)
    world.pause.on = false
    await world.run()
    expect(world.cycle()).toMatchObject({ step: 'cancelled', why: 'a person cleared the context' })
    expect(world.agent.typed).toEqual([])
  })

  it('can be cancelled', async () => {
    const world = cycleWorld()
    await world.measured()
    world.pause.on = true
    const session = world.cycle()?.session ?? ''
    await world.daemon().cancelCycle(session, 'not now')
    expect(world.cycle()?.step).toBe('cancelled')
  })
})

describe('a daemon that is killed with -9', () => {
  const points = async (behaviour: NonNullable<Parameters<typeof cycleWorld>[0]>) => {
    const { working } = behaviour
    const world = cycleWorld({ ...behaviour })
    if (working) world.begin()
    else await world.measured()
    await world.run()
    return world.points()
  }

  it.each([
    { working: false, startsWithPrompt: false },
    { working: true, startsWithPrompt: false },
    { working: false, startsWithPrompt: true },
    { working: true, startsWithPrompt: true, lateGoodbye: true },
  ])(
    'at any point is followed by one that brings the cycle to its end ($working, $startsWithPrompt)',
    async behaviour => {
      const { working } = behaviour
      const all = await points(behaviour)
      expect(all).toBeGreaterThan(25)
      for (let killAt = 1; killAt <= all; killAt++) {
        const world = cycleWorld({ ...behaviour }, { killAt })
        if (working) world.begin()
        else await world.measured()
        await world.run()
        const about = `killed at point ${killAt} of ${all}: ${world.what().join(' ')}`
        expect(world.kills(), about).toBe(1)
        expect(world.cycle()?.step, about).toBe('done')
        expect(world.done.length, about).toBeGreaterThan(0)
        // The session that did the work had the document, and the work was carried over to it.
        expect(world.done.at(-1), about).toBe(world.cycle()?.successor?.nativeSession)
        expect(world.carried.at(-1), about).toEqual(['native-1', world.cycle()?.successor?.nativeSession])
        expect(
          [...world.files.values()].map(({ from }) => from),
          about,
        ).toContain('native-1')
        expect(world.questions, about).toEqual([])
        for (const what of STORY) expect(world.what(), about).toContain(what)
      }
    },
    60_000,
  )
})

describe('faults', () => {
  const run = async (behaviour: Parameters<typeof cycleWorld>[0], minutes = 60) => {
    const world = cycleWorld(behaviour)
    await world.measured()
    await world.run(minutes)
    return world
  }

  it('no document after two requests: Baton writes it, and the cycle continues', async () => {
    const world = await run({ documents: ['none'] })
    expect(world.cycle()).toMatchObject({ step: 'done', writtenBy: 'baton' })
    expect(world.done).toEqual(['native-2'])
  })

  it('an agent that never ends its turn is asked again after five minutes; then Baton writes the document', async () => {
    const world = await run({ documents: ['hangs'] })
    expect(world.what()).toEqual([
      'due',
      'asked',
      'retried',
      'waits',
      'retried',
      'written',
      'interrupted',
      'cleared',
      'resumed',
      'verified',
      'completed',
    ])
    expect(world.cycle()).toMatchObject({ step: 'done', writtenBy: 'baton' })
  })

  it('/clear that is ignored once is sent again', async () => {
    const world = await run({ swallows: 1 })
    expect(world.what()).toEqual(['due', 'asked', 'written', 'retried', ...STORY.slice(3)])
    expect(world.cycle()?.step).toBe('done')
  })

  it('/clear that is ignored twice needs a person, and the old session is unchanged', async () => {
    const world = await run({ swallows: 2 })
    expect(world.cycle()).toMatchObject({ step: 'person', stuckAt: 'clearing' })
    expect(world.questions.map(({ title }) => title)).toEqual([
      'A handoff needs you: the terminal took /clear, but no new session started',
    ])
    expect(world.agent).toMatchObject({ native: 'native-1', cleared: 0 })
    world.questions[0]?.answer('yes')
    await world.run()
    expect(world.cycle()?.step).toBe('done')
    expect(world.done).toEqual(['native-2'])
  })

  it('a person who clears by hand in the meantime continues the cycle, and the question is withdrawn', async () => {
    const world = await run({ swallows: 2 })
    world.agent.native = 'native-2'
    await world.hook({ type: 'SessionStarted', source: 'clear' })
    await world.run()
    expect(world.cycle()?.step).toBe('done')
    expect(world.questions[0]?.withdrawn).toBe(true)
  })

  it('a person who answers no ends it', async () => {
    const world = await run({ swallows: 2 })
    world.questions[0]?.answer('no')
    await world.run()
    expect(world.cycle()).toMatchObject({ step: 'cancelled' })
    // The next measurement does not start it again.
    await world.measured()
    await world.run(1)
    expect(world.kept.size).toBe(1)
  })

  it('the right branch with the wrong goal is refused, and the session is asked again', async () => {
    const world = await run({ answers: ['wrong-goal', 'right'] })
    expect(world.what()).toEqual([...STORY.slice(0, 5), 'refused', 'verified', 'completed'])
    expect(world.story.find(({ what }) => what === 'refused')?.reason).toContain(
      'it says the goal is "Rewrite',
    )
  })

  it.each(['wrong-goal', 'talk'] as const)(
    '%s twice needs a person; nothing was gone on with',
    async kind => {
      const world = await run({ answers: [kind] })
      expect(world.cycle()).toMatchObject({ step: 'person', stuckAt: 'verifying' })
      expect(world.done).toEqual([])
      expect(world.questions).toHaveLength(1)
      world.questions[0]?.answer('yes')
      await world.run()
      expect(world.cycle()?.step).toBe('done')
      expect(world.done).toEqual(['native-2'])
    },
  )

  it('a new session that never answers is asked twice, then a person is', async () => {
    const world = await run({ answers: ['hangs'] })
    expect(world.what()).toContain('retried')
    expect(world.cycle()).toMatchObject({ step: 'person' })
  })

  it.each(['due', 'writing', 'clearing', 'resuming', 'verifying', 'continuing'] as const)(
    'an agent that dies in step %s leaves a document that waits for the next session',
    async diesIn => {
      // Each step takes some time, so that the agent can die in it.
      const slow = {
        due: { working: true },
        writing: { documents: ['hangs' as const] },
        clearing: { swallows: 1 },
        resuming: {},
        verifying: { answers: ['hangs' as const] },
        continuing: {},
      }[diesIn]
      const world = cycleWorld({ ...slow, diesIn })
      await world.measured()
      if (diesIn === 'resuming' || diesIn === 'continuing') {
        const { type } = world.terminal
        world.terminal.type = async text => {
          if (world.cycle()?.step === diesIn) world.agent.state = 'dead'
          return type(text)
        }
      }
      await world.run()
      const step = world.cycle()?.step
      // In the last step nothing is lost: the session only had to continue.
      expect(['failed', diesIn === 'continuing' ? 'done' : 'failed']).toContain(step)
      expect([...world.files.values()].map(({ from }) => from)).toContain('native-1')
      if (step === 'failed')
        expect(world.news.join()).toMatch(/failed: (its terminal is gone|the agent process has ended)/)
    },
  )

  it('a tmux server that is gone: the document is saved and people are notified', async () => {
    const world = cycleWorld({ documents: ['hangs'] })
    await world.measured()
    await world.pass(() => world.cycle()?.step === 'writing')
    world.agent.state = 'gone'
    await world.run()
    expect(world.cycle()).toMatchObject({ step: 'failed', writtenBy: 'baton' })
    expect(world.news).toHaveLength(1)
  })

  it('a clock that jumps, forwards and back, changes nothing', async () => {
    const world = cycleWorld({ documents: ['good'] })
    await world.measured()
    for (const jump of [6 * 3_600_000, -26 * 3_600_000, 86_400_000, -3_600_000]) {
      world.time.jump(jump)
      await world.pass(() => world.cycle()?.step === 'done', 1)
    }
    expect(world.what()).toEqual(STORY)
  })

  it('a full disk stops it before anything is cleared, and it continues when there is space again', async () => {
    const world = cycleWorld()
    await world.measured()
    world.disk.full = true
    await world.pass(() => false, 20)
    expect(world.agent).toMatchObject({ native: 'native-1', cleared: 0 })
    world.disk.full = false
    await world.run()
    for (const question of world.questions) question.answer('yes')
    await world.run()
    expect(world.cycle()?.step).toBe('done')
    expect(world.agent.cleared).toBe(1)
  })

  it('of two daemons only one acts', async () => {
    const world = cycleWorld()
    await world.measured()
    const second = world.another()
    await second.start()
    for (let n = 0; n < 60 && world.cycle()?.step !== 'done'; n++) {
      await Promise.all([second.tick(), world.pass(() => false, 5 / 60)])
    }
    expect(world.cycle()?.step).toBe('done')
    expect(world.agent.cleared).toBe(1)
    expect(world.done).toEqual(['native-2'])
  })

  it('a session that a person closes leaves no document; one that dies leaves its document', async () => {
    for (const [reason, step] of [
      ['prompt_input_exit', 'cancelled'],
      ['other', 'failed'],
    ] as const) {
      const world = cycleWorld({ working: true })
      await world.measured()
      await world.hook({ type: 'SessionEnded', reason })
      await world.pass(() => false, 1)
      expect(world.cycle()?.step).toBe(step)
      expect(world.files.size).toBe(step === 'failed' ? 1 : 0)
    }
  })

  it('a database that cannot be read at first is read later', async () => {
    const world = cycleWorld()
    await world.measured()
    await world.pass(() => world.cycle()?.step === 'writing')
    world.kill()
    world.disk.unreadable = true
    await world.pass(() => false, 1)
    world.disk.unreadable = false
    await world.run()
    expect(world.cycle()?.step).toBe('done')
  })

  it('a person who keeps working postpones it; their own /clear ends it', async () => {
    const world = cycleWorld({ documents: ['hangs'] })
    await world.measured()
    await world.pass(() => world.cycle()?.step === 'writing')
    await world.hook({ type: 'PromptSubmitted', prompt: 'wait, first fix the typo' })
    expect(world.cycle()?.step).toBe('due')
    expect(world.what()).toContain('postponed')
    world.agent.native = 'native-9'
    await world.hook({ type: 'SessionStarted', source: 'clear' })
    expect(world.cycle()).toMatchObject({ step: 'cancelled', why: 'a person cleared the context' })
  })
})
