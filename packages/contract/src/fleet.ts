import { z } from 'zod'
import { AgentName } from './event.ts'
import { PsRow } from './watch.ts'

const issue = z.number().int().positive()
const folder = z.string().min(1).max(4096)
export const MAX_PRIORITY = 100
const priority = z.number().int().min(-MAX_PRIORITY).max(MAX_PRIORITY)

/** What a job of the queue is about. */
export const JobData = z.object({
  /** `host/owner/name`, lower case. */
  repository: z.string().min(1).max(400),
  /** The clone in which the job was added: it says where the remote is and which settings apply. */
  project: folder,
  issue,
  priority,
  /** The agent that a person chose for it. */
  agent: AgentName.optional(),
  /** The issue's labels when it was added. */
  labels: z.array(z.string().max(200)).max(100).optional(),
  /** When it was added for the first time. */
  addedAt: z.iso.datetime().optional(),
  /** The machine that took it. */
  machine: z.string().optional(),
})
export type JobData = z.infer<typeof JobData>

/** Why a job failed, and where to look. */
export const JobEvidence = z.object({
  reason: z.string(),
  at: z.string(),
  clone: z.string().optional(),
  session: z.string().optional(),
  proof: z.string().optional(),
})
export type JobEvidence = z.infer<typeof JobEvidence>

/**
 * `waiting`: in the queue. `working`: an agent works on it. `review`: its pull request is open. `failed`: it failed twice and
 * waits for a person.
 */
export const JobState = z.enum(['waiting', 'working', 'review', 'failed'])
export type JobState = z.infer<typeof JobState>

export const JobView = z.object({
  id: z.string(),
  repository: z.string(),
  project: z.string(),
  issue,
  state: JobState,
  priority,
  agent: z.string().optional(),
  /** How often it failed so far. */
  failures: z.number().int().nonnegative(),
  addedAt: z.string(),
  /** Before this moment Baton does not take it. */
  notBefore: z.string().optional(),
  /** What it waits for, or why it failed. */
  reason: z.string().optional(),
  clone: z.string().optional(),
  terminal: z.string().optional(),
  pullRequest: z.string().optional(),
  evidence: JobEvidence.optional(),
  /** The name of the other machine that works on it, or follows its pull request. */
  machine: z.string().optional(),
})
export type JobView = z.infer<typeof JobView>

export const QueueList = z.object({ jobs: z.array(JobView) })

/** POST /api/queue */
export const QueueAdd = z.object({
  project: folder,
  issue,
  priority: priority.default(0),
  agent: AgentName.optional(),
})
export type QueueAdd = z.infer<typeof QueueAdd>

/** POST /api/queue/watch: whether issues of a repository become jobs by their label or column. */
export const QueueWatch = z.object({ project: folder, on: z.boolean() })
export type QueueWatch = z.infer<typeof QueueWatch>

/** A repository whose issues become jobs by themselves. */
export const SourceView = z.object({
  repository: z.string(),
  project: z.string(),
  /** Empty: labels do not count. */
  label: z.string(),
  /** Empty: the board does not count. */
  column: z.string(),
  /** Why it could not be read the last time. */
  problem: z.string().optional(),
})
export type SourceView = z.infer<typeof SourceView>

export const SourceList = z.object({ sources: z.array(SourceView) })

export const QueueAdded = z.object({ job: JobView, fresh: z.boolean() })

/** POST /api/queue/remove and /api/queue/retry */
export const QueueChange = z.object({ project: folder, issue })
export type QueueChange = z.infer<typeof QueueChange>

export const QueueChanged = z.object({ job: JobView, note: z.string().optional() })

export const FleetMode = z.enum(['down', 'up', 'paused', 'draining'])
export type FleetMode = z.infer<typeof FleetMode>

/** POST /api/fleet */
export const FleetOrder = z.discriminatedUnion('mode', [
  z.object({
    mode: z.literal('up'),
    slots: z.number().int().min(1).max(64).optional(),
    agents: z.array(AgentName).min(1).max(10).optional(),
    /** Clones on this machine whose repositories it works on. */
    projects: z.array(folder).max(100).optional(),
  }),
  z.object({ mode: z.enum(['paused', 'draining', 'down']) }),
])
export type FleetOrder = z.infer<typeof FleetOrder>

/**
 * `waiting`: for its turn, its checks or a person. `merging`: Baton brings it up to date, proves and merges it. `author`: its
 * agent has to change something first.
 */
export const MergeView = z.object({
  repository: z.string(),
  issue,
  pullRequest: z.string(),
  base: z.string(),
  state: z.enum(['waiting', 'merging', 'author']),
  /** What happens or is missing. */
  note: z.string(),
  /** Since when it is ready; the oldest comes first. */
  since: z.string(),
})
export type MergeView = z.infer<typeof MergeView>

/** Issues whose branches change the same files. */
export const Overlap = z.object({
  repository: z.string(),
  issues: z.array(issue),
  files: z.array(z.string()),
})
export type Overlap = z.infer<typeof Overlap>

