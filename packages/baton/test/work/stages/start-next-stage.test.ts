import { expect, it } from 'vitest'
import type { DueStage } from '../../../src/work/stages/stage-memory.ts'
import { until } from '../../world/wait.ts'
import { stageWorld } from './world.ts'

it('A stage that is still starting is neither failed nor started twice', async () => {
  await using world = stageWorld()
  const { promise: slow, resolve } = Promise.withResolvers<void>()
  let starts = 0
  world.ports.start = async () => {
    starts++
    await slow
    return { place: '%9 /tmp/x', attach: 'tmux attach' }
  }
  const pass = {
    project: world.project,
    workId: 'auth-system',
    target: 'PAW-03A Implementer',
    stage: 'implement',
    at: world.ports.now(),
    state: 'due',
    tries: 0,
  } as DueStage
  const { memory } = world.ports
  await memory.keep(pass)
  await world.stages.passing.tick()
  await until(() => starts === 1, { what: 'the start' })
  world.later(10 * 60_000)
  await world.stages.passing.tick()
  expect(world.told).toEqual([])
  expect((await memory.pass(pass.project, pass.workId))?.state).toBe('begun')
  resolve()
  await until(() => world.told.length > 0, { what: 'its beginning' })
  expect(world.told[0]).toContain('has started')
  expect(starts).toBe(1)
})
