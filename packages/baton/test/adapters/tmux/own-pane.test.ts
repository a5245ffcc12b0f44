import { expect, it } from 'vitest'
import { systemAncestry } from '../../../src/adapters/system/ancestry.ts'
import { runsInPane } from '../../../src/adapters/tmux/own-pane.ts'
import { until } from '../../world/wait.ts'
import { tmuxWorld } from './world.ts'

it('A process runs in a pane only if the pane’s own program started it', async () => {
  await using world = tmuxWorld()
  const parts = { ancestry: systemAncestry, env: process.env, elapsed: () => performance.now() }
  const place = (
    id: string = world.tmux('new-session', '-d', '-P', '-F', '#{pane_id}', 'sh -c "sleep 60; :"').trim(),
  ) => `${id} ${world.socket}`
  const [mine, other] = [place(), place()]
  const pidOf = (at: string) =>
    Number(world.tmux('display-message', '-p', '-t', at.split(' ')[0] ?? '', '#{pane_pid}'))
  const pid = pidOf(mine)
  expect(await runsInPane(mine, pid, parts)).toBe(true)
  expect(await runsInPane(other, pid, parts)).toBe(false)
  // A process of that number may be anywhere: this one is not below any pane.
  expect(await runsInPane(mine, process.pid, parts)).toBe(false)
  expect(await runsInPane(mine, 999_999_999, parts)).toBe(false)
  expect(await runsInPane(place('%99'), pid, parts)).toBe(false)
  expect(await runsInPane(`%0 ${world.folder}/none`, pid, parts)).toBe(false)
  expect(await runsInPane('hosted 0123', pid, parts)).toBe(false)
  const { execFileSync } = await import('node:child_process')
  const child = await until(
    () => {
      try {
        return (
          Number(execFileSync('ps', ['-o', 'pid=', '--ppid', String(pid)], { encoding: 'utf8' })) || undefined
        )
      } catch {
        return undefined
      }
    },
    { what: 'its child' },
  )
  expect(await runsInPane(mine, Number(child), parts)).toBe(true)
})
