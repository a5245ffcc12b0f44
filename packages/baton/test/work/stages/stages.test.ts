import { describe, expect, it } from 'vitest'
import { until } from '../../world/wait.ts'
import { stageWorld } from './world.ts'

const WORK = '.paw/work/auth-system'
const opening = (agent: string, more = '') =>
  `Work ID: auth-system\n\nYou are ${agent}${more}. Call paw_get_context with this Work ID first.`

async function begun(mode: 'manual' | 'semi-auto' | 'auto') {
  const world = stageWorld()
  await world.ports.items.create(world.project, { title: 'Auth System', mode })
  world.session(1, { pane: '%1 /tmp/x' })
  return world
}

describe('the first prompt of a stage', () => {
  it('binds the session and adds the stage’s instructions for the mode', async () => {
    await using world = await begun('auto')
    const text = await world.said(1, opening('PAW-01A Specification'))
    expect(text).toContain('# PAW-01A Specification')
    expect(text).toContain('Handoff Mode is **auto**')
    expect(text?.length).toBeLessThan(9000)
    expect(world.entries).toMatchObject([
      { what: 'begun', workId: 'auth-system', stage: 'spec', mode: 'auto' },
    ])
  })

  it('is ignored if the work item does not exist', async () => {
    await using world = await begun('auto')
    expect(await world.said(1, 'Work ID: nothing')).toBeUndefined()
    expect(await world.stopped(1)).toEqual({})
  })
})

describe('a command in a stage', () => {
  it('is explained with the exact call, and never as a task', async () => {
    await using world = await begun('manual')
    world.write(`${WORK}/Spec.md`, '# Spec\n')
    await world.said(1, opening('PAW-01A Specification'))
    const research = await world.said(1, 'research but skip external dependencies')
    expect(research).toContain('not a task for you')
    expect(research).toContain(
      '{"target_agent":"PAW-01B Spec Researcher","work_id":"auth-system","inline_instruction":"skip external dependencies"}',
    )
    expect(await world.said(1, 'plan')).toContain('CodeResearch.md is missing. Type `code` first.')
    expect(await world.said(1, 'continue')).toContain('PAW-02A Code Researcher')
    expect(await world.said(1, 'generate prompt for implementer Phase 3')).toContain(
      '"template_key":"03A-implement","filename":"03A-implement-phase3.prompt.md"',
    )
    expect(await world.said(1, 'where am I?')).toContain('call baton_status with {"work_id":"auth-system"}')
    expect(await world.said(1, 'help')).toContain('| Code Research | `code` |')
    expect(await world.said(1, 'feedback: too long')).toContain('"target_agent":"PAW-01A Specification"')
    expect(await world.said(1, 'please write a longer specification')).toBeUndefined()
  })

  it('says that blocked work cannot continue', async () => {
    await using world = await begun('auto')
    await world.said(1, opening('PAW-01A Specification'))
    world.write(`${WORK}/WorkflowContext.md`, 'Handoff Mode: auto\nBlocked: no rights\n')
    expect(await world.said(1, 'continue')).toContain('the work is blocked: no rights')
  })

  it('is ignored in a session without staged work, unless it is unmistakable', async () => {
    await using world = await begun('manual')
    expect(await world.said(2, 'continue')).toBeUndefined()
    expect(await world.said(2, 'review')).toBeUndefined()
    expect(await world.said(2, 'implement Phase 1')).toContain('ImplementationPlan.md is missing')
    expect(await world.said(2, '/baton:stage spec but keep it short')).toContain(
      '{"target_agent":"PAW-01A Specification","work_id":"auth-system","inline_instruction":"keep it short"}',
    )
    expect(await world.said(2, '/stage nonsense')).toBeUndefined()
  })
})

