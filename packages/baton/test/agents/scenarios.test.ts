import { expect, test } from 'vitest'
import { claudeCode } from '../world/agents/claude.ts'
import { codex } from '../world/agents/codex.ts'
import { pi } from '../world/agents/pi.ts'
import { cross } from './handoff-between-agents.ts'
import { EVERY_RUN, tryAgent } from './scenarios.ts'
import { IN_A_TERMINAL } from './terminal.ts'

// These three in every run, two of them in a terminal and as reviewers, too; `npm run test:agents` tries all of everything.
const THREE = [claudeCode, codex, pi]
const TYPED_INTO = [codex, pi]

test('a handoff crosses from each to each other', { timeout: 360_000 }, async () => {
  const crossings = await cross(THREE)
  expect(crossings.map(({ from, to, seen }) => `${from} to ${to}: ${seen}`)).toEqual(
    THREE.flatMap(({ name: from }) =>
      THREE.flatMap(({ name: to }) => (from === to ? [] : `${from} to ${to}: works`)),
    ),
  )
})

test.each(THREE)(
  '$name does everything expected of it under Baton',
  async agent => {
    const typedInto = TYPED_INTO.includes(agent)
    const outcomes = await tryAgent(agent, typedInto ? ['review', 'terminal'] : [])
    const wanted = typedInto ? [...EVERY_RUN, 'review', ...IN_A_TERMINAL] : EVERY_RUN
    expect(outcomes).toMatchObject(Object.fromEntries(wanted.map(behaviour => [behaviour, 'works'])))
  },
  180_000,
)
