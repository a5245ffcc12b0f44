import type { EntryBody } from '@batonpass/contract/journal'
import type { Session } from '@batonpass/contract/session'
import type { Asks } from '../ask/asks.ts'
import type { PageChannel } from '../ask/page-channel.ts'
import type { PresenceKeeper } from '../ask/presence.ts'
import type { Boards } from '../claim/boards.ts'
import type { Claims } from '../claim/claims.ts'
import type { ConfigKeeper } from '../config/keeper.ts'
import type { Intake } from '../engine/intake.ts'
import type { Cycles } from '../handoff/cycle/cycles.ts'
import type { JournalListeners } from '../journal/live.ts'
import type { ChannelMemory } from '../ports/ask-store.ts'
import type { Clock } from '../ports/clock.ts'
import type { ToolServer } from '../ports/driver.ts'
import type { Reactor } from '../ports/reactor.ts'
import type { Store } from '../ports/store.ts'
import type { Proofs } from '../proof/proofs.ts'
import type { Pauses } from '../session/pauses.ts'
import type { Dashboard } from '../views/dashboard.ts'
import type { FleetKeeper } from './fleet-keeper.ts'
import type { GroundOptions } from './ground.ts'
import type { Maintenance } from './maintenance.ts'
import type { Sessions } from './sessions.ts'
import type { StagedWork } from './stage.ts'
import type { ComposedWholeAgents } from './whole-agents.ts'

export interface ComposeOptions extends GroundOptions {
  /** How to start `baton mcp` from this installation, which may not be on an agent's PATH. */
  toolServer?: ToolServer
  /** How to start this installation's `baton`. Default: the one on the PATH. */
  ownProgram?: readonly string[]
  /** The folder of this installation's programs. */
  programFolder?: string
  /** How to start a workflow in an agent, for the fleet. */
  startWorkflow?: StartWorkflow
  /** Added to the product's own reactors; used by tests. */
  reactors?: readonly Reactor[]
}

export type StartWorkflow = (
  agent: string,
  workflow: string,
  words: string,
  project: string,
) => { prompt: string; args: string[] }

/** Everything that runs. `compose` is the only place where adapters and engine are connected. */
export interface Baton extends Maintenance {
  intake: Intake
  /** Agents that run in the sandbox as a whole. Undefined in a process that handles a single call. */
  contained: Pick<ComposedWholeAgents, 'agents' | 'contain' | 'callerOf' | 'listensWith'> | undefined
  store: Store
  asks: Asks
  /** Whether the person is away. */
  presence: PresenceKeeper
  /** The sessions that Baton watches. */
  sessions: Sessions
  /** Gives a session the name that a person chose. */
  rename(session: Session['id'], name: string): Promise<void>
  claims: Claims
  boards: Boards
  /** The queue and its workers; nothing of it is loaded before it is used. */
  fleet: FleetKeeper
  /** Undefined in a process that handles a single call. */
  cycles: Cycles | undefined
  /** The checks of finished work. Undefined in a process that handles a single call. */
  proofs: Proofs | undefined
  /** A person takes a run as it is, although it is not proven. */
  acceptRun(wanted: string, who: string): Promise<{ end?: { reason: string } | undefined }>
  /** What the dashboard reads. */
  dashboard: Dashboard
  /** The open dashboard pages. */
  pages: PageChannel
  /** The open editor windows. */
  editors: PageChannel
  /** Where a person paused Baton. */
  pauses: Pauses
  /** Stored logins of browsers and editors. */
  browsers: ChannelMemory
  live: JournalListeners
  /** Work items, their stages and tools. */
  work: StagedWork
  clock: Clock
  /** The configured loopback port; undefined if the user set none. */
  port: number | undefined
  /** Sets the loopback port in use, which agents may not access. */
  listensOn(port: number): void
  config: ConfigKeeper
  /** Journals an entry that belongs to no session. */
  note(body: EntryBody): Promise<void>
  /** Finds out whether commands can be contained here, and takes over the sandboxes of a previous daemon. */
  startSandbox(): Promise<void>
  /** Runs periodic work every few seconds, such as continuing after a usage limit. */
  tick(): Promise<void>
  fault(during: string, cause: unknown): void
  /** `leave`: hosted sessions stay for the next daemon to resume. */
  close(hosted?: 'end' | 'leave'): Promise<void>
}
