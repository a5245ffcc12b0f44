import { expect, test } from 'vitest'
import { claudeCode } from '../world/agents/claude.ts'
import { codex } from '../world/agents/codex.ts'
import { pi } from '../world/agents/pi.ts'
import { cross } from './crossing.ts'
import { EVERY_RUN, tryAgent } from './scenarios.ts'

// These three in every run; `npm run test:agents` tries all of them.
const THREE = [claudeCode, codex, pi]

test('a handoff crosses from each to each other', { timeout: 180_000 }, async () => {
  const crossings = await cross(THREE)
  expect(crossings.map(({ from, to, seen }) => `${from} to ${to}: ${seen}`)).toEqual(
    THREE.flatMap(({ name: from }) =>
      THREE.flatMap(({ name: to }) => (from === to ? [] : `${from} to ${to}: works`)),
    ),
  )
})

test.each(THREE)(
  '$name does under Baton all that is wanted of it',
  async agent => {
    const outcomes = await tryAgent(agent, [])
    expect(outcomes).toMatchObject(Object.fromEntries(EVERY_RUN.map(behaviour => [behaviour, 'works'])))
  },
  180_000,
)
