import { describe, expect, test } from 'vitest'
import { adapter } from '../../../src/adapters/agents/pi/adapter.ts'
import { agentContract } from '../../contracts/agent.contract.ts'
import { recorded } from './recorded.ts'

agentContract({ adapter, fixtures: 'pi', scopes: ['user', 'project'], entries: 'plugin' })

describe('what the plugin says', () => {
  test.each([
    ['session-start', { type: 'SessionStarted', source: 'startup' }],
    ['prompt.automatic', { type: 'PromptSubmitted', automatic: true }],
    ['tool-call.shell', { action: { kind: 'shell', command: 'npm test', cwd: '/home/dev/project' } }],
    ['tool-call.write', { action: { kind: 'write' } }],
    ['tool-result', { type: 'ToolFinished', failed: true }],
    [
      'context',
      { type: 'ContextMeasured', source: 'plugin', used: 61_200, size: 200_000, model: 'fake-model' },
    ],
    ['turn-end', { type: 'TurnEnded', continued: true, outcome: 'completed', lastMessage: 'three files' }],
    ['turn-end.aborted', { outcome: 'aborted' }],
    ['session-end', { type: 'SessionEnded', reason: 'quit' }],
    ['session-end.new', { type: 'SessionEnded', reason: 'clear' }],
    ['turn-error', { type: 'TurnFailed', error: 'APIError' }],
  ])('%s', (name, event) => {
    expect(adapter.decode(recorded('pi', name), undefined)).toMatchObject({ event })
  })
})
