import { expect, it } from 'vitest'
import { workflowPrompt } from '../../src/hook/start-workflow.ts'
import { scratch } from '../world/scratch.ts'

it.each([
  ['claude', '/baton:issue-to-impl 42'],
  ['claude-code', '/baton:issue-to-impl 42'],
  // Without the blank, these would look for a command of their own.
  ['codex', ' /issue-to-impl 42'],
  ['opencode', ' /issue-to-impl 42'],
])('%s gets the prompt %j', async (agent, prompt) => {
  await using folder = scratch('bw-')
  const start = { agent, workflow: 'issue-to-impl', words: '42' }
  expect(workflowPrompt(start, folder.path, folder.path)).toBe(prompt)
})
