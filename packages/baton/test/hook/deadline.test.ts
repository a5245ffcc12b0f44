import { expect, it } from 'vitest'
import { adapters } from '../../src/adapters/agents/registry.ts'
import { hookSeconds, hookSilence } from '../../src/hook/deadline.ts'

it('a stop waits longer for a sign of life than other calls, and never longer than the call may take', () => {
  const patient = adapters.flatMap(agent =>
    agent.hooks.flatMap(({ event }) => (hookSilence(agent, event) === 30 ? `${agent.name} ${event}` : [])),
  )
  expect(patient.sort()).toEqual([
    'claude-code Stop',
    'codex Stop',
    'copilot agentStop',
    'cursor stop',
    'gemini AfterAgent',
  ])
  for (const agent of adapters)
    for (const { event, waits } of agent.hooks) {
      const silence = hookSilence(agent, event)
      expect([3, 30]).toContain(silence)
      if (!waits) expect(silence).toBeLessThanOrEqual(hookSeconds(agent, event, 60))
    }
})
