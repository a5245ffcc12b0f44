import { describe, expect, test } from 'vitest'
import { adapter } from '../../../src/adapters/agents/copilot/adapter.ts'
import { agentContract } from '../../contracts/agent.contract.ts'
import { recorded } from './recorded.ts'

agentContract({ adapter, fixtures: 'copilot', scopes: ['user', 'project'], entries: 'flat' })

describe('what Copilot CLI says', () => {
  const parent = 'b9d2a31a-24f9-46ed-bc6f-8212664a7b62'
  test.each([
    ['session-start', { type: 'SessionStarted', source: 'startup', nativeSession: parent }],
    ['user-prompt-submitted', { type: 'PromptSubmitted', prompt: 'do' }],
    ['pre-tool-use', { tool: 'task', action: { kind: 'agent', description: 'count files' } }],
    // A subagent's stop is not the session's.
    ['agent-stop.subagent', { type: 'TurnEnded', nativeSession: parent, subagent: { type: 'explore' } }],
    ['pre-tool-use.subagent', { nativeSession: parent, action: { kind: 'shell', command: 'echo sub' } }],
    ['permission-request', { type: 'PermissionAsked', action: { kind: 'shell', command: 'exit 3' } }],
    ['post-tool-use-failure', { type: 'ToolFinished', failed: true }],
    ['error-occurred', { type: 'TurnFailed', error: 'Error' }],
    ['session-end', { type: 'SessionEnded', reason: 'complete' }],
  ])('%s', (name, event) => {
    expect(adapter.decode(recorded('copilot', name), undefined)).toMatchObject({ event })
  })

  test('arguments that come as JSON inside a text are read, too', () => {
    const payload = { ...recorded('copilot', 'pre-tool-use'), toolName: 'bash', toolArgs: '{"command":"ls"}' }
    expect(adapter.decode(payload, undefined)).toMatchObject({
      event: { action: { kind: 'shell', command: 'ls' } },
    })
  })
})
