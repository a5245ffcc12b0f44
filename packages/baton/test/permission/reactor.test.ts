import type { ConfigInput } from '@batonpass/contract/config'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fingerprintFor, type ToolEvent } from '../../src/permission/ask-for.ts'
import { grantFrom } from '../../src/permission/grants/record-grant.ts'
import { judgeCall } from '../../src/permission/requests.ts'
import { rulesInForce } from '../../src/permission/rules-in-force.ts'
import type { GitFacts } from '../../src/ports/grant-facts.ts'
import {
  asked,
  type Fakes,
  finished,
  HOME,
  nobody,
  PROJECT,
  reactorWorld,
  requested,
  sayNo,
  sayYes,
} from './reactor-world.ts'

const ATTENDED = { attended: true }
const RULES: ConfigInput = {
  permissions: { allow: [{ program: 'make' }], deny: [{ program: 'dd' }], ask: [{ program: 'date' }] },
}
const NO_UNDO: ConfigInput = { ...RULES, permission: { undo: false } }

const COMMANDS = [
  'git status',
  'make test',
  'date',
  'dd if=a of=b',
  'git status && dd if=a',
  'some-tool --go',
  'touch a.txt',
  '$CMD',
  'cat ~/.ssh/id_rsa',
  'rm -rf /',
  'baton allow ask_1',
]

describe('with every configuration and every answer', () => {
  const anyFakes: fc.Arbitrary<Fakes> = fc.record({
    person: fc.constantFrom(sayYes, sayNo, nobody, async () => Promise.reject(new Error('no asks'))),
    model: fc.constantFrom('allow', 'deny', 'ask', 'broken'),
    snapshot: fc.constantFrom('taken', 'none', 'broken'),
  })
  const anyConfig = fc.record({
    undo: fc.boolean(),
    undecided: fc.constantFrom('ask' as const, 'defer' as const),
    preset: fc.constantFrom('cautious' as const, 'standard' as const, 'trusting' as const),
    auto: fc.boolean(),
  })
  const anyPlace = fc.record({
    command: fc.constantFrom(...COMMANDS),
    dialog: fc.boolean(),
    attended: fc.constantFrom(true, false, undefined),
    mode: fc.constantFrom('default' as const, 'plan' as const, 'bypass' as const, undefined),
    agent: fc.constantFrom('claude-code' as const, 'cursor' as const),
    remembered: fc.boolean(),
  })

  test('the answer is never looser than the rules, and exactly one decision is recorded', async () => {
    await fc.assert(
      fc.asyncProperty(
        anyFakes,
        anyConfig,
        anyPlace,
        async (fakes, { undo, undecided, preset, auto }, place) => {
          const { command, dialog, attended, mode, agent, remembered } = place
          const world = reactorWorld(fakes)
          const config = {
            ...RULES,
            permission: { undo, undecided, preset },
            handsoff: { auto_permission: auto },
          }
          const context = world.context(config, { attended })
          const event = dialog
            ? asked(command, { agent, ...(mode ? { mode } : {}) })
            : requested(command, { agent, ...(mode ? { mode } : {}) })
          if (remembered) world.remember(fingerprintFor(event))
          const { permission } = await world.answer(event, context)
          const rules = rulesInForce(context.config, { worktree: PROJECT, home: HOME })
          const judged = judgeCall(event, rules, { worktree: PROJECT, home: HOME }, { realpath: p => p })

          expect(world.decisions).toHaveLength(1)
          const [decision] = world.decisions
          expect(decision?.event).toBe(event.id)
          expect(decision?.decision).toBe(permission?.decision ?? 'defer')
          if (judged.decision === 'deny') expect(permission?.decision).toBe('deny')
          if (judged.decision === 'ask') {
            expect([world.snapshots, world.modelCalls]).toEqual([0, 0])
            if (permission?.decision === 'allow') expect(['person', 'session']).toContain(decision?.by)
            expect(permission).toBeDefined()
          }
          if (permission?.decision === 'allow' && judged.decision !== 'allow')
            expect(['person', 'session', 'undo', 'model']).toContain(decision?.by)
          if (judged.effects.unknown.length > 0) expect(world.modelCalls).toBe(0)
          if (undecided === 'ask') expect(permission).toBeDefined()
        },
      ),
      { numRuns: 300 },
    )
  })
})

