import { compose } from '../../src/compose.ts'
import { openStateFolder } from '../../src/config/state-folder.ts'
import { type Daemon, runDaemon } from '../../src/daemon/daemon.ts'
import { takeLock } from '../../src/store/lock.ts'
import type { HookWorld } from '../hook/world.ts'

/** The real daemon in this process, for tests in which time does not matter. */
export async function servingDaemon({
  folder: { dir },
  home,
}: Pick<HookWorld, 'folder' | 'home'>): Promise<Daemon & AsyncDisposable> {
  const folder = openStateFolder(dir)
  const lock = takeLock(folder.lock, 0)
  if (!lock) throw new Error('another daemon runs here')
  const baton = await compose({ folder, env: { HOME: home }, home })
  const daemon = await runDaemon(baton, folder, lock, '0.0.0')
  return {
    ...daemon,
    async [Symbol.asyncDispose]() {
      daemon.stop('stopped')
      await daemon.ended
    },
  }
}
