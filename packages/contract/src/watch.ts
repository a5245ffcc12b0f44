import { z } from 'zod'
import { ContextFigure } from './context.ts'
import { AgentName } from './event.ts'
import { NativeId, SessionId, SpawnId } from './ids.ts'

const moment = z.iso.datetime()
const pid = z.number().int().positive()

/** What a look from outside says of a session. */
export const WatchState = z.enum([
  'working',
  'waiting',
  'person',
  'dialog',
  'unknown',
  'stalled',
  'dead',
  'gone',
  'ended',
])
export type WatchState = z.infer<typeof WatchState>

/** One row of `ps_sessions`: a session under watch, with the seed's field names. */
export const WatchedSession = z.object({
  session: SessionId,
  project: z.string().nullable(),
  agent: AgentName,
  native_session: NativeId.nullable(),
  place: z.string().nullable(),
  pid: pid.nullable(),
  status: WatchState,
  /** A share from 0 to 1. */
  context_usage: z.number().nonnegative(),
  estimated_tokens_used: z.number().int().nonnegative(),
  last_context_check: moment.nullable(),
  last_output: moment.nullable(),
  started_at: moment,
  updated_at: moment,
})
export type WatchedSession = z.infer<typeof WatchedSession>

export const SpawnStatus = z.enum(['running', 'completed', 'failed', 'stalled', 'abandoned'])
export type SpawnStatus = z.infer<typeof SpawnStatus>

/** One row of `active_spawns`: something that Baton started or adopted, or a process that a session left running. */
export const Spawn = z.object({
  id: SpawnId,
  /** `run`: Baton started it. `watch`: it was there, and a person had it watched. `child`: a session's own process. */
  kind: z.enum(['run', 'watch', 'child']),
  /** The session in it now; none until its hooks have told. */
  session: SessionId.nullable(),
  project: z.string().nullable(),
  agent: AgentName,
  place: z.string().nullable(),
  pid: pid.nullable(),
  /** When the process began, as the system tells it: its number alone may be given out again. */
  born: z.string().nullable(),
  /** The name people see, or the child's command. */
  title: z.string(),
  status: SpawnStatus,
  started_at: moment,
  ended_at: moment.nullable(),
})
export type Spawn = z.infer<typeof Spawn>

export const CheckType = z.enum(['stall', 'errors', 'process', 'children', 'handoff', 'context'])
export type CheckType = z.infer<typeof CheckType>

/** One row of `health_checks`: what was found, and what was done about it. */
export const HealthCheck = z.object({
  id: z.string().regex(/^hck_[0-9a-z]{16,26}$/),
  session: SessionId,
  project: z.string().nullable(),
  check_type: CheckType,
  status: z.enum(['ok', 'warning', 'critical']),
  details: z.record(z.string(), z.unknown()),
  action_taken: z.string().nullable(),
  /** What the session said to it, where it was asked. */
  ps_response: z.string().nullable(),
  created_at: moment,
})
export type HealthCheck = z.infer<typeof HealthCheck>

/** A finding in the journal: only changes are written. */
export const HealthEntry = z.object({
  kind: z.literal('health'),
  check: CheckType,
  status: HealthCheck.shape.status,
  message: z.string(),
  action: z.string().optional(),
})
export type HealthEntry = z.infer<typeof HealthEntry>

/** Something Baton started, adopted, let go of or ended. */
export const SpawnEntry = z.object({
  kind: z.literal('spawn'),
  what: z.enum(['started', 'revived', 'watched', 'unwatched', 'killed', 'ended']),
  spawn: SpawnId,
  title: z.string(),
  place: z.string().optional(),
  detail: z.string().optional(),
})
export type SpawnEntry = z.infer<typeof SpawnEntry>

/** One line of `baton ps`. */
export const PsRow = z.object({
  /** What commands name it by: the agent's own session id, else the spawn's. */
  id: z.string(),
  session: SessionId.optional(),
  nativeSession: NativeId.optional(),
  spawn: SpawnId.optional(),
  /** How it came under watch. */
  by: z.enum(['hooks', 'run', 'watch']),
  agent: AgentName,
  project: z.string().optional(),
  place: z.string().optional(),
  title: z.string().optional(),
  pid: pid.optional(),
  state: WatchState,
  startedAt: moment,
  lastActivityAt: moment,
  context: ContextFigure.pick({
    used: true,
    size: true,
    percent: true,
    zone: true,
    turnsLeft: true,
  }).optional(),
  workflow: z
    .object({
      name: z.string(),
      issue: z.number().int().positive().optional(),
      count: z.number().int().nonnegative().optional(),
      end: z.string().optional(),
    })
    .optional(),
  /** What is wrong with it, worst first. */
  problems: z.array(
    z.object({ check: CheckType, status: z.enum(['warning', 'critical']), message: z.string() }),
  ),
})
export type PsRow = z.infer<typeof PsRow>

export const PsList = z.object({ sessions: z.array(PsRow) })
export const HealthReport = z.object({
  checks: z.array(HealthCheck),
  sessions: z.array(PsRow),
  left: z.array(Spawn),
})
export type HealthReport = z.infer<typeof HealthReport>

const line = z
  .string()
  .max(4096)
  .regex(/^[^\0]*$/)

/** POST /api/spawns: start an agent and watch it. */
export const RunRequest = z.object({
  agent: z.string().max(32),
  driver: z.enum(['tmux', 'acp']),
  cwd: line.regex(/^\//),
  prompt: z.string().max(200_000).optional(),
  title: z
    .string()
    .regex(/^[A-Za-z0-9][\w.-]{0,59}$/)
    .optional(),
  /** Further arguments of the agent's own program, before its prompt. */
  args: z.array(line).max(100).default([]),
  /** The environment of whoever asks: an agent needs their PATH and keys, and the daemon has only its own. */
  env: z.record(z.string().regex(/^[A-Za-z_]\w*$/), z.string().max(100_000)).default({}),
  /** Hosted: with Baton's own tools, such as stages need them. */
  tools: z.boolean().optional(),
  /** The tmux server's socket. */
  where: line.regex(/^\//).optional(),
})
export type RunRequest = z.infer<typeof RunRequest>

/** POST /api/watch: adopt what runs at a place. */
export const WatchRequest = z.object({ place: line, agent: z.string().max(32).optional() })
