import { z } from 'zod'
import { ContextFigure } from './context.ts'
import { AgentName } from './event.ts'
import { NativeId, SessionId, SpawnId } from './ids.ts'

const moment = z.iso.datetime()
const pid = z.number().int().positive()

/** The state of a session, as observed from outside. */
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

/** One row of `ps_sessions`: a watched session. */
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

/** One row of `active_spawns`: an agent that Baton started or adopted, or a process that a session left running. */
export const Spawn = z.object({
  id: SpawnId,
  /** `run`: Baton started it. `watch`: it already ran, and a person asked Baton to watch it. `child`: a session's process. */
  kind: z.enum(['run', 'watch', 'child']),
  /** The session that runs in it; null until its hooks report one. */
  session: SessionId.nullable(),
  project: z.string().nullable(),
  agent: AgentName,
  place: z.string().nullable(),
  pid: pid.nullable(),
  /** The process's start time as reported by the system, because the system reuses process ids. */
  born: z.string().nullable(),
  /** The display name, or the child's command. */
  title: z.string(),
  status: SpawnStatus,
  started_at: moment,
  ended_at: moment.nullable(),
})
export type Spawn = z.infer<typeof Spawn>

export const CheckType = z.enum(['stall', 'errors', 'process', 'children', 'handoff', 'context'])
export type CheckType = z.infer<typeof CheckType>

/** One row of `health_checks`: what Baton found, and what it did about it. */
export const HealthCheck = z.object({
  id: z.string().regex(/^hck_[0-9a-z]{16,26}$/),
  session: SessionId,
  project: z.string().nullable(),
  check_type: CheckType,
  status: z.enum(['ok', 'warning', 'critical']),
  details: z.record(z.string(), z.unknown()),
  action_taken: z.string().nullable(),
  /** The session's answer, if Baton asked it. */
  ps_response: z.string().nullable(),
  created_at: moment,
})
export type HealthCheck = z.infer<typeof HealthCheck>

/** A finding in the journal. Only changes are recorded. */
export const HealthEntry = z.object({
  kind: z.literal('health'),
  check: CheckType,
  status: HealthCheck.shape.status,
  message: z.string(),
  action: z.string().optional(),
})
export type HealthEntry = z.infer<typeof HealthEntry>

/** A journal entry about an agent that Baton started, adopted, stopped watching or ended. */
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
  /** The id to use in commands: the agent's own session id, otherwise the spawn's. */
  id: z.string(),
  session: SessionId.optional(),
  nativeSession: NativeId.optional(),
  spawn: SpawnId.optional(),
  /** How Baton came to watch it. */
  by: z.enum(['hooks', 'run', 'watch']),
  agent: AgentName,
  project: z.string().optional(),
  place: z.string().optional(),
  title: z.string().optional(),
  /** What people call the session. */
  name: z.string().optional(),
  pid: pid.optional(),
  state: WatchState,
  /** Servers in the session's sandbox: their port there, and the one at which they answer on 127.0.0.1 of this machine. */
  servers: z.array(z.object({ inside: z.int(), port: z.int() })).optional(),
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
  /** The other machine of the fleet on which it runs. */
  machine: z.string().optional(),
  /** Current problems, worst first. */
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
  /** Extra arguments for the agent's program, placed before the prompt. */
  args: z.array(line).max(100).default([]),
  /** The caller's environment: the agent needs the caller's PATH and keys, which the daemon does not have. */
  env: z.record(z.string().regex(/^[A-Za-z_]\w*$/), z.string().max(100_000)).default({}),
  /** Run the whole agent in the sandbox. */
  sandbox: z.boolean().optional(),
  /** Give a hosted agent Baton's own tools, which stages need. */
  tools: z.boolean().optional(),
  /** The tmux server's socket. */
  where: line.regex(/^\//).optional(),
})
export type RunRequest = z.infer<typeof RunRequest>

/** POST /api/watch: watch the agent that runs in a terminal. */
export const WatchRequest = z.object({ place: line, agent: z.string().max(32).optional() })
