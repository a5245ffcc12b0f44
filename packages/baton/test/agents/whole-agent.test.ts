import { expect, test } from 'vitest'
import { codex } from '../world/agents/codex.ts'
import { checkWholeAgent } from './whole-agent.ts'

// `npm run test:agents` tries the others.
test('the whole Codex runs in the sandbox, and its API key stays outside', { timeout: 240_000 }, async () => {
  expect(await checkWholeAgent(codex)).toBeUndefined()
})
