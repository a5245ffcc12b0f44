import type { AskedQuestion } from '@batonpass/contract/question'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { adapter as codex } from '../../../src/adapters/agents/codex/adapter.ts'
import { adapter as copilot } from '../../../src/adapters/agents/copilot/adapter.ts'
import { adapter as gemini } from '../../../src/adapters/agents/gemini/adapter.ts'
import { answerText } from '../../../src/adapters/agents/hook-answer.ts'
import type { AgentAdapter } from '../../../src/ports/agent.ts'

const OPTIONS = [{ label: 'Postgres (Recommended)', description: 'Shared' }, { label: 'SQLite' }]
const CHOICES = [
  {
    value: 'Postgres (Recommended)',
    label: 'Postgres (Recommended)',
    description: 'Shared',
    recommended: true,
  },
  { value: 'SQLite', label: 'SQLite' },
]

/** The agents whose hook runs before their dialog: the hook's event, and a call of the tool that asks. */
const AGENTS: Record<string, { adapter: AgentAdapter; event: string; call(input: unknown): object }> = {
  codex: {
    adapter: codex,
    event: 'PreToolUse',
    call: tool_input => ({ session_id: 's1', tool_name: 'request_user_input', tool_input }),
  },
  gemini: {
    adapter: gemini,
    event: 'BeforeTool',
    call: tool_input => ({ session_id: 's1', tool_name: 'ask_user', tool_input }),
  },
  copilot: {
    adapter: copilot,
    event: 'preToolUse',
    call: toolArgs => ({ sessionId: 's1', toolName: 'ask_user', toolArgs }),
  },
}

const actionOf = (agent: string, input: unknown): unknown => {
  const { adapter, event, call } = AGENTS[agent] ?? AGENTS.codex ?? expect.fail(agent)
  const decoded = adapter.decode(call(input), event)
  return 'event' in decoded && decoded.event.type === 'ToolRequested' ? decoded.event.action : decoded
}

describe('what an agent asks before its own dialog', () => {
  test.each<[string, string, unknown, Partial<AskedQuestion>[]]>([
    [
      'codex',
      'a choice and a text',
      { questions: [{ id: 'a', header: 'DB', question: 'Which?', options: OPTIONS }, { question: 'Name?' }] },
      [
        {
          id: 'Which?',
          kind: 'choice',
          name: 'DB',
          choices: CHOICES as AskedQuestion['choices'],
          ownWords: true,
        },
        { id: 'Name?', kind: 'text' },
      ],
    ],
    [
      'gemini',
      'all its types',
      {
        questions: [
          { question: 'Which?', type: 'choice', options: OPTIONS },
          { question: 'Which ones?', type: 'choice', multiSelect: true, options: OPTIONS },
          { question: 'Sure?', type: 'yesno' },
          { question: 'Name?', type: 'text' },
        ],
      },
      [
        { kind: 'choice', choices: CHOICES as AskedQuestion['choices'] },
        { kind: 'multi-choice' },
        {
          kind: 'choice',
          choices: [
            { value: 'Yes', label: 'Yes' },
            { value: 'No', label: 'No' },
          ],
        },
        { kind: 'text' },
      ],
    ],
    [
      'copilot',
      'a form',
      {
        message: 'Storage:',
        requestedSchema: {
          properties: {
            db: {
              type: 'string',
              title: 'Which?',
              enum: ['pg', 'lite'],
              enumNames: ['PG (Recommended)', 'Lite'],
            },
            others: { type: 'array', items: { type: 'string', enum: ['a', 'b'] } },
            sure: { type: 'boolean' },
            name: { type: 'string' },
          },
          required: ['db'],
        },
      },
      [
        {
          id: 'db',
          text: 'Storage:\nWhich?',
          kind: 'choice',
          choices: [
            { value: 'pg', label: 'PG (Recommended)', recommended: true },
            { value: 'lite', label: 'Lite' },
          ],
        },
        { id: 'others', kind: 'multi-choice', optional: true },
        { id: 'sure', kind: 'yes-no', optional: true },
        { id: 'name', kind: 'text', optional: true },
      ],
    ],
    [
      'copilot',
      'one question of an older version',
      { question: 'Which?', choices: ['Postgres', 'SQLite'], allow_freeform: false },
      [{ id: 'Which?', kind: 'choice' }],
    ],
  ])('%s: %s', (agent, _, input, questions) => {
    expect(actionOf(agent, input)).toMatchObject({ kind: 'question', beforeDialog: true, questions })
  })

  test.each(['codex', 'gemini'])('%s: two equal questions are left to its own dialog', agent => {
    const same = { question: 'Which?', type: 'choice', options: OPTIONS }
    expect(actionOf(agent, { questions: [same, same] })).toEqual({ kind: 'other' })
  })

  test.each(Object.keys(AGENTS))('%s: any input is a question or left alone', agent => {
    fc.assert(
      fc.property(fc.jsonValue(), input => {
        const { kind } = actionOf(agent, { questions: input, requestedSchema: input, message: 'x' }) as {
          kind: string
        }
        expect(['question', 'other']).toContain(kind)
      }),
    )
  })
})

describe('the answer of a person', () => {
  const answer = { accepted: true, replies: [{ question: 'Which?', chosen: ['a', 'b'], words: ' say "c" ' }] }

  test.each(Object.entries(AGENTS))(
    '%s: stops the tool and is its text; a rule that denies is stronger',
    (_, { adapter, event }) => {
      const allowed = { permission: { decision: 'allow' as const, reason: 'a question' }, answer }
      const said = JSON.stringify(adapter.encode(allowed, event))
      expect(said).toContain('"deny"')
      expect(said).toContain(JSON.stringify(answerText(answer)).slice(1, -1))
      const denied = { permission: { decision: 'deny' as const, reason: 'a rule of yours' }, answer }
      expect(JSON.stringify(adapter.encode(denied, event))).toContain('a rule of yours')
    },
  )

  test('says that it is one, or that the person declined', () => {
    expect(answerText(answer)).toMatch(/not an error.*\n"Which\?"="a, b, say \\"c\\""$/s)
    expect(answerText({ accepted: false, comment: 'Ann declined to answer' })).toMatch(
      /^Ann declined to answer\. /,
    )
  })
})
