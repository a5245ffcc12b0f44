import { setImmediate as turn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { Ticks } from '../../src/compose/ticks.ts'

it('A room that hangs is not begun again, and holds up no other', async () => {
  const began: string[] = []
  const { promise: stuck, resolve } = Promise.withResolvers<void>()
  const ticks = new Ticks(
    {
      claims: () => {
        began.push('claims')
        return stuck
      },
      watch: async () => void began.push('watch'),
    },
    () => {},
  )
  for (let i = 0; i < 3; i++) {
    void ticks.tick()
    await turn()
  }
  expect(began).toEqual(['claims', 'watch', 'watch', 'watch'])
  let idle = false
  const rest = ticks.idle().then(() => {
    idle = true
  })
  await turn()
  expect(idle).toBe(false)
  resolve()
  await rest
  await ticks.tick()
  expect(began.filter(name => name === 'claims')).toHaveLength(2)
})

it('A room that fails is a fault of its own, and comes again the next time', async () => {
  const faults: string[] = []
  let times = 0
  const ticks = new Ticks(
    {
      cycles: async () => {
        times++
        throw new Error('no')
      },
    },
    during => faults.push(during),
  )
  await ticks.tick()
  await ticks.tick()
  expect(times).toBe(2)
  expect(faults).toEqual(['ticking: cycles', 'ticking: cycles'])
})
