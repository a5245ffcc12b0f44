import { z } from 'zod'
import { AgentName } from './event.ts'
import { CycleId, EventId, NativeId, SessionId } from './ids.ts'

/**
 * Where a cycle stands. `due`: waits for a good moment. `writing`: the document is being written. `clearing`: the context is
 * being cleared. `resuming`: the new session is told to go on. `verifying`: it has to show that it has the essentials.
 * `continuing`: it has, and goes on. `person`: it goes no further without a person. The last three are ends.
 */
export const CycleStep = z.enum([
  'due',
  'writing',
  'clearing',
  'resuming',
  'verifying',
  'continuing',
  'person',
  'done',
  'cancelled',
  'failed',
])
export type CycleStep = z.infer<typeof CycleStep>

export const CycleReason = z.enum(['context', 'overflow', 'asked', 'restart'])
export type CycleReason = z.infer<typeof CycleReason>

/** What the next session must have understood. A part that the document does not have is not asked for. */
export const Essentials = z.object({
  goal: z.string().optional(),
  branch: z.string().optional(),
  next: z.string().optional(),
})
export type Essentials = z.infer<typeof Essentials>

/** The automated handoff of one live session. Kept after every step, so that the next daemon goes on with it. */
export const Cycle = z.object({
  id: CycleId,
  /** Grows with every change: of two who change it at once, one is refused. */
  version: z.number().int().nonnegative(),
  session: SessionId,
  nativeSession: NativeId,
  agent: AgentName,
  project: z.string(),
  /** Where it runs, as drivers name it. */
  place: z.string(),
  reason: CycleReason,
  /** How full the context was. */
  percent: z.number().optional(),
  step: CycleStep,
  /** Attempts of this step that failed. */
  tries: z.number().int().nonnegative().default(0),
  /** How long this attempt has lasted, and how long the next one is put off. Counted while a daemon runs, never by the clock. */
  waitedMs: z.number().nonnegative().default(0),
  pauseMs: z.number().nonnegative().default(0),
  /** How often in a row the terminal was in use. */
  busy: z.number().int().nonnegative().default(0),
  /** What this step wants was sent, and what comes of it is awaited. */
  sent: z.boolean().default(false),
  /** The agent has begun with what this step asks of it. */
  taken: z.boolean().default(false),
  /** The session ended or its terminal is gone: the document is all that can be saved. */
  lost: z.boolean().default(false),
  /** Its agent tells of a fresh session only with the first prompt in it, so clearing and resuming are one. */
  startsWithPrompt: z.boolean().default(false),
  /** It ended without need, so that the session may be handed off another time. */
  again: z.boolean().default(false),
  /** How often a person was asked, so that each question is its own. */
  asked: z.number().int().nonnegative().default(0),
  /** The event that was answered last: told again, it gets the same answer. */
  heard: EventId.optional(),
  startedAt: z.iso.datetime(),
  changedAt: z.iso.datetime(),
  document: z.string().optional(),
  writtenBy: z.enum(['agent', 'baton']).optional(),
  essentials: Essentials.optional(),
  successor: z.object({ session: SessionId, nativeSession: NativeId }).optional(),
  /** Successors that were lost with the daemon that hosted them: the work may have moved as far as there. */
  lostSuccessors: z.array(SessionId).default([]),
  /** The step a person is needed for. */
  stuckAt: CycleStep.optional(),
  /** Why it ended as it did, or why a person is needed. */
  why: z.string().optional(),
})
export type Cycle = z.infer<typeof Cycle>

export const CycleList = z.object({ cycles: z.array(Cycle) })

/** What the journal says about a cycle. */
export const CycleEntry = z.object({
  kind: z.literal('cycle'),
  what: z.enum([
    'due',
    'warned',
    'asked',
    'postponed',
    'written',
    'interrupted',
    'cleared',
    'resumed',
    'verified',
    'refused',
    'retried',
    'waits',
    'taken-up',
    'person',
    'decided',
    'completed',
    'cancelled',
    'failed',
  ]),
  cycle: CycleId,
  step: CycleStep,
  percent: z.number().optional(),
  document: z.string().optional(),
  writtenBy: z.enum(['agent', 'baton']).optional(),
  /** The agent's own ids of the sessions on both sides. */
  from: z.string().optional(),
  to: z.string().optional(),
  reason: z.string().optional(),
  tookMs: z.number().nonnegative().optional(),
})
export type CycleEntry = z.infer<typeof CycleEntry>