describe('the way of one call', () => {
  test('rules decide at once, without asking anybody', async () => {
    const world = reactorWorld({ person: sayYes, model: 'allow', snapshot: 'taken' })
    const answers = ['git status', 'dd if=a'].map(async command => {
      const outcome = await world.reactor.react(requested(command), world.context(RULES))
      return outcome?.now?.permission?.decision
    })
    expect(await Promise.all(answers)).toEqual(['allow', 'deny'])
    expect([world.questions, world.snapshots, world.modelCalls]).toEqual([[], 0, 0])
  })

  test('what can be undone is allowed with its snapshot, before a model is asked', async () => {
    const world = reactorWorld({ model: 'deny', snapshot: 'taken' })
    const { permission } = await world.answer(requested('touch a.txt'), world.context(RULES))
    expect(permission).toMatchObject({ decision: 'allow', reason: expect.stringContaining('baton undo 7') })
    expect(world.decisions[0]).toMatchObject({ by: 'undo', undo: '7' })
    expect(world.modelCalls).toBe(0)
  })

  test('where no snapshot can be taken, the decision says why it cannot be undone', async () => {
    const world = reactorWorld({ person: sayYes, snapshot: 'none' })
    await world.answer(requested('touch a.txt'), world.context(RULES))
    expect(world.decisions[0]).toMatchObject({ by: 'person', noUndo: 'not in a git worktree' })
    const broken = reactorWorld({ person: sayYes, snapshot: 'broken' })
    await broken.answer(requested('touch a.txt'), broken.context(RULES))
    expect(broken.decisions[0]?.noUndo).toContain('the snapshot failed')
  })

  test('what may bring hooks of its own is asked, whatever a snapshot or a model could say', async () => {
    const world = reactorWorld({ person: sayYes, model: 'allow', snapshot: 'taken' })
    for (const command of ['git checkout fine', 'git checkout evil']) {
      await world.answer(requested(command), world.context(RULES))
    }
    expect(world.decisions.map(({ by }) => by)).toEqual(['undo', 'person'])
    expect(JSON.stringify(world.questions)).toContain('decide what agents may do')
  })

  test('a snapshot or a model that fails leaves it to the next link', async () => {
    const world = reactorWorld({ person: sayYes, model: 'broken', snapshot: 'broken' })
    const { permission } = await world.answer(requested('touch a.txt'), world.context(RULES))
    expect(permission?.decision).toBe('allow')
    expect(world.decisions[0]?.by).toBe('person')
    expect(world.faults).toEqual(['taking a snapshot', 'asking a model'])
  })

  test('without a person: ask; a person who must be asked by a channel that fails: ask, as an error', async () => {
    const world = reactorWorld()
    expect((await world.answer(requested('some-tool'))).permission).toMatchObject({ decision: 'ask' })
    const broken = reactorWorld({ person: () => Promise.reject(new Error('disk full')) })
    expect((await broken.answer(requested('some-tool'))).permission?.decision).toBe('ask')
    expect(broken.decisions).toMatchObject([{ decision: 'ask', by: 'error' }])
  })

  test('a time-out becomes what is configured', async () => {
    const world = reactorWorld({ person: nobody })
    const context = world.context({ telegram: { on_timeout: 'deny' } })
    expect((await world.answer(requested('some-tool'), context)).permission?.decision).toBe('deny')
  })

  test('the person sees all of it: a command in full, and what would be written to a file', async () => {
    const world = reactorWorld()
    const command = `some-tool ${'x'.repeat(50_000)} end`
    await world.answer(requested(command), world.context(NO_UNDO))
    expect(world.questions[0]?.detail).toContain(command)
    const input = { file_path: '/srv/a', old_string: 'one', new_string: 'two\nthree', replace_all: false }
    const edit = { tool: 'Edit', input, action: { kind: 'write' as const, paths: ['/srv/a'] } }
    await world.answer(requested('', edit), world.context(NO_UNDO))
    expect(world.questions[1]?.detail).toBe(
      'Edit /srv/a\n\nold_string:\none\n\nnew_string:\ntwo\nthree\n\nreplace_all: false\n\nwrites outside the worktree',
    )
  })

  test('undecided: defer says nothing, and records that', async () => {
    const world = reactorWorld({ person: sayYes })
    const context = world.context({ permission: { undecided: 'defer', undo: false } })
    expect(await world.answer(requested('some-tool'), context)).toEqual({})
    expect(world.decisions).toMatchObject([{ decision: 'defer', by: 'nobody' }])
    expect(world.questions).toEqual([])
  })
})