/** An issue of the fleet whose pull request was merged. */
export const MergedJob = z.object({
  repository: z.string(),
  issue,
  /** When the issue was added to the queue. */
  addedAt: z.iso.datetime().optional(),
  mergedAt: z.iso.datetime(),
})
export type MergedJob = z.infer<typeof MergedJob>

const amount = z.number().nonnegative()
const spending = z.object({ tokens: amount, money: amount, hours: amount })
/** What the workflows of a machine have used today, and what they may use in a day. */
export const DayBudget = z.object({ used: spending, limits: spending.partial() })
export type DayBudget = z.infer<typeof DayBudget>

/** A session of the fleet, as its machine tells the others. */
export const FleetSession = PsRow.pick({
  id: true,
  by: true,
  agent: true,
  project: true,
  title: true,
  name: true,
  state: true,
  startedAt: true,
  lastActivityAt: true,
  context: true,
  workflow: true,
})
export type FleetSession = z.infer<typeof FleetSession>

/** What a machine tells the others about itself. */
export const MachineReport = z.object({
  mode: FleetMode,
  slots: z.number().int(),
  busy: z.number().int(),
  agents: z.array(z.string()),
  /** The sessions of its jobs. */
  sessions: z.array(FleetSession).max(200),
  /** Its merge queue, in its order. */
  merges: z.array(MergeView).max(200),
  /** The files that the branches of its jobs change. */
  changes: z
    .array(z.object({ repository: z.string(), issue, files: z.array(z.string()).max(200) }))
    .max(200)
    .default([]),
  budget: DayBudget.optional(),
})
export type MachineReport = z.infer<typeof MachineReport>

/** A machine of the fleet. */
export const MachineView = MachineReport.extend({
  id: z.string(),
  name: z.string(),
  isHere: z.boolean(),
  /** By the clock of the database: it has reported within `fleet.lease_minutes`. */
  isAlive: z.boolean(),
  until: z.string(),
  /** False: it reports, but was removed or never joined. The others do not count on it. */
  isMember: z.boolean(),
})
export type MachineView = z.infer<typeof MachineView>

/** A machine that belongs to the fleet, whether it works or not. */
export const MemberView = z.object({
  id: z.string(),
  name: z.string(),
  /** Its public key. */
  key: z.string(),
  isHere: z.boolean(),
  isFounder: z.boolean(),
})
export type MemberView = z.infer<typeof MemberView>

/** POST /api/fleet/token answers with this. */
export const FleetToken = z.object({ token: z.string(), until: z.string() })
/** POST /api/fleet/join */
export const FleetJoin = z.object({ token: z.string().min(1).max(500) })
/** POST /api/fleet/remove: a machine by its name, id or key. */
export const FleetRemove = z.object({ machine: z.string().min(1).max(200) })

export const FleetStatus = z.object({
  mode: FleetMode,
  slots: z.number().int(),
  busy: z.number().int(),
  agents: z.array(AgentName),
  perRepository: z.number().int(),
  /** Which database keeps the queue. */
  database: z.enum(['own', 'fleet.postgres']),
  /** Why the fleet cannot work at the moment. */
  problem: z.string().optional(),
  /** Why no job starts although it could: quota or budget. */
  waits: z.string().optional(),
  jobs: z.array(JobView),
  sources: z.array(SourceView),
  /** Every machine that shares `fleet.postgres`; empty without it. */
  machines: z.array(MachineView),
  /** Every machine that joined, as of the last look; empty without `fleet.postgres`. */
  members: z.array(MemberView),
  /** The merge queue of this machine, in its order. */
  merges: z.array(MergeView),
  /** The open asks of the fleet's sessions; those without a machine are of this one. */
  asks: z.array(z.object({ id: z.string(), title: z.string(), machine: z.string().optional() })),
  overlaps: z.array(Overlap),
  /** Of this machine. */
  budget: DayBudget,
})
export type FleetStatus = z.infer<typeof FleetStatus>

/** GET /api/page/fleet */
export const FleetPage = z.object({
  /** Absent: no queue was used on this machine. */
  status: FleetStatus.optional(),
  /** The sessions of this machine's jobs; those of others are in their reports. */
  sessions: z.array(FleetSession),
  /** What was merged in the last 30 days, the oldest first. Absent: the database does not answer, or is not needed now. */
  merged: z.array(MergedJob).optional(),
})
export type FleetPage = z.infer<typeof FleetPage>

/** A journal entry about a job. */
export const FleetEntry = z.object({
  kind: z.literal('fleet'),
  what: z.enum([
    ...['up', 'paused', 'draining', 'down'],
    ...[
      'added',
      'taken',
      'started',
      'opened',
      'put-back',
      'failed',
      'gave-up',
      'retried',
      'removed',
      'cleaned',
      'merging',
      'merged',
      'sent-back',
      'not-merged',
      'vanished',
      'resumed',
      'fenced',
      'founded',
      'joined',
      'admitted',
      'answered',
      'removed-machine',
    ],
  ] as const),
  job: z.string().optional(),
  repository: z.string().optional(),
  issue: issue.optional(),
  pullRequest: z.string().optional(),
  reason: z.string().optional(),
})
export type FleetEntry = z.infer<typeof FleetEntry>
