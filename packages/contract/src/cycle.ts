import { z } from 'zod'
import { AgentName } from './event.ts'
import { CycleId, EventId, NativeId, SessionId } from './ids.ts'

/**
 * The current step of a cycle. `due`: waits for a good moment. `writing`: the document is being written. `clearing`: the
 * context is being cleared. `resuming`: Baton sends the document to the new session. `verifying`: the new session has to
 * repeat the essentials. `continuing`: it did, and continues the work. `person`: a person has to decide. The last three are
 * final.
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

export const CycleReason = z.enum(['context', 'overflow', 'asked', 'restart', 'hung'])
export type CycleReason = z.infer<typeof CycleReason>

/** One fact that the next session must know. The id names it in the context and in `baton handoff facts`. */
export const EssentialFact = z.object({
  id: z.string(),
  part: z.enum(['goal', 'next', 'instruction', 'todo']),
  text: z.string(),
})
export type EssentialFact = z.infer<typeof EssentialFact>

/** What the next session must repeat. Baton does not ask for a part that the document lacks. */
export const Essentials = z.object({
  goal: z.string().optional(),
  branch: z.string().optional(),
  next: z.string().optional(),
  /** Absent in cycles that an earlier Baton stored. */
  facts: z.array(EssentialFact).optional(),
  /** Baton wrote the document without the agent and without a transcript, so repeating it proves little. */
  unproven: z.boolean().optional(),
})
export type Essentials = z.infer<typeof Essentials>

/** The automatic handoff of one live session. Stored after every step, so that a restarted daemon can resume it. */
export const Cycle = z.object({
  id: CycleId,
  /** Grows with every change. Of two concurrent changes, the store refuses the second. */
  version: z.number().int().nonnegative(),
  session: SessionId,
  nativeSession: NativeId,
  agent: AgentName,
  project: z.string(),
  /** The driver's name for the terminal or hosted session. */
  place: z.string(),
  reason: CycleReason,
  /** How full the context was when the cycle started. */
  percent: z.number().optional(),
  step: CycleStep,
  /** Failed attempts at this step. */
  tries: z.number().int().nonnegative().default(0),
  /** How long this attempt has lasted, and the delay before the next one. Only time with a running daemon counts. */
  waitedMs: z.number().nonnegative().default(0),
  pauseMs: z.number().nonnegative().default(0),
  /** How many times in a row the terminal was in use. */
  busy: z.number().int().nonnegative().default(0),
  /** Baton sent this step's request and waits for the result. */
  sent: z.boolean().default(false),
  /** The agent started on this step's request. */
  taken: z.boolean().default(false),
  /** The session ended or its terminal is gone, so Baton can only save the document. */
  lost: z.boolean().default(false),
  /** The agent reports a new session only with its first prompt, so clearing and resuming are one step. */
  startsWithPrompt: z.boolean().default(false),
  /** The handoff turned out to be unnecessary, so the session may be handed off again later. */
  again: z.boolean().default(false),
  /** How many times Baton asked a person; makes each question unique. */
  asked: z.number().int().nonnegative().default(0),
  /** The event that was answered last. If it is delivered again, it gets the same answer. */
  heard: EventId.optional(),
  startedAt: z.iso.datetime(),
  changedAt: z.iso.datetime(),
  document: z.string().optional(),
  writtenBy: z.enum(['agent', 'baton']).optional(),
  essentials: Essentials.optional(),
  successor: z.object({ session: SessionId, nativeSession: NativeId }).optional(),
  /** Successors that died with the daemon that hosted them. The work may have moved that far. */
  lostSuccessors: z.array(SessionId).default([]),
  /** The step that needs a person. */
  stuckAt: CycleStep.optional(),
  /** Why the cycle ended, or why it needs a person. */
  why: z.string().optional(),
})
export type Cycle = z.infer<typeof Cycle>

export const CycleList = z.object({ cycles: z.array(Cycle) })

/** A journal entry about a cycle. */
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
    'unproven',
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
  /** The agent's own ids of the old and the new session. */
  from: z.string().optional(),
  to: z.string().optional(),
  reason: z.string().optional(),
  tookMs: z.number().nonnegative().optional(),
  /** False if no one could verify what the new session knows. */
  verified: z.literal(false).optional(),
})
export type CycleEntry = z.infer<typeof CycleEntry>
