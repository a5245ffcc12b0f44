import { join } from 'node:path'
import { BatonError } from '@batonpass/contract/errors'
import { openJobQueue } from '../adapters/pg-boss/job-queue.ts'
import { type OwnPostgres, ownPostgres } from '../adapters/pg-boss/own-postgres.ts'
import { findQueuePackages } from '../adapters/pg-boss/queue-packages.ts'
import type { JobQueue } from '../ports/job-queue.ts'
import type { Ground } from './ground.ts'

/** The queue's database: the user's own, or one that Baton starts and stops. Opened once, when it is needed. */
export function queueDatabase({ stateDir, machine }: Ground) {
  let opened: Promise<JobQueue> | undefined
  let own: OwnPostgres | undefined
  let hasEnded = false
  const url = () => machine().config.fleet.postgres

  async function open(): Promise<JobQueue> {
    // What still runs while the daemon stops must not start the database again.
    if (hasEnded) throw new BatonError('daemon_busy', 'The daemon is stopping')
    const found = findQueuePackages(stateDir)
    if (!found || (!url() && !found.postgres))
      throw new BatonError('missing_tool', 'What keeps the queue is not installed', {
        remedy: 'Run `baton fleet up`, which fetches it.',
      })
    if (!url())
      own ??= ownPostgres({ folder: join(stateDir, 'fleet', 'postgres'), native: found.postgres ?? '' })
    return openJobQueue(url() || ((await own?.start()) ?? ''), found.boss)
  }

  async function close(): Promise<void> {
    const queue = await opened?.catch(() => undefined)
    opened = undefined
    await queue?.close()
    await own?.stop()
  }

  return {
    kind: () => (url() ? ('fleet.postgres' as const) : ('own' as const)),
    open(): Promise<JobQueue> {
      opened ??= open().catch(cause => {
        opened = undefined
        throw cause
      })
      return opened
    },
    close,
    async end(): Promise<void> {
      hasEnded = true
      await close()
    },
  }
}