describe('beside the dialog of a terminal', () => {
  test('the dialog opens at once, and the other channels are asked beside it, without the model again', async () => {
    const world = reactorWorld({ person: sayYes, model: 'ask' })
    const context = world.context(NO_UNDO, ATTENDED)
    const first = await world.answer(requested('some-tool'), context)
    expect(first.permission?.decision).toBe('ask')
    expect(world.questions).toEqual([])
    const second = await world.answer(asked('some-tool'), context)
    expect(second.permission?.decision).toBe('allow')
    expect(world.modelCalls).toBe(1)
    expect(world.questions[0]?.detail).toContain('the model says ask')
  })

  test('a dialog that opens although Baton said yes is for a person', async () => {
    const world = reactorWorld({ person: sayNo })
    const context = world.context(RULES, ATTENDED)
    expect((await world.answer(requested('make test'), context)).permission?.decision).toBe('allow')
    expect((await world.answer(asked('make test'), context)).permission?.decision).toBe('deny')
    expect(world.questions[0]?.detail).toContain("the agent's own settings ask")
    // A dialog of which Baton was never asked before is answered by the rules.
    expect((await world.answer(asked('make other'), context)).permission?.decision).toBe('allow')
  })

  test('a call that never ran is forgotten with its turn', async () => {
    const world = reactorWorld({ person: sayNo })
    const context = world.context(RULES, ATTENDED)
    await world.answer(requested('make test'), context)
    const { id, at, agent, session, nativeSession } = requested('')
    const ended = { id, at, agent, session, nativeSession, type: 'TurnEnded', continued: false } as const
    await world.reactor.react({ ...ended, outcome: 'completed' }, context)
    expect((await world.answer(asked('make test'), context)).permission?.decision).toBe('allow')
  })

  test('in plan mode only a person says yes to the dialog, not even what they allowed before', async () => {
    const world = reactorWorld({ person: sayNo, model: 'allow', snapshot: 'taken' })
    const context = world.context(RULES, {
      ...ATTENDED,
      session: { ...world.context().session, mode: 'plan' },
    })
    for (const command of ['make test', 'touch a', 'date']) world.remember(fingerprintFor(asked(command)))
    for (const command of ['make test', 'touch a', 'date'])
      expect((await world.answer(asked(command), context)).permission?.decision).toBe('deny')
    expect((await world.answer(requested('touch b'), context)).permission?.decision).toBe('ask')
    expect([world.snapshots, world.modelCalls]).toEqual([0, 0])
  })

  test('a question that the agent itself puts to the person is left alone', async () => {
    const world = reactorWorld({ person: sayYes })
    const question = { tool: 'AskUserQuestion', input: { questions: [] }, action: { kind: 'other' as const } }
    const context = world.context({}, ATTENDED)
    expect((await world.answer(requested('', question), context)).permission?.decision).toBe('allow')
    expect(await world.answer(asked('', question), context)).toEqual({})
    expect(world.questions).toEqual([])
  })
})

describe('for the session', () => {
  test('what a person allowed is not asked again, in that folder and with those words', async () => {
    const world = reactorWorld({ person: sayNo })
    const context = world.context(RULES)
    world.remember(fingerprintFor(requested('date')))
    expect((await world.answer(requested('date'), context)).permission?.decision).toBe('allow')
    expect(world.decisions[0]?.by).toBe('session')
    expect((await world.answer(requested('date -u'), context)).permission?.decision).toBe('deny')
    expect((await world.answer(requested('date', { cwd: '/tmp' }), context)).permission?.decision).toBe(
      'deny',
    )
  })

  test('a deny that came later wins over it', async () => {
    const world = reactorWorld()
    world.remember(fingerprintFor(requested('dd if=a')))
    expect((await world.answer(requested('dd if=a'), world.context(RULES))).permission?.decision).toBe('deny')
  })
})