describe('the end of a turn', () => {
  it('auto: after a finished stage the next one starts at the same place in a new session', async () => {
    await using world = await begun('auto')
    await world.said(1, opening('PAW-01A Specification'))
    world.write(`${WORK}/Spec.md`, '# Spec\n')
    expect(await world.stopped(1)).toMatchObject({ continuation: { rank: 'stage' } })
    await until(() => world.typed.length === 2, { what: 'the next prompt' })
    expect(world.typed[1]).toContain('You are PAW-02A Code Researcher')
    world.session(2, { pane: '%1 /tmp/x' })
    expect(await world.said(2, world.typed[1] ?? '')).toContain('# PAW-02A Code Researcher')
    expect(await world.ports.memory.pass(world.project, 'auth-system')).toBeUndefined()
    expect(world.faults).toEqual([])
  })

  it('auto: with the Session Policy continuous, the next stage continues in the same session', async () => {
    await using world = await begun('auto')
    const file = `${WORK}/WorkflowContext.md`
    world.write(file, 'Work ID: auth-system\nHandoff Mode: auto\nSession Policy: continuous\n')
    await world.said(1, opening('PAW-01A Specification'))
    world.write(`${WORK}/Spec.md`, '# Spec\n')
    expect(await world.stopped(1)).toMatchObject({
      continuation: { rank: 'stage', prompt: expect.stringContaining('You are PAW-02A Code Researcher') },
    })
    expect(world.typed).toEqual([])
    expect((await world.ports.memory.bindings())[0]).toMatchObject({ stage: 'code-research', reminders: 0 })
    expect(await world.ports.memory.passes()).toEqual([])
    // The new stage is not finished by what the last one left.
    expect(await world.stopped(1, 'Hm.')).toMatchObject({
      continuation: { prompt: expect.stringContaining('The stage Code Research is not finished') },
    })
  })

  it('auto: an unfinished stage is told to finish three times, then a person is notified', async () => {
    await using world = await begun('auto')
    await world.said(1, opening('PAW-01A Specification'))
    for (let n = 0; n < 3; n++)
      expect(await world.stopped(1, 'Which database?')).toMatchObject({
        continuation: { rank: 'stage', prompt: expect.stringContaining('is not finished') },
      })
    expect(await world.stopped(1)).toMatchObject({
      notice: expect.stringContaining('without finishing'),
    })
    expect(world.told).toEqual([
      expect.stringContaining('stopped 4 times without finishing and without progress'),
    ])
    expect(world.typed).toEqual([])
  })

  it('auto: a stage that ticks a box at every stop is never given up', async () => {
    await using world = await begun('auto')
    const plan = (ticked: number) =>
      `## Phase 1: A\n${Array.from({ length: 8 }, (_, n) => `- [${n < ticked ? 'x' : ' '}] step ${n}`).join('\n')}\n`
    world.write(`${WORK}/Spec.md`, '# Spec\n')
    world.write(`${WORK}/CodeResearch.md`, '# Code\n')
    world.write(`${WORK}/ImplementationPlan.md`, plan(0))
    await world.said(1, `${opening('PAW-03A Implementer')} Phase 1`)
    for (let ticked = 1; ticked < 8; ticked++) {
      world.write(`${WORK}/ImplementationPlan.md`, plan(ticked))
      expect(await world.stopped(1, 'One more.')).toMatchObject({ continuation: { rank: 'stage' } })
    }
    // From here on it only talks.
    for (let n = 0; n < 2; n++) await world.stopped(1, 'Soon.')
    expect(await world.stopped(1, 'Soon.')).toMatchObject({
      notice: expect.stringContaining('stopped 4 times without finishing and without progress'),
    })
  })

  it.each([
    ['by its file', 'done', true],
    ['by its last message', 'I tried.\n\n**Blocked:** no rights to push', false],
  ])('auto: blocked %s, it never continues', async (_, message, byFile) => {
    await using world = await begun('auto')
    await world.said(1, opening('PAW-01A Specification'))
    world.write(`${WORK}/Spec.md`, '# Spec\n')
    if (byFile) world.write(`${WORK}/WorkflowContext.md`, 'Handoff Mode: auto\nBlocked: no rights to push\n')
    expect(await world.stopped(1, message)).toEqual({ notice: 'auth-system is blocked: no rights to push' })
    expect(world.told).toEqual(['🔔 auth-system is blocked: no rights to push'])
    expect(await world.ports.memory.pass(world.project, 'auth-system')).toBeUndefined()
  })

  it('auto: says when the last stage is done, and "Blocked: none" blocks nothing', async () => {
    await using world = await begun('auto')
    world.write(`${WORK}/ImplementationPlan.md`, '## Phase 1: A\n- [x] a\n**Review**: passed\n')
    world.write(`${WORK}/Docs.md`, '# Docs\n')
    await world.said(1, opening('PAW-05 PR'))
    expect(await world.stopped(1, 'Opened.\n\nBlocked: none')).toEqual({})
    expect(world.told).toEqual(['✅ auth-system: Final PR, the last stage, is done'])
    expect(world.entries.at(-1)).toMatchObject({ what: 'ended', stage: 'pr' })
  })

  it('semi-auto: waits before code research, and continues to the plan after it', async () => {
    await using world = await begun('semi-auto')
    await world.said(1, opening('PAW-01A Specification'))
    world.write(`${WORK}/Spec.md`, '# Spec\n')
    expect(await world.stopped(1)).toEqual({
      notice:
        'auth-system waits for you before Code Research. Type `code`, `research`, `spec`, `status`, or `continue`.',
    })
    await world.said(1, opening('PAW-02A Code Researcher'))
    world.write(`${WORK}/CodeResearch.md`, '# Code\n')
    expect(await world.stopped(1)).toMatchObject({
      continuation: { stop: expect.stringContaining('PAW-02B Impl Planner') },
    })
  })

  it('semi-auto: leaves an unfinished stage to the person', async () => {
    await using world = await begun('semi-auto')
    await world.said(1, opening('PAW-02A Code Researcher'))
    expect(await world.stopped(1, 'Which module do you mean?')).toEqual({})
  })

  it('manual: says nothing and starts nothing', async () => {
    await using world = await begun('manual')
    await world.said(1, opening('PAW-02A Code Researcher'))
    world.write(`${WORK}/CodeResearch.md`, '# Code\n')
    expect(await world.stopped(1)).toEqual({})
  })

  it('does not count an older file as the work of this session', async () => {
    await using world = await begun('auto')
    world.write(`${WORK}/Spec.md`, '# Spec\n')
    world.later(60_000)
    await world.said(1, opening('PAW-01A Specification'))
    expect(await world.stopped(1, 'Shall I change it?')).toMatchObject({
      continuation: {
        prompt: expect.stringContaining('paw_call_agent with target_agent "PAW-02A Code Researcher"'),
      },
    })
  })

  it('uses the mode that the file currently says', async () => {
    await using world = await begun('manual')
    await world.said(1, opening('PAW-01A Specification'))
    world.write(`${WORK}/Spec.md`, '# Spec\n')
    expect(await world.stopped(1)).toEqual({})
    await world.ports.items.setMode(world.project, 'auth-system', 'auto')
    expect(await world.stopped(1)).toMatchObject({ continuation: { rank: 'stage' } })
  })
})

