import type { AgentName } from '@batonpass/contract/event'
import type { SessionId } from '@batonpass/contract/ids'
import type { EndKind, WorkflowEntry } from '@batonpass/contract/workflow'
import type { DecodedEvent } from '../../ports/agent.ts'
import type { Driver } from '../../ports/driver.ts'
import type { Forge } from '../../ports/forge.ts'
import type { Git } from '../../ports/git.ts'
import type { Transcripts } from '../../ports/transcript.ts'
import type { Run, Runs } from './run.ts'
import type { StateFiles } from './state-files.ts'
import type { Supervisor } from './supervisor.ts'
import type { Workflow } from './workflow.ts'

/** Everything hands-off mode needs of the world. */
export interface WorkflowPorts {
  files: StateFiles
  runs: Runs
  /** The workflows that count in a project right now. */
  workflows(project: string): Promise<readonly Workflow[]>
  git: Git
  transcriptsOf(agent: AgentName): Transcripts | undefined
  /** None where no forge is configured or reachable. */
  forgeFor(project: string): Promise<Forge | undefined>
  supervisor: Supervisor | undefined
  /** Another capability answers this session's stops right now: they are no stops of a workflow and do not count. */
  busyElsewhere(session: SessionId): Promise<boolean>
  /** What can act on a session from outside, by the place where it runs. */
  driverAt(place: string): Driver | undefined
  journal(about: RunName, entry: WorkflowEntry): Promise<void>
  /** What an agent has no hook for, told in its place. */
  tell(agent: AgentName, event: DecodedEvent): Promise<unknown>
  /** Tells people of an end, beside the terminal: once for each end. */
  announce(announcement: Announcement): Promise<void>
  fault(during: string, cause: unknown): void
}

export type RunName = Pick<Run, 'session' | 'nativeSession' | 'agent' | 'project'>

export interface Announcement {
  session: SessionId
  nativeSession: string
  project: string
  workflow: string
  issue?: number | undefined
  end: EndKind
  reason: string
  /** The pull request's link. */
  pullRequest?: string | undefined
}
