import { z } from 'zod'
import { AskEntry } from './ask.ts'
import { ClaimEntry } from './claim.ts'
import { CycleEntry } from './cycle.ts'
import { ErrorBody } from './error-body.ts'
import { AgentEvent, AgentName } from './event.ts'
import { FleetEntry } from './fleet.ts'
import { HandoffEntry } from './handoff.ts'
import { HookSource } from './hook.ts'
import { EntryId, EventId, NativeId, SessionId } from './ids.ts'
import { DecisionEntry } from './permission.ts'
import { ProofEntry } from './proof.ts'
import { Reaction } from './reaction.ts'
import { HealthEntry, SpawnEntry } from './watch.ts'
import { StageEntry } from './work.ts'
import { WorkflowEntry } from './workflow.ts'

/** What Baton itself asks a model for: a permission, a review of a proof, or the next prompt of a workflow. */
const ModelPurpose = z.enum(['permission', 'review', 'supervisor'])
export type ModelPurpose = z.infer<typeof ModelPurpose>

/** The content of an entry. A new capability adds a kind here; existing kinds never change. */
export const EntryBody = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('event'), event: AgentEvent, source: HookSource }),
  z.object({
    kind: z.literal('reaction'),
    event: EventId,
    reaction: Reaction,
    /** Which reactors contributed, in order of precedence. */
    by: z.array(z.string()),
    tookMs: z.number().nonnegative(),
  }),
  z.object({ kind: z.literal('fault'), during: z.string(), error: ErrorBody, event: EventId.optional() }),
  z.object({
    kind: z.literal('daemon'),
    what: z.enum(['started', 'stopped', 'drained', 'recovered', 'paused', 'unpaused']),
    version: z.string(),
    pid: z.number().int(),
    detail: z.string().optional(),
  }),
  z.object({
    kind: z.literal('config'),
    what: z.enum(['loaded', 'rejected', 'trusted', 'untrusted']),
    file: z.string().optional(),
    message: z.string().optional(),
  }),
  DecisionEntry,
  /** Protected files that a command in the sandbox made, and where Baton moved them. */
  z.object({
    kind: z.literal('sandbox'),
    moved: z.array(z.object({ path: z.string(), why: z.string(), movedTo: z.string().optional() })),
    /** What a command tried to contact and the proxy did not let through. */
    blocked: z.array(z.string()).optional(),
    /** Why the commands of an agent do not run in the sandbox any more. */
    off: z.string().optional(),
  }),
  /** What the broker did outside for a command in the sandbox, or why it did not. */
  z.object({
    kind: z.literal('broker'),
    command: z.string(),
    cwd: z.string(),
    exit: z.number().int().optional(),
    refused: z.string().optional(),
    pushed: z.array(z.object({ commit: z.string(), target: z.string() })).optional(),
  }),
  /** One call of a model by Baton itself, and what it used as far as the service says it. */
  z.object({
    kind: z.literal('model'),
    purpose: ModelPurpose,
    by: z.string(),
    model: z.string(),
    inputTokens: z.number().int().nonnegative().optional(),
    outputTokens: z.number().int().nonnegative().optional(),
    usd: z.number().nonnegative().optional(),
  }),
  z.object({ kind: z.literal('forgotten'), session: SessionId, entries: z.number().int().nonnegative() }),
  WorkflowEntry,
  ProofEntry,
  AskEntry,
  HandoffEntry,
  HealthEntry,
  SpawnEntry,
  CycleEntry,
  StageEntry,
  ClaimEntry,
  FleetEntry,
])
export type EntryBody = z.infer<typeof EntryBody>
export type EntryKind = EntryBody['kind']

/** One entry of the append-only journal. `seq` orders entries; an entry is never changed in place. */
export const Entry = z.object({
  seq: z.number().int().positive(),
  id: EntryId,
  at: z.iso.datetime(),
  agent: AgentName.optional(),
  session: SessionId.optional(),
  nativeSession: NativeId.optional(),
  promptId: NativeId.optional(),
  toolUseId: NativeId.optional(),
  /** The root of the worktree in which the session started. */
  project: z.string().optional(),
  /** The hook call that delivered an event; used to recognise a repeated call. */
  request: z.string().optional(),
  body: EntryBody,
})
export type Entry = z.infer<typeof Entry>

/** An entry before the store assigns its `seq`. */
export type NewEntry = Omit<Entry, 'seq'>

export const EntryQuery = z.object({
  /** An entry's id, or the start of it. */
  id: z.string().min(1).optional(),
  after: z.coerce.number().int().nonnegative().optional(),
  before: z.coerce.number().int().positive().optional(),
  session: z.string().optional(),
  project: z.string().optional(),
  kind: z.string().optional(),
  /** The event's type, for entries of kind `event`. */
  type: z.string().optional(),
  since: z.iso.datetime().optional(),
  limit: z.coerce.number().int().min(1).max(5000).default(200),
  /** Oldest first by default; `desc` starts with the newest. */
  order: z.enum(['asc', 'desc']).default('asc'),
})
export type EntryQuery = z.infer<typeof EntryQuery>

/** Whether Baton performed this outside for a command in the sandbox: it is a part of that command's call, which has entries of its own. */
export const isBrokered = ({ toolUseId }: { toolUseId?: string | undefined }): boolean =>
  toolUseId?.startsWith('broker_') === true
