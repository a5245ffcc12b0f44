import { Config } from '@batonpass/contract/config'
import type { Action, AgentName } from '@batonpass/contract/event'
import type { PermissionDecision, PermissionJudgement } from '@batonpass/contract/permission'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { judgeCall, requestsOf, strictest } from '../../src/permission/requests.ts'
import { rulesInForce } from '../../src/permission/rules-in-force.ts'
import { HOME, PROJECT, requested } from './reactor-world.ts'

const call = (agent: AgentName, tool: string, action: Action, input: unknown = {}) =>
  requested('', { agent, tool, action, input })
const PLACE = { worktree: PROJECT, home: HOME }
const STANDARD = rulesInForce(Config.parse({}), PLACE)
const judged = (...given: Parameters<typeof call>) =>
  judgeCall(call(...given), STANDARD, PLACE, { realpath: path => path })

describe('a tool that changes nothing outside the conversation', () => {
  test.each<[AgentName, string[]]>([
    ['codex', ['update_plan', 'spawn_agent']],
    ['copilot', ['report_intent', 'update_todo', 'task', 'read_agent', 'list_agents']],
    ['cursor', ['TodoWrite', 'Task']],
    ['gemini', ['write_todos', 'enter_plan_mode', 'invoke_agent']],
    ['opencode', ['todowrite', 'todoread', 'task', 'skill']],
    ['claude-code', ['TodoWrite', 'Task', 'EnterPlanMode']],
  ])('is allowed by its name in %s, unless a rule speaks of it', (agent, tools) => {
    for (const tool of tools) {
      expect(judged(agent, tool, { kind: 'other' }).decision, tool).toBe('allow')
      const rules = rulesInForce(Config.parse({ permissions: { deny: [{ tool }] } }), PLACE)
      const event = call(agent, tool, { kind: 'agent' })
      expect(judgeCall(event, rules, PLACE, { realpath: path => path }).decision, tool).toBe('deny')
    }
  })

  test.each<[AgentName, string]>([
    ['pi', 'task'],
    ['pi', 'Task'],
    ['pi', 'todo'],
    ['opencode', 'db_task'],
    ['opencode', 'Task'],
    ['gemini', 'save_memory'],
    ['gemini', 'activate_skill'],
    ['copilot', 'write_bash'],
    ['copilot', 'store_memory'],
    ['codex', 'send_input'],
  ])('is not known by another name, or in another agent: %s %s', (agent, tool) => {
    expect(judged(agent, tool, { kind: 'other' }).decision).toBe('undecided')
  })
})

describe('a tool call in the words of rules', () => {
  test.each<[string, Parameters<typeof call>, unknown]>([
    [
      'a shell by any name',
      ['cursor', 'Shell', { kind: 'shell', command: 'ls' }],
      [['Bash', { command: 'ls' }]],
    ],
    [
      'a file for each path',
      ['cursor', 'Edit', { kind: 'write', paths: ['/a', '/b'] }],
      [
        ['Write', { file_path: '/a' }],
        ['Write', { file_path: '/b' }],
      ],
    ],
    ['an MCP tool', ['cursor', 'MCP:db:q', { kind: 'mcp', server: 'db', tool: 'q' }], [['mcp__db__q', {}]]],
    [
      'a page',
      ['cursor', 'WebFetch', { kind: 'web', url: 'https://a.b' }],
      [['WebFetch', { url: 'https://a.b' }]],
    ],
    [
      'a question to the person',
      [
        'opencode',
        'question',
        { kind: 'question', questions: [{ id: '1', kind: 'text', text: 'Which?' }] },
        { questions: [] },
      ],
      [['AskUserQuestion', { questions: [] }]],
    ],
    ['the question of Codex', ['codex', 'request_user_input', { kind: 'other' }], [['AskUserQuestion', {}]]],
    ['the question of Gemini CLI', ['gemini', 'ask_user', { kind: 'other' }], [['AskUserQuestion', {}]]],
    ['the plan of Gemini CLI', ['gemini', 'exit_plan_mode', { kind: 'other' }], [['AskUserQuestion', {}]]],
    ['the plan of Copilot CLI', ['copilot', 'exit_plan_mode', { kind: 'other' }], [['AskUserQuestion', {}]]],
    ['an unknown tool of that name elsewhere', ['pi', 'ask_user', { kind: 'other' }], [['ask_user', {}]]],
    [
      'Claude Code’s own tools as they are',
      ['claude-code', 'Glob', { kind: 'search', paths: [] }],
      [['Glob', {}]],
    ],
  ])('%s', (_, given, expected) => {
    expect(requestsOf(call(...given)).map(({ tool, input }) => [tool, input])).toEqual(expected)
  })

  test('a read of a file that is not named is not allowed by the folder it is in', () => {
    expect(judged('cursor', 'Read', { kind: 'read', paths: [] }).decision).toBe('undecided')
    expect(judged('cursor', 'Read', { kind: 'read', paths: [`${PROJECT}/a`] }).decision).toBe('allow')
    expect(judged('cursor', 'Grep', { kind: 'search', paths: [] }).decision).toBe('allow')
  })

  test('a shell is judged in the folder that it is started in', () => {
    const inside = judged('cursor', 'Shell', { kind: 'shell', command: 'touch a', cwd: PROJECT })
    const outside = judged('cursor', 'Shell', { kind: 'shell', command: 'touch a', cwd: '/srv' })
    expect([inside.reversible, outside.reversible]).toEqual([true, false])
  })

  test('of several files the strictest counts', () => {
    const mixed = judged('cursor', 'Edit', { kind: 'write', paths: [`${PROJECT}/a`, `${HOME}/.baton.yaml`] })
    expect(mixed).toMatchObject({ decision: 'deny', final: true, reversible: false })
  })
})

describe('several judgements as one', () => {
  const anyJudgement: fc.Arbitrary<PermissionJudgement> = fc.record({
    decision: fc.constantFrom('allow', 'deny', 'ask', 'undecided'),
    reason: fc.string(),
    trail: fc.constant([]),
    effects: fc.record({
      reads: fc.constant(['r']),
      writes: fc.constant(['w']),
      hosts: fc.constant([]),
      network: fc.boolean(),
      outside: fc.boolean(),
      unknown: fc.constantFrom([], ['u']),
    }),
    reversible: fc.boolean(),
    final: fc.boolean(),
    understood: fc.boolean(),
  })
  const ORDER: PermissionDecision[] = ['allow', 'undecided', 'ask', 'deny']

  test('are never looser than any of them', () => {
    fc.assert(
      fc.property(fc.array(anyJudgement, { minLength: 1, maxLength: 5 }), all => {
        const one = strictest(all)
        for (const each of all) {
          expect(ORDER.indexOf(one.decision)).toBeGreaterThanOrEqual(ORDER.indexOf(each.decision))
          expect(one.effects.unknown).toEqual(expect.arrayContaining(each.effects.unknown))
          if (each.effects.outside) expect(one.effects.outside).toBe(true)
          if (one.reversible && each.decision !== 'allow') expect(each.reversible).toBe(true)
        }
      }),
    )
  })
})
