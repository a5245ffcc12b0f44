import { existsSync, rmSync } from 'node:fs'
import { expect, it } from 'vitest'
import { compose } from '../../src/compose.ts'
import { openStateFolder } from '../../src/config/state-folder.ts'
import { runDaemon } from '../../src/daemon/daemon.ts'
import { takeLock } from '../../src/store/lock.ts'
import { hookWorld } from '../hook/world.ts'
import { startedDaemon } from './process-world.ts'

it('A daemon lets go of its lock and socket even when something cannot be closed', async () => {
  await using world = hookWorld()
  const folder = openStateFolder(world.folder.dir)
  const lock = takeLock(folder.lock, 0)
  if (!lock) throw new Error('another daemon runs here')
  const { home } = world
  const baton = await compose({ folder, env: { HOME: home }, home })
  const close = async (hosted?: 'end' | 'leave') => {
    await baton.close(hosted)
    throw new Error('the database did not answer')
  }
  const daemon = await runDaemon({ ...baton, close }, folder, lock, '0.0.0')
  daemon.stop('stopped')
  await daemon.ended
  expect(existsSync(folder.socket)).toBe(false)
  const next = takeLock(folder.lock, 0)
  expect(next).toBeDefined()
  next?.release()
})

it('A daemon ends when its folder is removed, and leaves alone what stands there since', async () => {
  await using world = hookWorld()
  const first = await startedDaemon(world)
  // The daemon may still write into it.
  rmSync(world.folder.dir, { recursive: true, maxRetries: 20, retryDelay: 50 })
  const second = await startedDaemon(world)
  expect(await first.ended).toBe(0)
  expect(existsSync(world.folder.socket)).toBe(true)
  second.child.kill('SIGTERM')
  expect(await second.ended).toBe(0)
})
