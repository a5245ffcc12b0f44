import type { Config } from '@batonpass/contract/config'
import type { Cycle, CycleEntry } from '@batonpass/contract/cycle'
import type { HandoffLedger } from '@batonpass/contract/handoff'
import type { Session } from '@batonpass/contract/session'
import type { Asks } from '../../ask/asks.ts'
import type { Clock } from '../../ports/clock.ts'
import type { CycleStore } from '../../ports/cycle-store.ts'
import type { Driver } from '../../ports/driver.ts'
import type { Ids } from '../../ports/ids.ts'
import type { IsPaused } from '../../ports/is-paused.ts'
import type { Timers } from '../../ports/timers.ts'
import type { ReadHandoff } from '../document/parse.ts'
import type { HandoffGeneration } from '../write/generation.ts'

/** What a cycle depends on. */
export interface CyclePorts {
  store: CycleStore
  driverAt(place: string): Driver | undefined
  documents: Pick<
    HandoffGeneration,
    'request' | 'ready' | 'writeNow' | 'settled' | 'release' | 'drop' | 'wanted'
  >
  /** A document, and its ledger if it has one. */
  read(
    project: string,
    document: string,
  ): Promise<Pick<ReadHandoff, 'document'> & { ledger?: HandoffLedger | undefined }>
  session(id: string): Promise<Session | undefined>
  /** Sessions at a place that have not reported their end. A cleared session may never report it. */
  sessionsAt(place: string): Promise<Session[]>
  /** Whether a process is running. */
  alive(pid: number): boolean
  /** Moves workflow, claim and work item to the new session. Each may be called twice for the same pair. */
  carryOver: readonly ((from: Session, to: Session) => Promise<unknown>)[]
  asks: Pick<Asks, 'ask' | 'tell'>
  config(project: string): Promise<Config>
  journal(
    about: Pick<Cycle, 'session' | 'nativeSession' | 'agent' | 'project'>,
    entry: CycleEntry,
  ): Promise<void>
  fault(during: string, cause: unknown): void
  /** A paused session's cycle waits: its timers stand still and nothing is typed. */
  paused?: IsPaused
  clock: Clock
  timers: Timers
  ids: Ids
}
