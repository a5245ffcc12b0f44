import { existsSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { event, shell, world, write } from './world.ts'

const start = (prompt: string, native = 's1') => event('PromptSubmitted', native, { prompt })

describe('Starting a workflow', () => {
  it("writes exactly the seed's fields, for the person alone", async () => {
    await using w = world()
    await w.tell(start('/baton:issue-to-impl 42'))
    expect(w.state('s1')).toEqual({
      workflow: 'issue-to-impl',
      state: 'initial',
      continuation_count: 0,
      issue_no: 42,
    })
    expect(statSync(w.stateFile('s1')).mode & 0o777).toBe(0o600)
    const index = JSON.parse(readFileSync(join(w.project, '.tmp/hooked-sessions/by-issue/42.json'), 'utf8'))
    expect(index).toEqual({ session_id: 's1', workflow: 'issue-to-impl' })
    await w.tell(start('/plan-to-issue 7', 's2'))
    expect(w.state('s2')).toEqual({ workflow: 'plan-to-issue', state: 'initial', continuation_count: 0 })
    expect(w.journal.map(entry => entry.what)).toEqual(['started', 'started'])
  })

  it('leaves ordinary prompts alone', async () => {
    await using w = world()
    expect(await w.tell(start('fix the bug'))).toEqual({})
    expect(await w.stop('s1')).toEqual({})
    expect(existsSync(join(w.project, '.tmp'))).toBe(false)
  })

  it('does nothing when hands-off mode is off', async () => {
    await using w = world({ handsoff: { enabled: false } })
    await w.tell(start('/issue-to-impl 42'))
    expect(await w.stop('s1')).toEqual({})
  })

  it('refuses a state folder that is a link', async () => {
    await using w = world()
    await using elsewhere = world()
    symlinkSync(elsewhere.project, join(w.project, '.tmp'))
    const reaction = await w.tell(start('/issue-to-impl 42'))
    expect(reaction.notice).toContain('cannot write its state')
    expect(existsSync(join(elsewhere.project, 'hooked-sessions'))).toBe(false)
    expect((await w.stop('s1')).goOn).toBeUndefined()
  })
})

describe('A stop', () => {
  it('continues with the prompt of the workflow and counts', async () => {
    await using w = world()
    await w.tell(start('/issue-to-impl 42'))
    mkdirSync(join(w.project, '.tmp'), { recursive: true })
    writeFileSync(join(w.project, '.tmp/plan-of-issue-42.md'), '# The plan\n- [x] one\n')
    const first = await w.stop('s1')
    expect(first.goOn?.prompt).toContain('1/10')
    expect(first.goOn?.prompt).toContain('plan-of-issue-42.md')
    expect(first.goOn?.prompt).toContain('> # The plan')
    const second = await w.stop('s1', { continued: true })
    expect(second.goOn?.prompt).toContain('2/10')
    expect(w.state('s1').continuation_count).toBe(2)
  })

  it('is not answered or counted while another capability answers the stops of that session', async () => {
    let busy = true
    await using w = world({}, { busyElsewhere: async () => busy })
    await w.tell(start('/issue-to-impl 42'))
    expect(await w.stop('s1')).toEqual({})
    expect(w.state('s1').continuation_count).toBe(0)
    busy = false
    expect((await w.stop('s1')).goOn?.prompt).toContain('1/10')
  })

  it('reaches the cap, says so once, and continues when the count is lowered', async () => {
    await using w = world({ handsoff: { max_continuations: 3 } })
    await w.tell(start('/issue-to-impl 42'))
    for (let i = 1; i <= 3; i++) expect((await w.stop('s1')).goOn?.prompt).toContain(`${i}/3`)
    const end = await w.stop('s1')
    expect(end.goOn).toBeUndefined()
    expect(end.notice).toContain('reached its limit')
    expect(await w.stop('s1')).toEqual({})
    expect(w.announced.map(each => each.end)).toEqual(['capped'])
    w.edit('s1', { ...w.state('s1'), continuation_count: 1 })
    expect((await w.stop('s1')).goOn?.prompt).toContain('2/3')
  })

  it('of a subagent never counts', async () => {
    await using w = world()
    await w.tell(start('/issue-to-impl 42'))
    expect(await w.stop('s1', { subagent: { id: 'a1' } })).toEqual({})
    expect(w.state('s1').continuation_count).toBe(0)
  })

  it('waits while a subagent runs in the background', async () => {
    await using w = world()
    await w.tell(start('/issue-to-impl 42'))
    await w.tell(event('SubagentStarted', 's1', { subagent: { id: 'a1' } }))
    expect(await w.stop('s1')).toEqual({})
    expect(await w.stop('s1', { running: 1 })).toEqual({})
    await w.tell(event('SubagentEnded', 's1', { subagent: { id: 'a1' } }))
    expect((await w.stop('s1', { running: 1 })).goOn?.prompt).toContain('1/10')
    await w.tell(event('SubagentStarted', 's1', { subagent: { id: 'a2' } }))
    expect((await w.stop('s1', { running: 0 })).goOn?.prompt).toContain('2/10')
  })

  it('waits while the agent scheduled its own next turn, and such stops count neither way', async () => {
    await using w = world()
    await w.tell(start('/issue-to-impl 42'))
    for (let stops = 0; stops < 5; stops++) {
      const answer = await w.stop('s1', { idle: true, scheduled: 1 })
      expect(answer.goOn).toBeUndefined()
      expect(answer.notice).toContain('the agent scheduled its own next turn')
    }
    expect(w.state('s1').continuation_count).toBe(0)
    expect((await w.stop('s1', { scheduled: 0 })).goOn?.prompt).toContain('1/10')
  })

  it('names what is stuck at the second stop without progress and ends at the third', async () => {
    await using w = world()
    await w.tell(start('/issue-to-impl 42'))
    expect((await w.stop('s1')).goOn?.prompt).not.toContain('No progress since the last continuation')
    expect((await w.stop('s1', { idle: true })).goOn?.prompt).not.toContain(
      'No progress since the last continuation',
    )
    expect((await w.stop('s1', { idle: true })).goOn?.prompt).toContain(
      'No progress since the last continuation',
    )
    const end = await w.stop('s1', { idle: true })
    expect(end.goOn).toBeUndefined()
    expect(end.notice).toContain('stalled')
    expect(w.state('s1').state).toBe('stalled')
    expect((await w.stop('s1')).goOn).toBeUndefined()
    await w.tell(start('Use the other database.'))
    expect((await w.stop('s1')).goOn?.prompt).toContain('4/10')
  })

  it('of two sessions at once touches only its own state', async () => {
    await using w = world()
    await Promise.all([w.tell(start('/issue-to-impl 1', 'a')), w.tell(start('/issue-to-impl 2', 'b'))])
    await Promise.all([w.stop('a'), w.stop('b'), w.stop('a'), w.stop('b'), w.stop('b')])
    expect(w.state('a')).toMatchObject({ issue_no: 1, continuation_count: 2 })
    expect(w.state('b')).toMatchObject({ issue_no: 2, continuation_count: 3 })
  })
})

describe('A person who edits the state file is obeyed', () => {
  it('when it is set to done', async () => {
    await using w = world()
    await w.tell(start('/issue-to-impl 42'))
    w.edit('s1', { ...w.state('s1'), state: 'done' })
    const end = await w.stop('s1')
    expect(end.goOn).toBeUndefined()
    expect(w.journal.at(-1)).toMatchObject({ what: 'ended', end: 'unproven' })
    await w.tell(start('and now something else'))
    expect((await w.stop('s1')).goOn).toBeUndefined()
  })

  it('when it is deleted', async () => {
    await using w = world()
    await w.tell(start('/issue-to-impl 42'))
    rmSync(w.stateFile('s1'))
    expect((await w.stop('s1')).notice).toContain('state file')
    expect(await w.stop('s1')).toEqual({})
  })

  it('when the count is changed or a field is added', async () => {
    await using w = world()
    await w.tell(start('/issue-to-impl 42'))
    w.edit('s1', { ...w.state('s1'), continuation_count: 7, note: 'mine' })
    expect((await w.stop('s1')).goOn?.prompt).toContain('8/10')
    expect(w.state('s1')).toMatchObject({ note: 'mine', continuation_count: 8 })
  })

  it.each([
    '',
    '{',
    'null',
    '[]',
    '"done"',
    '{"workflow":5}',
    '{"workflow":"issue-to-impl","state":"initial","continuation_count":-1}',
    '{"workflow":"issue-to-impl","state":"initial","continuation_count":"3"}',
    '\u0000'.repeat(100),
  ])('and with %j in it the agent may stop, without a loop', async text => {
    await using w = world()
    await w.tell(start('/issue-to-impl 42'))
    w.edit('s1', text)
    const end = await w.stop('s1')
    expect(end.goOn).toBeUndefined()
    expect(end.notice).toContain('state file')
    expect(await w.stop('s1')).toEqual({})
    expect(readFileSync(w.stateFile('s1'), 'utf8')).toBe(text)
    expect(w.faults).toEqual([])
  })

  it('and a file they put there by hand starts a run', async () => {
    await using w = world()
    mkdirSync(join(w.project, '.tmp/hooked-sessions'), { recursive: true })
    w.edit('s9', { workflow: 'issue-to-impl', state: 'initial', continuation_count: 4 })
    expect((await w.stop('s9')).goOn?.prompt).toContain('5/10')
  })

  it('an unknown workflow ends it', async () => {
    await using w = world()
    await w.tell(start('/issue-to-impl 42'))
    w.edit('s1', { ...w.state('s1'), workflow: 'unheard-of' })
    expect((await w.stop('s1')).notice).toContain('unknown workflow')
    expect(await w.stop('s1')).toEqual({})
  })
})

describe('Delivery', () => {
  const opened = 'https://github.com/acme/app/pull/57'
  it('is detected from the agent’s commands if no forge is reachable, and fills pr_number', async () => {
    await using w = world()
    await w.tell(start('/issue-to-impl 42'))
    await w.tell(shell('s1', 'gh pr create --title x --body-file b.md', `Creating pull request\n${opened}\n`))
    expect(w.state('s1').pr_number).toBe(57)
    const end = await w.stop('s1')
    expect(end.goOn).toBeUndefined()
    expect(end.notice).toContain(opened)
    expect(w.state('s1')).toMatchObject({ state: 'done', pr_number: 57 })
    expect(w.announced).toMatchObject([{ end: 'unproven', pullRequest: opened, issue: 42 }])
  })

  it('is not detected from a failed command', async () => {
    await using w = world()
    await w.tell(start('/issue-to-impl 42'))
    await w.tell(shell('s1', 'gh pr create', `failed: ${opened}`, true))
    expect((await w.stop('s1')).goOn).toBeDefined()
  })
})

describe('A turn that fails', () => {
  it('on a usage limit is parked until the reset, and later stops keep counting', async () => {
    await using w = world()
    await w.tell(start('/issue-to-impl 42'))
    await w.stop('s1')
    const reset = Math.floor(w.now / 1000) + 3600
    await w.tell(
      event('TurnFailed', 's1', { error: 'rate_limit', message: `Claude AI usage limit reached|${reset}` }),
    )
    expect(w.state('s1').state).toBe('limit-parked')
    expect(w.announced.at(-1)).toMatchObject({ end: 'limit-parked' })
    expect(w.announced.at(-1)?.reason).toContain(new Date((reset + 20) * 1000).toISOString())
    await w.tell(start('This is an auto-continuation prompt for handsoff mode, the limit has been reset.'))
    expect(w.state('s1').state).toBe('initial')
    expect((await w.stop('s1')).goOn?.prompt).toContain('2/10')
  })

  it('on a refused login fails', async () => {
    await using w = world()
    await w.tell(start('/issue-to-impl 42'))
    await w.tell(event('TurnFailed', 's1', { error: 'authentication_failed', message: 'Invalid API key' }))
    expect(w.announced).toMatchObject([{ end: 'failed' }])
  })
})

it('An agent that reaches its own limit on continued stops is reported', async () => {
  await using w = world()
  await w.tell(start('/issue-to-impl 42'))
  await w.stop('s1')
  await w.tell(shell('s1', 'make'))
  await w.tell(event('Idle', 's1'))
  expect(w.announced).toEqual([])
  await w.stop('s1')
  await w.tell(event('Idle', 's1', { kind: 'permission' }))
  await w.tell(event('Idle', 's1'))
  expect(w.announced).toMatchObject([
    { end: 'blocked', reason: expect.stringContaining('STOP_HOOK_BLOCK_CAP') },
  ])
})

it('The debug log has the lines people know', async () => {
  await using w = world({ handsoff: { debug: true } })
  await w.tell(start('/ultra-planner a feature', 'abc123'))
  await w.stop('abc123')
  const lines = readFileSync(join(w.project, '.tmp/hook-debug.log'), 'utf8').trim().split('\n')
  expect(lines[0]).toBe(
    "[2026-11-15T12:00:01] [abc123] Writing state: {'workflow': 'ultra-planner', 'state': 'initial', 'continuation_count': 0}",
  )
  expect(lines[1]).toContain(`Found existing state file: ${w.stateFile('abc123')}`)
  expect(lines[2]).toContain(
    "Updating state for continuation: {'workflow': 'ultra-planner', 'state': 'initial', 'continuation_count': 1}",
  )
})

it('A budget warns before it ends a run', async () => {
  await using w = world({ budget: { per_workflow: { hours: 0.01 } } })
  await w.tell(start('/issue-to-impl 42'))
  w.now += 28_000
  expect((await w.stop('s1')).notice).toContain('Budget')
  w.now += 10_000
  const end = await w.stop('s1')
  expect(end.goOn).toBeUndefined()
  expect(end.notice).toContain('over budget')
})

it('No sequence of events continues more often than allowed, nor a run that is done', async () => {
  const native = 's1'
  const happening = fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        do: fc.constant('stop' as const),
        idle: fc.boolean(),
        continued: fc.boolean(),
        subagent: fc.boolean(),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        do: fc.constant('tool' as const),
        command: fc.constantFrom('npm test', 'ls', 'make', 'git push'),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        do: fc.constant('prompt' as const),
        prompt: fc.constantFrom('hello', '<task-notification>x', 'go on'),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        do: fc.constantFrom(
          'done' as const,
          'fail' as const,
          'limit' as const,
          'idle' as const,
          'ended' as const,
        ),
      }),
    },
  )
  await fc.assert(
    fc.asyncProperty(fc.nat(5), fc.array(happening, { maxLength: 30 }), async (max, happenings) => {
      await using w = world({ handsoff: { max_continuations: max } })
      await w.tell(start('/issue-to-impl 42'))
      let continued = 0
      let done = false
      for (const it of happenings) {
        let goOn: unknown
        if (it.do === 'stop')
          ({ goOn } = await w.stop(native, {
            idle: it.idle,
            continued: it.continued,
            ...(it.subagent ? { subagent: { id: 'x' } } : {}),
          }))
        else if (it.do === 'tool') await w.tell(shell(native, it.command))
        else if (it.do === 'prompt') await w.tell(start(it.prompt))
        else if (it.do === 'fail') await w.tell(event('TurnFailed', native, { error: 'billing_error' }))
        else if (it.do === 'limit') await w.tell(event('TurnFailed', native, { error: 'rate_limit' }))
        else if (it.do === 'idle') await w.tell(event('Idle', native))
        else if (it.do === 'ended') await w.tell(event('SessionEnded', native))
        else {
          w.edit(native, { ...w.state(native), state: 'done' })
          done = true
        }
        if (goOn) continued++
        expect(goOn && done).toBeFalsy()
      }
      expect(continued).toBeLessThanOrEqual(max)
      expect(w.faults).toEqual([])
    }),
    { numRuns: 150 },
  )
})

it('In a git repository, restoring the same files is not progress', async () => {
  await using w = world()
  const at = (tree: string) => {
    w.worktree = { root: w.project, head: 'h1', branch: 'issue-42', tree }
  }
  at('clean')
  await w.tell(start('/issue-to-impl 42'))
  const edit = async (content: string, tree: string) => {
    await w.tell(write('s1', 'src/a.ts', content))
    at(tree)
    return w.tell(event('TurnEnded', 's1'))
  }
  expect((await edit('x', 'one')).goOn).toBeDefined()
  expect((await edit('y', 'two')).goOn).toBeDefined()
  expect((await edit('x', 'one')).goOn?.prompt).not.toContain('No progress since the last continuation')
  expect((await edit('y', 'two')).goOn?.prompt).toContain('only restored an earlier state')
  expect((await edit('x', 'one')).notice).toContain('stalled')
})
