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

/** The dependencies of the watch. */
export interface WatchParts {
  store: WatchStore
  /** Sessions that have not ended, according to their hooks. */
  liveSessions(): Promise<readonly Session[]>
  /** Ends a session that is certainly over although it sent no SessionEnd. */
  lost(session: Session, why: string): Promise<void>
  /** Sessions in which an agent waits for a person's answer. */
  asking(): ReadonlySet<string>
  drivers: readonly Driver[]
  processes: Processes
  /** The pid of the daemon, which does not count as a session's child. */
  self: number
  clock: Clock
  ids: Ids
  configOf(project: string | undefined): Promise<Pick<Config, 'health' | 'watch'>>
  journal(
    about: Pick<Subject, 'id' | 'agent' | 'project'> & { nativeSession?: string | undefined },
    entry: HealthEntry | SpawnEntry,
  ): Promise<void>
  tell(news: News): Promise<void>
  /** Removes secrets from a screen's text. */
  redact<T>(value: T): T
  /** With `digest`, no text of a screen is stored. */
  content(): 'full' | 'digest'
  fault(during: string, cause: unknown): void
}
