import { compose } from '../../src/compose.ts'
import { openStateFolder } from '../../src/config/state-folder.ts'
import { type Daemon, runDaemon } from '../../src/daemon/daemon.ts'
import type { Reactor } from '../../src/ports/reactor.ts'
import { takeLock } from '../../src/store/lock.ts'
import type { HookWorld } from './world.ts'

/** The real daemon in this process, with a reactor that answers tool calls late. */
export interface ServingDaemon extends AsyncDisposable, Daemon {
  /** How many calls it has held. */
  held(): number
  /** How many of them nobody waited for any more. */
  letGo(): number
}

export async function servingDaemon(
  { folder: { dir }, home }: Pick<HookWorld, 'folder' | 'home'>,
  { answerAfterMs = 0, version = '0.0.0' } = {},
): Promise<ServingDaemon> {
  let held = 0
  let letGo = 0
  const late: Reactor = {
    name: 'permission',
    react(event) {
      if (event.type !== 'ToolRequested' || answerAfterMs === 0) return undefined
      held++
      const run = (signal: AbortSignal) =>
        new Promise<{ permission: { decision: 'deny'; reason: string } }>(resolve => {
          const timer = setTimeout(
            () => resolve({ permission: { decision: 'deny', reason: 'said late' } }),
            answerAfterMs,
          )
          signal.addEventListener('abort', () => {
            letGo++
            clearTimeout(timer)
          })
        })
      return { later: { run, otherwise: {}, withinMs: 600_000 } }
    },
  }
  const folder = openStateFolder(dir)
  const lock = takeLock(folder.lock, 0)
  if (!lock) throw new Error('another daemon runs here')
  const baton = await compose({ folder, env: { HOME: home }, home, reactors: [late] })
  const daemon = await runDaemon(baton, folder, lock, version)
  return {
    ...daemon,
    held: () => held,
    letGo: () => letGo,
    async [Symbol.asyncDispose]() {
      daemon.stop('stopped')
      await daemon.ended
    },
  }
}
