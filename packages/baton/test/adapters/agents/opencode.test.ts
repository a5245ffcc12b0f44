import type { Reaction } from '@batonpass/contract/reaction'
import { describe, expect, test } from 'vitest'
import { adapter } from '../../../src/adapters/agents/opencode/adapter.ts'
import { agentContract } from '../../contracts/agent.contract.ts'
import { recorded } from './recorded.ts'

agentContract({ adapter, fixtures: 'opencode', scopes: ['user', 'project'], entries: 'plugin' })

describe('what the plugin says', () => {
  test.each([
    ['session-start', { type: 'SessionStarted', source: 'startup' }],
    ['prompt.automatic', { type: 'PromptSubmitted', automatic: true }],
    ['tool-call.shell', { action: { kind: 'shell', command: 'npm test', cwd: '/home/dev/project' } }],
    ['tool-call.write', { action: { kind: 'write' } }],
    [
      'question',
      {
        type: 'PermissionAsked',
        tool: 'question',
        action: {
          kind: 'question',
          questions: [
            {
              id: '1',
              kind: 'choice',
              ownWords: true,
              choices: [{ recommended: true }, { value: 'SQLite' }],
            },
            { id: '2', kind: 'multi-choice', text: 'Which others?' },
          ],
        },
      },
    ],
    ['tool-result', { type: 'ToolFinished', failed: true }],
    [
      'context',
      { type: 'ContextMeasured', source: 'plugin', used: 61_200, size: 200_000, model: 'fake-model' },
    ],
    ['turn-end', { type: 'TurnEnded', continued: true, outcome: 'completed', lastMessage: 'three files' }],
    ['turn-end.aborted', { outcome: 'aborted' }],
    ['turn-error', { type: 'TurnFailed', error: 'APIError' }],
  ])('%s', (name, event) => {
    expect(adapter.decode(recorded('opencode', name), undefined)).toMatchObject({ event })
  })
})

describe('a question', () => {
  const payload = recorded('opencode', 'question')
  const answerTo = (answer: Reaction['answer']) => adapter.encode({ answer }, 'Question', false, payload)

  test('is answered in the order of the questions, with labels and own words', () => {
    const replies = [
      { question: '2', chosen: ['SQLite', 'Postgres (Recommended)'] },
      { question: '1', words: ' a text file ' },
    ]
    expect(answerTo({ accepted: true, replies })).toEqual({
      answers: [['a text file'], ['SQLite', 'Postgres (Recommended)']],
    })
  })

  test('is dismissed when the person declines, and left to the dialog without an answer', () => {
    expect(answerTo({ accepted: false, comment: 'no' })).toEqual({ dismiss: true })
    expect(adapter.encode({}, 'Question', false, payload)).toEqual({})
  })

  test('that Baton cannot show exactly is left to the dialog', () => {
    const odd = { ...payload, tool_input: { questions: [{ question: 7 }] } }
    expect(adapter.decode(odd, undefined)).toMatchObject({ event: { action: { kind: 'other' } } })
  })
})

test('a prompt that `opencode run` quoted is the person’s own again', () => {
  expect(adapter.decode(recorded('opencode', 'prompt.quoted'), undefined)).toMatchObject({
    event: { prompt: '/issue-to-impl 42' },
  })
})
