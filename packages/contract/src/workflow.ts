import { z } from 'zod'
import { AgentName } from './event.ts'
import { GrantKind } from './grant.ts'
import { NativeId, SessionId } from './ids.ts'
import { DoneWhen } from './proof.ts'

/** A workflow's name. Used as a file name, a YAML key and a slash command. */
export const WorkflowName = z.string().regex(/^[A-Za-z0-9][\w.-]{0,63}$/)

/**
 * How a run of a workflow ended. `proven`: Baton checked its result. `unproven`: the run says it is done, and the reason says what
 * is not shown. `accepted`: a person takes it as it is. `complete`: done, in a run of version 0.1.
 */
export const EndKind = z.enum([
  'proven',
  'unproven',
  'accepted',
  'complete',
  'capped',
  'stalled',
  'blocked',
  'over-budget',
  'limit-parked',
  'question-parked',
  'handed-off',
  'failed',
])
export type EndKind = z.infer<typeof EndKind>

/** `.tmp/hooked-sessions/{session_id}.json`. A person may edit or delete it. Baton keeps unknown keys. */
export const WorkflowState = z.looseObject({
  workflow: z.string().min(1).max(200),
  /** `initial` while the run is active, `done` when it is complete, otherwise the name of its end. */
  state: z.string().max(200),
  continuation_count: z.number().int().nonnegative(),
  issue_no: z.number().int().positive().optional(),
  pr_number: z.number().int().positive().optional(),
})
export type WorkflowState = z.infer<typeof WorkflowState>

/** `.tmp/hooked-sessions/by-issue/{issue_no}.json`: which session works on an issue. */
export const IssueIndex = z.looseObject({ session_id: NativeId, workflow: z.string().min(1).max(200) })
export type IssueIndex = z.infer<typeof IssueIndex>

/** How Baton verifies that a workflow is complete: by something on the forge, or only by the agent's statement. */
export const CompletionCheck = z.enum(['pull-request', 'plan-issue', 'board', 'said'])
export type CompletionCheck = z.infer<typeof CompletionCheck>

/** One allowed command: its first words, and options that must follow somewhere after them. */
export const CommandRule = z.strictObject({
  words: z.array(z.string().min(1).max(200)).min(1).max(8),
  /** `--json=owner` also requires that value, in either notation. */
  options: z.array(z.string().min(1).max(200)).max(8).default([]),
  /** Options that exclude the rule, because they change what the command does. */
  never: z.array(z.string().min(1).max(200)).max(8).default([]),
})
export type CommandRule = z.infer<typeof CommandRule>

/** A workflow as a person declares it, in `.baton.yaml` or in the front matter of a file. */
export const WorkflowDeclaration = z.strictObject({
  /** Slash commands that start the workflow; by default its own name. */
  commands: z
    .array(z.string().regex(/^\/?[A-Za-z0-9][\w.-]{0,63}$/))
    .min(1)
    .max(16)
    .optional(),
  takes_issue: z.boolean().default(false),
  goal: z.string().min(1).max(2000),
  /** The continuation prompt; `{N}`, `{MAX}`, `{ISSUE}`, `{PLAN}` and `{GOAL}` are filled in. */
  prompt: z.string().min(1).max(20_000),
  completion: CompletionCheck.default('said'),
  /** The checks that must pass at the end of its runs, in place of the project's. */
  done_when: DoneWhen.optional(),
  /** What happens to unanswered questions of a run; by default, what `asks.unanswered` says. */
  unanswered: z.enum(['wait', 'recommended', 'park']).optional(),
  /** After how many minutes; by default, `asks.after_minutes`. */
  unanswered_minutes: z.number().min(0.1).max(1440).optional(),
  /** Commands that run without an ask while the workflow is active. */
  permissions: z
    .array(z.string().regex(/^[^\p{Cc}]{1,500}$/u))
    .max(50)
    .default([]),
  /** What its runs may do outside by themselves, with their own branch, issue and pull request. */
  grants: z.array(GrantKind).max(20).default([]),
  /** Files below .tmp that its runs write without an ask; `{ISSUE}` is the number of the issue. */
  files: z
    .array(z.string().regex(/^\.tmp\/(?!hooked-sessions\/)(?!.*\.\.)[\w{}.-]+(\/[\w{}.-]+)*$/))
    .max(20)
    .default([]),
  /** Labels that its runs may create, with the grant `labels`. */
  labels: z
    .array(z.string().regex(/^[^\p{Cc},]{1,50}$/u))
    .max(20)
    .default([]),
})
export type WorkflowDeclaration = z.infer<typeof WorkflowDeclaration>

/** A journal entry about a workflow. */
export const WorkflowEntry = z.object({
  kind: z.literal('workflow'),
  what: z.enum([
    'started',
    'continued',
    'supervised',
    'proving',
    'sent-back',
    'warned',
    'ended',
    'resumed',
    'carried-over',
    'cleaned',
  ]),
  workflow: z.string(),
  issue: z.number().int().positive().optional(),
  count: z.number().int().nonnegative().optional(),
  max: z.number().int().nonnegative().optional(),
  end: EndKind.optional(),
  reason: z.string().optional(),
  pullRequest: z.string().optional(),
  /** Why the time before this stop counts as progress, or what is missing. */
  progress: z.string().optional(),
  prompt: z.string().optional(),
  /** The proof that runs, or that decided the end. */
  proof: z.string().optional(),
})
export type WorkflowEntry = z.infer<typeof WorkflowEntry>

/** One run as `baton history` shows it. */
export const WorkflowRun = z.object({
  session: SessionId,
  nativeSession: NativeId,
  agent: AgentName,
  project: z.string(),
  workflow: z.string(),
  /** The state in the state file; `deleted` if the file is gone, `unreadable` if it cannot be parsed. */
  state: z.string(),
  count: z.number().int().nonnegative(),
  issue: z.number().int().positive().optional(),
  pr: z.number().int().positive().optional(),
  pullRequest: z.string().optional(),
  startedAt: z.iso.datetime(),
  end: z
    .object({ kind: EndKind, reason: z.string(), at: z.iso.datetime(), proof: z.string().optional() })
    .optional(),
  /** The proof that runs now. */
  proving: z.object({ proof: z.string(), commit: z.string() }).optional(),
  /** When a parked run resumes. */
  resumesAt: z.iso.datetime().optional(),
  tokens: z.number().nonnegative(),
  money: z.number().nonnegative(),
  /** What the run may do by itself right now, one line each; completes «it may …». */
  grants: z.array(z.string()).optional(),
})
export type WorkflowRun = z.infer<typeof WorkflowRun>
export const WorkflowRuns = z.object({ runs: z.array(WorkflowRun) })
