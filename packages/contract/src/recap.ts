import { z } from 'zod'
import { Ask } from './ask.ts'
import { AgentName } from './event.ts'
import { AskId, SessionId } from './ids.ts'
import { DecidedBy } from './permission.ts'
import { EndKind } from './workflow.ts'

const moment = z.iso.datetime()
const count = z.number().int().nonnegative()

/** Decisions of one kind with the same reason. */
const DecisionGroup = z.object({
  decision: z.enum(['allow', 'deny', 'ask', 'defer']),
  by: DecidedBy,
  reason: z.string(),
  count,
  /** A few examples, newest first. */
  subjects: z.array(z.string()),
  lastAt: moment,
})

/** The end of a session or a workflow, and its reason. */
const Ending = z.object({
  /** What people call the session. */
  name: z.string().optional(),
  at: moment,
  session: SessionId.optional(),
  agent: AgentName.optional(),
  project: z.string().optional(),
  workflow: z.string().optional(),
  issue: z.number().int().positive().optional(),
  end: EndKind.optional(),
  reason: z.string(),
  pullRequest: z.string().optional(),
})

const ProjectRecap = z.object({
  project: z.string(),
  commits: z.array(z.object({ id: z.string(), subject: z.string(), files: count })),
  /** Files that were committed or written to. */
  files: z.array(z.string()),
  /** The newest test run, and the number of runs. */
  tests: z
    .object({ command: z.string(), passed: z.boolean(), failing: count.optional(), at: moment, runs: count })
    .optional(),
  /** Steps that can be undone, newest first. */
  undo: z.array(z.object({ step: z.number().int().positive(), subject: z.string(), at: moment })),
})

/** What happened during a period: GET /api/page/recap, `baton recap`. */
export const Recap = z.object({
  since: moment,
  until: moment,
  projects: z.array(ProjectRecap),
  decided: z.array(DecisionGroup),
  /** The number of decisions, and how many of them needed no person. */
  decisions: z.object({ all: count, without: count }),
  /** Questions that the policy for unanswered ones answered, for review. */
  answeredByPolicy: z
    .array(
      z.object({
        at: moment,
        ask: AskId,
        project: z.string().optional(),
        title: z.string(),
        answer: z.string(),
      }),
    )
    .default([]),
  /** What commands in the sandbox tried and could not do, as far as Baton sees it. */
  prevented: z.array(z.object({ at: moment, session: SessionId.optional(), what: z.string() })).default([]),
  ended: z.array(Ending),
  handoffs: z.array(
    z.object({
      at: moment,
      session: SessionId.optional(),
      project: z.string().optional(),
      document: z.string(),
      writtenBy: z.enum(['agent', 'baton']).optional(),
    }),
  ),
  continued: count,
  /** What waits for a person. */
  waits: z.object({
    asks: z.array(Ask),
    sessions: z.array(
      z.object({
        session: SessionId,
        agent: AgentName,
        name: z.string().optional(),
        project: z.string().optional(),
        why: z.string(),
        since: moment,
      }),
    ),
  }),
  faults: z.array(z.object({ at: moment, during: z.string(), message: z.string() })),
})
export type Recap = z.infer<typeof Recap>

/** GET /api/page/undo shows what an undo would change; POST performs it. */
export const UndoRequest = z.strictObject({
  project: z.string().min(1).max(4096),
  step: z.coerce.number().int().positive().max(999_999_999),
})