describe('a session that ends', () => {
  it('before its stage is finished: a person is notified, except in manual mode', async () => {
    await using world = await begun('auto')
    await world.said(1, opening('PAW-01A Specification'))
    await world.ended(1)
    expect(world.told).toEqual([
      '🔔 auth-system: the session ended (closed by the user) before Specification was finished. To continue, run: baton work run auth-system',
    ])
    await using other = await begun('manual')
    await other.said(1, opening('PAW-01A Specification'))
    await other.ended(1)
    expect(other.told).toEqual([])
  })
})

describe('a stage that is starting', () => {
  it('does not start while a cycle controls the session', async () => {
    await using world = await begun('auto')
    await world.said(1, opening('PAW-01A Specification'))
    world.write(`${WORK}/Spec.md`, '# Spec\n')
    world.ports.busyElsewhere = async () => true
    expect(await world.stopped(1)).toEqual({})
    expect(world.entries.at(-1)).toMatchObject({
      what: 'waiting',
      detail: expect.stringContaining('handoff'),
    })
    world.ports.busyElsewhere = async () => false
    expect(await world.stopped(1)).toMatchObject({ continuation: { rank: 'stage' } })
  })

  it('starts elsewhere if its terminal is gone', async () => {
    await using world = await begun('auto')
    world.answers('gone')
    await world.said(1, opening('PAW-01A Specification'))
    world.write(`${WORK}/Spec.md`, '# Spec\n')
    await world.stopped(1)
    await until(() => world.started[0], { what: 'a new session' })
    expect(world.started[0]).toContain('You are PAW-02A Code Researcher')
    await until(() => world.told[0], { what: 'the news' })
    expect(world.told[0]).toContain('tmux attach')
  })

  it('is retried while a person types, and then fails with the command to run', async () => {
    await using world = await begun('auto')
    world.answers('busy')
    await world.said(1, opening('PAW-01A Specification'))
    world.write(`${WORK}/Spec.md`, '# Spec\n')
    await world.stopped(1)
    for (let n = 0; n < 2; n++) {
      await until(
        async () => (await world.ports.memory.pass(world.project, 'auth-system'))?.tries === n + 1,
        {
          what: `try ${n + 1}`,
        },
      )
      await until(
        async () => {
          await world.stages.passing.tick()
          return world.typed.length > n + 1
        },
        { what: 'another try' },
      )
    }
    await until(() => world.told[0], { what: 'the news' })
    expect(world.told[0]).toMatch(
      /did not start: Baton could not type the prompt \(busy\)\nStart it yourself: cd /,
    )
    expect(await world.ports.memory.pass(world.project, 'auth-system')).toBeUndefined()
  })

  it('is resumed after the daemon was killed before the start', async () => {
    await using world = await begun('auto')
    const from = world.session(1, { pane: '%1 /tmp/x' })
    await world.ports.memory.keep({
      project: world.project,
      workId: 'auth-system',
      target: 'PAW-01A Specification',
      stage: 'spec',
      from,
      at: 0,
      state: 'due',
      tries: 0,
    })
    await world.stages.passing.tick()
    await until(() => world.typed.length === 2, { what: 'the prompt' })
  })

  it('fails if its session never reports', async () => {
    await using world = await begun('auto')
    await world.tool('paw_call_agent', { target_agent: 'PAW-01A Specification', work_id: 'auth-system' })
    await until(async () => world.started.length === 1 && world.told.length === 1, { what: 'a session' })
    world.later(121_000)
    await world.stages.passing.tick()
    expect(world.told.at(-1)).toContain('the new session did not report')
  })

  it('starts even if the session that called it has ended', async () => {
    await using world = await begun('manual')
    const args = { target_agent: 'PAW-01A Specification', work_id: 'auth-system' }
    world.calls(1, 'paw_call_agent', args)
    await world.tool('paw_call_agent', args)
    world.session(1, { endedAt: new Date(0).toISOString() })
    await world.ended(1)
    await until(() => world.started[0], { what: 'a session' })
  })
})

describe('a session that continues in another', () => {
  it('hands its work item over', async () => {
    await using world = await begun('auto')
    const from = world.session(1)
    await world.said(1, opening('PAW-03A Implementer', ': implement Phase 2'))
    const to = world.session(2)
    expect(
      await world.stages.carryOver(from, { id: to, nativeSession: 'native-2', agent: 'claude-code' }),
    ).toBe(true)
    expect(await world.ports.memory.binding(to)).toMatchObject({
      workId: 'auth-system',
      stage: 'implement',
      phase: 2,
    })
    expect(await world.ports.memory.binding(from)).toBeUndefined()
    expect(
      await world.stages.carryOver(from, { id: to, nativeSession: 'native-2', agent: 'claude-code' }),
    ).toBe(false)
  })
})