describe('when something fails', () => {
  test('rules that cannot be had ask a person, whatever was remembered', async () => {
    const world = reactorWorld({ person: nobody, ports: { rules: () => Promise.reject(new Error('gone')) } })
    world.remember(fingerprintFor(requested('git status')))
    expect((await world.answer(requested('git status'))).permission?.decision).toBe('ask')
    expect(world.decisions[0]).toMatchObject({ decision: 'ask', trail: [{ rule: 'error' }] })
    expect(world.faults).toEqual(['judging Bash'])
    const attended = await world.answer(requested('git log'), world.context({}, ATTENDED))
    expect(attended.permission?.decision).toBe('ask')
    expect(world.decisions[1]?.by).toBe('error')
  })

  test('a journal that cannot be written to lets a deny stand and allows nothing', async () => {
    const world = reactorWorld({ ports: { write: () => Promise.reject(new Error('disk full')) } })
    expect((await world.answer(requested('dd if=a'), world.context(RULES))).permission?.decision).toBe('deny')
    await expect(world.answer(requested('git status'))).rejects.toThrow('disk full')
  })

  test('a log that cannot be written to changes nothing', async () => {
    const world = reactorWorld({ ports: { debug: () => Promise.reject(new Error('read-only')) } })
    const context = world.context({ handsoff: { debug: true } })
    expect((await world.answer(requested('git status'), context)).permission?.decision).toBe('allow')
    expect(world.faults).toEqual(['writing permission.txt'])
  })

  test('the log says who decided what, when debugging is on', async () => {
    const world = reactorWorld()
    await world.answer(requested('git status'))
    expect(world.log).toEqual([])
    await world.answer(requested('git status'), world.context({ handsoff: { debug: true } }))
    expect(world.log).toEqual([expect.stringMatching(/^Bash allow by rules: git status \(/)])
  })

  test('an answer for which no one waits any more is recorded as none', async () => {
    const leaving = new AbortController()
    const world = reactorWorld({
      person: async question => {
        leaving.abort()
        return await sayYes(question)
      },
    })
    await world.answer(requested('some-tool'), world.context(), leaving.signal)
    expect(world.decisions).toMatchObject([{ decision: 'ask', by: 'nobody' }])
    expect(world.decisions[0]?.ask).toBeDefined()
  })

  test('the whole waits longer than the ask does', async () => {
    const world = reactorWorld({ model: 'ask' })
    const context = world.context({ telegram: { enabled: true, timeout_sec: 7200 } })
    const outcome = await world.reactor.react(requested('some-tool'), context)
    expect(outcome?.later?.withinMs).toBeGreaterThan(7200_000 + 30_000)
    expect(outcome?.later?.otherwise.permission?.decision).toBe('ask')
  })
})

describe('questions that are over are taken back', () => {
  const never = () => new Promise<never>(() => {})

  async function openAsks(...commands: string[]) {
    const world = reactorWorld({ person: never })
    const context = world.context(RULES, ATTENDED)
    const calls = []
    for (const command of commands) {
      const call = requested(command)
      await world.answer(call, context)
      calls.push(call)
    }
    for (const command of commands) void world.answer(asked(command), context)
    await new Promise(resolve => setImmediate(resolve))
    expect(world.open).toHaveLength(commands.length)
    return { world, calls, context }
  }

  test('when the tool ran, even if it changed the folder; an equal call keeps its own question', async () => {
    const { world, calls, context } = await openAsks('date', 'date', 'date -u')
    const [first, second] = calls
    if (!first || !second) throw new Error('no calls')
    await world.reactor.react(finished(first, '/elsewhere'), context)
    expect(world.withdrawn).toHaveLength(1)
    expect(world.open.map(ask => ask.key)).toHaveLength(2)
    await world.reactor.react(finished(second), context)
    expect(world.withdrawn).toHaveLength(2)
    expect(world.withdrawn.every(({ why }) => why === 'settled-elsewhere')).toBe(true)
  })

  test('when it ran and the daemon has forgotten the call', async () => {
    const { world, context } = await openAsks('date')
    await world.reactor.react(
      finished(requested('date', { toolUseId: 'toolu_other' }), '/elsewhere'),
      context,
    )
    expect(world.open).toEqual([])
  })

  test('when the person types, the turn ends or the session does; a subagent’s outlive a turn', async () => {
    const world = reactorWorld({ person: never })
    const context = world.context(RULES, ATTENDED)
    const common = { ...requested('x'), session: requested('x').session }
    const base = {
      id: common.id,
      at: common.at,
      agent: common.agent,
      session: common.session,
      nativeSession: 'n',
    }
    const open = async () => {
      void world.answer(asked('date'), context)
      void world.answer(asked('date -u', { subagent: { id: 'a1' } }), context)
      await new Promise(resolve => setImmediate(resolve))
    }
    const left = () => world.open.map(ask => ask.detail.length > 0 && ask.key.includes('subagent'))
    await open()
    await world.reactor.react(
      { ...base, type: 'PromptSubmitted', prompt: '<task-notification>', automatic: true },
      context,
    )
    expect(left()).toEqual([false, true])
    await world.reactor.react({ ...base, type: 'PromptSubmitted', prompt: 'no, wait' }, context)
    expect(left()).toEqual([true])
    await world.reactor.react({ ...base, type: 'TurnEnded', continued: false, outcome: 'completed' }, context)
    expect(left()).toEqual([true])
    await world.reactor.react({ ...base, type: 'SessionEnded', reason: 'clear' }, context)
    expect(world.open).toEqual([])
    expect(world.withdrawn.at(-1)?.why).toBe('session-ended')
  })
})

const GRANT_FACTS: GitFacts = {
  root: PROJECT,
  branch: 'issue-42',
  settings: 's',
  push: 'any',
  pushesTo: 'origin',
  fetchesFrom: 'origin',
  remotes: [{ name: 'origin', url: 'https://github.com/acme/shop' }],
  hooks: [],
}

describe('a grant', () => {
  const grant = grantFrom(
    { job: 'issue-to-impl #42', may: ['push', 'new-issue'], project: PROJECT, branch: 'issue-42' },
    GRANT_FACTS,
    [],
  )
  const used: string[] = []
  const fakes = {
    ports: {
      grants: {
        inForce: async () => ({
          grants: [grant],
          facts: new Map([[PROJECT, GRANT_FACTS]]),
          fileKind: () => 'file' as const,
        }),
        use: async (event: ToolEvent) => void used.push(event.toolUseId ?? ''),
      },
    },
  }
  test('decides, is recorded, and is used up where it covers one thing', async () => {
    const world = reactorWorld(fakes)
    const push = await world.answer(requested('git push origin issue-42'))
    expect(push.permission).toMatchObject({
      decision: 'allow',
      reason: 'issue-to-impl #42 may push branch issue-42 to origin',
    })
    expect(world.decisions.at(-1)).toMatchObject({ by: 'rules', trail: [{ rule: 'grant push' }] })
    expect(used).toEqual([])
    await world.answer(requested('gh issue create --title x --body y', { toolUseId: 'one' }))
    expect(used).toEqual(['one'])
    expect(world.questions).toEqual([])
  })
  test('does not count in plan mode', async () => {
    const world = reactorWorld({ ...fakes, person: sayNo })
    const answer = await world.answer(asked('git push origin issue-42', { mode: 'plan' }))
    expect(answer.permission?.decision).not.toBe('allow')
    expect(world.questions).toHaveLength(1)
  })
})

test('what leaves the sandbox after a yes in the dialog is recorded as part of that yes', async () => {
  const world = reactorWorld()
  const takeRelease = async () => 'person' as const
  const context = world.context({}, { attended: false, brokered: 'command', takeRelease })
  await world.answer(requested('git push origin main'), context)
  expect(world.decisions).toMatchObject([{ decision: 'allow', by: 'person', again: true }])
})

describe('what leaves the sandbox as part of a command that a rule allows', () => {
  const decide = async (config: ConfigInput) => {
    const world = reactorWorld({ person: sayNo })
    const takeRelease = async (byRule: boolean) => (byRule ? ('rule' as const) : undefined)
    const context = world.context(config, { attended: false, brokered: 'command', takeRelease })
    await world.answer(requested('git push origin main:one'), context)
    return { questions: world.questions.length, decision: world.decisions.at(-1) }
  }

  test('is not asked about again', async () => {
    expect(await decide({})).toMatchObject({
      questions: 0,
      decision: { decision: 'allow', by: 'rules', reason: expect.stringContaining('a rule of yours') },
    })
  })

  test('still is where another rule asks about it, and is refused where one denies it', async () => {
    const push = { pattern: 'main:one' }
    expect(await decide({ permissions: { ask: [push] } })).toMatchObject({
      questions: 1,
      decision: { decision: 'deny', by: 'person' },
    })
    expect(await decide({ permissions: { deny: [push] } })).toMatchObject({
      questions: 0,
      decision: { decision: 'deny', by: 'rules' },
    })
  })
})
