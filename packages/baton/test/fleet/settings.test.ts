import { expect, test } from 'vitest'
import type { FleetSettings } from '../../src/fleet/job-record.ts'
import { SettingsKeeper } from '../../src/fleet/settings.ts'

test('changes at the same time are all kept: the mode, and each project', async () => {
  let stored: FleetSettings | undefined
  const writes: (() => void)[] = []
  const file = {
    read: async () => stored,
    write: (next: FleetSettings) =>
      new Promise<void>(done => {
        writes.push(() => {
          stored = next
          done()
        })
      }),
  }
  const settings = new SettingsKeeper(file, { id: () => 'here' })
  const changes = Promise.all([
    settings.update(known => ({ ...known, mode: 'up' })),
    settings.addProject('h/a/one', '/one'),
    settings.update(known => ({ ...known, mode: 'paused' })),
    settings.addProject('h/a/two', '/two'),
    // Nothing changes: nothing is written.
    settings.addProject('h/a/two', '/two'),
  ])
  for (let written = 0; written < 4; written++) {
    await expect.poll(() => writes.length).toBe(1)
    writes.pop()?.()
  }
  await changes
  expect(stored).toMatchObject({ mode: 'paused', projects: { 'h/a/one': '/one', 'h/a/two': '/two' } })
  expect(await settings.read()).toEqual(stored)
  expect(writes).toEqual([])
})
