import { Entry } from '@batonpass/contract/journal'
import {
  decidedLabel,
  EVENT_LABELS,
  PHASE_LABELS,
  ruleLabel,
  STEP_LABELS,
  sessionEndLabel,
  turnErrorLabel,
} from '@batonpass/contract/labels'
import { DecidedBy, PermissionDecision } from '@batonpass/contract/permission'
import { expect, test } from 'vitest'
import { describeEntry } from '../../src/cli/describe-entry.ts'
import { entries } from './list-data.ts'

test('a decision is one phrase without internal words for each way to decide', () => {
  expect(decidedLabel('allow', 'undo')).toBe('allowed with undo')
  expect(decidedLabel('defer', 'nobody')).toBe('left to the agent')
  expect(decidedLabel('ask', 'nobody')).toBe("asked in the agent's dialog")
  for (const decision of ['allow', 'deny', 'ask', 'defer'] as const)
    for (const by of DecidedBy.options)
      expect(decidedLabel(decision, by)).toMatch(/^(allowed|denied|asked|left)(?! by (nobody|undo|error))/)
})

test.each([
  ['builtin pkill (standard)', 'built-in rule: pkill'],
  ['builtin git push (careful)', 'built-in rule: git push'],
  ['builtin destroy', 'built-in rule: destroy'],
  ['builtin (standard)', 'built-in rules'],
  ['builtins', 'builtins'],
  ['npm test (ours)', 'npm test (ours)'],
])('the rule %s is shown as %s', (rule, shown) => {
  expect(ruleLabel(rule)).toBe(shown)
})

test('no step and no event is shown by its type', () => {
  expect(Object.values(STEP_LABELS)).not.toEqual(expect.arrayContaining([...PermissionDecision.options]))
  for (const label of Object.values(EVENT_LABELS)) expect(label).toMatch(/^[a-z][a-z ]+:?$/)
})

test('logs describe a call of a tool in plain words', () => {
  const event = {
    type: 'ToolRequested',
    id: 'evt_00000000000000000001',
    at: '2026-03-02T11:00:00.000Z',
    agent: 'claude-code',
    session: 'ses_0123456789abcdef',
    nativeSession: 'native',
    cwd: '/work',
    tool: 'Bash',
    input: { command: 'ls' },
    action: { kind: 'shell', command: 'ls' },
    toolUseId: 'use',
  }
  const entry = Entry.parse({ ...entries[0], body: { kind: 'event', source: 'user', event } })
  expect(describeEntry(entry)).toBe('wants to use Bash ls')
})

test('the words of agents and of files never reach people: ends of sessions, errors of turns, phases of claims', () => {
  for (const reason of [
    'clear',
    'prompt_input_exit',
    'logout',
    'other',
    'exit',
    'constructor',
    'a_new_one',
    undefined,
  ])
    expect(sessionEndLabel(reason)).toMatch(/^(?!other|clear$)[a-z ]{4,}$/)
  expect(turnErrorLabel('rate_limit')).toBe('usage limit reached')
  expect(turnErrorLabel('overloaded_error')).toBe('overloaded error')
  for (const label of Object.values(PHASE_LABELS)) expect(label).toMatch(/^[a-z ]+$/)
})
