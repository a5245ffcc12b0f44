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

it('A due stage is not started while Baton is paused, and is started once after the pause', async () => {
  await using world = stageWorld()
  world.pause(true)
  const pass = {
    project: world.project,
    workId: 'auth-system',
    target: 'PAW-03A Implementer',
    stage: 'implement',
    at: world.ports.now(),
    state: 'due',
    tries: 0,
  } as DueStage
  await world.ports.memory.keep(pass)
  await world.stages.passing.tick()
  expect(await world.stages.passing.begin(pass)).toBeUndefined()
  world.later(24 * 3_600_000)
  await world.stages.passing.tick()
  expect([world.started, world.typed, world.told]).toEqual([[], [], []])
  expect(await world.ports.memory.pass(pass.project, pass.workId)).toEqual(pass)
  world.pause(false)
  await world.stages.passing.tick()
  await until(() => world.told.length > 0, { what: 'its beginning' })
  expect(world.started).toHaveLength(1)
})

it('A pause during the wait for a busy terminal keeps the stage due and types nothing', async () => {
  await using world = stageWorld()
  const from = world.session(1, { pane: '%1 /tmp/x' })
  const pass = {
    project: world.project,
    workId: 'auth-system',
    target: 'PAW-03A Implementer',
    stage: 'implement',
    at: world.ports.now(),
    state: 'due',
    tries: 0,
    from,
  } as DueStage
  await world.ports.memory.keep(pass)
  const { handOff } = world.ports
  world.ports.handOff = async (...given) => {
    world.pause(true)
    return (await handOff?.(...given)) ?? ''
  }
  await world.stages.passing.begin(pass)
  expect([world.started, world.typed]).toEqual([[], []])
  expect(await world.ports.memory.pass(pass.project, pass.workId)).toMatchObject({ state: 'due', tries: 0 })
  world.ports.handOff = async () => ''
  world.pause(false)
  await world.stages.passing.tick()
  await until(() => world.typed.length === 2, { what: 'the prompt' })
  expect(world.typed[0]).toBe('/clear')
})

it('A stage whose session has reported is not due again, whatever the terminal said about the typing', async () => {
  await using world = stageWorld()
  const from = world.session(1, { pane: '%1 /tmp/x' })
  const pass = {
    project: world.project,
    workId: 'auth-system',
    target: 'PAW-03A Implementer',
    stage: 'implement',
    at: world.ports.now(),
    state: 'due',
    tries: 0,
    from,
  } as DueStage
  const { memory, driverAt } = world.ports
  const driver = driverAt('%1 /tmp/x')
  if (!driver) throw new Error('no driver')
  world.ports.driverAt = () => ({
    ...driver,
    async type() {
      await memory.drop(pass)
      return 'busy'
    },
  })
  await memory.keep(pass)
  await world.stages.passing.begin(pass)
  expect(await memory.pass(pass.project, pass.workId)).toBeUndefined()
  expect(world.entries.map(({ what }) => what)).not.toContain('failed')
})
