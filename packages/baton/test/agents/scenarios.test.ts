import { expect, test } from 'vitest'
import { claudeCode } from '../world/agents/claude.ts'
import { codex } from '../world/agents/codex.ts'
import { pi } from '../world/agents/pi.ts'
import { BEHAVIOURS, tryAgent } from './scenarios.ts'

// These three in every run; `npm run test:agents` tries all of them.
test.each([claudeCode, codex, pi])(
  '$name does under Baton all that is wanted of it',
  async agent => {
    const outcomes = await tryAgent(agent)
    expect(outcomes).toEqual(Object.fromEntries(BEHAVIOURS.map(behaviour => [behaviour, 'works'])))
  },
  180_000,
)
