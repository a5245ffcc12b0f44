import type { Config } from '@batonpass/contract/config'
import type { Session } from '@batonpass/contract/session'
import type { HealthEntry, SpawnEntry } from '@batonpass/contract/watch'
import type { News } from '../../ports/channel.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Driver } from '../../ports/driver.ts'
import type { Ids } from '../../ports/ids.ts'
import type { Processes } from '../../ports/processes.ts'
import type { WatchStore } from '../../ports/watch-store.ts'
import type { Subject } from './subjects.ts'

/** Everything that watching sessions needs of the world. */
export interface WatchParts {
  store: WatchStore
  /** Those that have not ended, as far as their hooks told. */
  liveSessions(): Promise<readonly Session[]>
  /** One of them can only be over, although it said no goodbye. */
  lost(session: Session, why: string): Promise<void>
  drivers: readonly Driver[]
  processes: Processes
  /** Baton's own process, which is nobody's child. */
  self: number
  clock: Clock
  ids: Ids
  configOf(project: string | undefined): Promise<Pick<Config, 'health' | 'watch'>>
  journal(
    about: Pick<Subject, 'id' | 'agent' | 'project'> & { nativeSession?: string | undefined },
    entry: HealthEntry | SpawnEntry,
  ): Promise<void>
  tell(news: News): Promise<void>
  /** Takes secrets out of what a screen showed. */
  redact<T>(value: T): T
  /** With `digest`, nothing of what a screen showed is kept. */
  content(): 'full' | 'digest'
  fault(during: string, cause: unknown): void
}
