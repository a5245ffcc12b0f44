import { z } from 'zod'
import { SessionId } from './ids.ts'
import { EndKind } from './workflow.ts'

/** A work item's name. It is a folder in `.paw/work`, so it must not contain path characters. */
export const WORK_ID = /^[a-z0-9-]{1,100}$/
export const WorkId = z.string().regex(WORK_ID)

/** How far a work item moves on its own: only on command, through routine steps, or through every step. */
export const HandoffMode = z.enum(['manual', 'semi-auto', 'auto'])
export type HandoffMode = z.infer<typeof HandoffMode>

/** Whether each part is reviewed in its own pull request, or everything in the final one. */
export const ReviewStrategy = z.enum(['local', 'prs'])
export type ReviewStrategy = z.infer<typeof ReviewStrategy>

/** The stages: nine that build something, five that review another person's pull request. */
export const StageName = z.enum([
  'spec',
  'spec-research',
  'code-research',
  'plan',
  'implement',
  'review',
  'docs',
  'pr',
  'status',
  'pr-understanding',
  'pr-baseline',
  'pr-impact',
  'pr-gap',
  'pr-feedback',
])
export type StageName = z.infer<typeof StageName>

/** The names of the stage agents, as tools and people use them. */
export const StageAgent = z.enum([
  'PAW-01A Specification',
  'PAW-01B Spec Researcher',
  'PAW-02A Code Researcher',
  'PAW-02B Impl Planner',
  'PAW-03A Implementer',
  'PAW-03B Impl Reviewer',
  'PAW-04 Documenter',
  'PAW-05 PR',
  'PAW-X Status',
  'PAW-R1A Understanding',
  'PAW-R1B Baseline Researcher',
  'PAW-R2A Impact Analyzer',
  'PAW-R2B Gap Analyzer',
  'PAW-R3A Feedback Generator',
])
export type StageAgent = z.infer<typeof StageAgent>

export const TemplateKey = z.enum([
  '01A-spec',
  '02A-code-research',
  '02B-impl-plan',
  '02C-planning-pr-review',
  '03A-implement',
  '03B-review',
  '03C-pr-review',
  '03D-review-pr-review',
  '04-docs',
  '04B-docs-pr-review',
  '04C-docs-review-pr-review',
  '05-pr',
  '05B-final-pr-review',
  '05C-final-review-pr-review',
  '0X-status',
])
export type TemplateKey = z.infer<typeof TemplateKey>

/** Files that stages write to the work item's folder, without `.md`. */
export const Artifact = z.enum([
  'WorkflowContext',
  'Spec',
  'SpecResearch',
  'CodeResearch',
  'ImplementationPlan',
  'Docs',
  'DerivedSpec',
  'ImpactAnalysis',
  'GapAnalysis',
  'ReviewComments',
])
export type Artifact = z.infer<typeof Artifact>

export const WorkPhase = z.object({
  number: z.number().int().positive(),
  title: z.string(),
  state: z.enum(['open', 'begun', 'done']),
  reviewed: z.boolean(),
})
export type WorkPhase = z.infer<typeof WorkPhase>

/** Something a person can do next, with the exact command to type. `continue` means the first of the list. */
export const NextStep = z.object({
  command: z.string(),
  agent: StageAgent.optional(),
  what: z.string(),
})
export type NextStep = z.infer<typeof NextStep>

/** A work item in a list: GET /api/work. */
export const WorkSummary = z.object({
  workId: WorkId,
  title: z.string(),
  /** The current stage for display: `Implementation, Phase 2 of 3`. */
  stage: z.string(),
  mode: HandoffMode,
  modifiedAt: z.iso.datetime(),
})
export type WorkSummary = z.infer<typeof WorkSummary>
export const WorkList = z.object({ project: z.string(), items: z.array(WorkSummary) })

const PullRequestState = z.object({
  kind: z.enum(['planning', 'phase', 'docs', 'final']),
  phase: z.number().int().positive().optional(),
  branch: z.string(),
  /** The fields below are absent when there is no pull request. */
  number: z.number().int().positive().optional(),
  url: z.string().optional(),
  title: z.string().optional(),
  state: z.enum(['open', 'closed', 'merged', 'not-found']),
  review: z.enum(['approved', 'changes-requested', 'required', 'none']).optional(),
  checks: z.enum(['passed', 'failed', 'pending', 'unknown', 'none']).optional(),
  comments: z
    .object({
      /** Unresolved threads. */
      unresolved: z.number().int().nonnegative(),
      /** Unresolved threads about code that has changed since. */
      outdated: z.number().int().nonnegative(),
      /** Reviewers whose latest review requests changes. */
      changesRequested: z.array(z.string()),
      /** Locations of the unresolved threads, newest last: `src/a.ts:12`. */
      where: z.array(z.string()),
    })
    .optional(),
})
export type PullRequestState = z.infer<typeof PullRequestState>

/** How a work item ended: what Baton's checks of its last commit came to. */
export const WorkEnd = z.object({
  end: EndKind.extract(['proven', 'unproven', 'accepted']),
  reason: z.string(),
  commit: z.string(),
  at: z.iso.datetime(),
  proof: z.string().optional(),
})
export type WorkEnd = z.infer<typeof WorkEnd>

/** "Where am I?": GET /api/work/:id. */
export const WorkStatus = z.object({
  project: z.string(),
  workId: WorkId,
  title: z.string(),
  mode: HandoffMode,
  strategy: ReviewStrategy,
  workflow: z.string(),
  stage: z.string(),
  /** Problems with the work item's files, for display. */
  warnings: z.array(z.string()),
  blocked: z.string().optional(),
  artifacts: z.array(z.object({ name: z.string(), present: z.boolean() })),
  phases: z.array(WorkPhase),
  questions: z.number().int().nonnegative(),
  git: z
    .object({
      branch: z.string().optional(),
      detached: z.boolean(),
      target: z.string().optional(),
      ahead: z.number().int().optional(),
      behind: z.number().int().optional(),
      dirty: z.number().int().nonnegative(),
      /** What the person should do about the branch, if anything. */
      advice: z.string().optional(),
    })
    .optional(),
  pullRequests: z.array(PullRequestState),
  /** Why pull requests are missing from the answer, if they are. */
  pullRequestsAdvice: z.string().optional(),
  /** Whether the commit of the last stage is proven. */
  result: WorkEnd.optional(),
  asks: z.array(z.object({ id: z.string(), title: z.string() })),
  claim: z.string().optional(),
  sessions: z.array(
    z.object({
      session: SessionId,
      nativeSession: z.string(),
      stage: StageName.optional(),
      live: z.boolean(),
      /** How full the context is, e.g. `62 % (small tasks only)`. */
      context: z.string().optional(),
    }),
  ),
  /** What the session that works on it may do by itself. */
  grants: z.array(z.string()).optional(),
  next: z.array(NextStep),
  modifiedAt: z.iso.datetime(),
})
export type WorkStatus = z.infer<typeof WorkStatus>

/** GET /api/work/status: the text that every client shows, and the data behind it. */
export const WorkReport = z.object({
  text: z.string(),
  status: WorkStatus.optional(),
  items: z.array(WorkSummary),
})
export type WorkReport = z.infer<typeof WorkReport>

/** POST /api/work: create a work item. */
export const NewWork = z.object({
  title: z.string().trim().min(1).max(200),
  work_id: z.string().optional(),
  mode: HandoffMode.default('manual'),
  strategy: ReviewStrategy.default('local'),
  workflow: z.enum(['full', 'minimal', 'review']).default('full'),
  branch: z.string().trim().min(1).max(200).optional(),
  issue: z.string().trim().max(500).optional(),
  remote: z.string().trim().min(1).max(100).optional(),
})
export type NewWork = z.infer<typeof NewWork>

/** The answer to POST /api/work. The path is relative to the project. */
export const WorkMade = z.object({ workId: WorkId, path: z.string() })

export const ModeChange = z.object({ mode: HandoffMode })
export const ModeChanged = z.object({ ok: z.literal(true) })

/** GET /api/tools: the tools that an editor registers. */
export const ToolList = z.object({
  tools: z.array(
    z.object({ name: z.string(), description: z.string(), inputSchema: z.record(z.string(), z.unknown()) }),
  ),
})

/** POST /api/tools/:name. */
export const ToolCallRequest = z.object({
  project: z.string().startsWith('/').max(4096),
  arguments: z.record(z.string(), z.unknown()).default({}),
  /** The caller opens new conversations itself, as an editor does. */
  opensChats: z.boolean().default(false),
})
export const ToolAnswer = z.object({
  text: z.string(),
  /** The conversation that such a caller has to open: its agent and first prompt. */
  open: z.object({ agent: StageAgent, prompt: z.string() }).optional(),
})
export type ToolAnswer = z.infer<typeof ToolAnswer>

/** A journal entry about staged work. */
export const StageEntry = z.object({
  kind: z.literal('stage'),
  what: z.enum([
    'begun',
    'called',
    'passed',
    'paused',
    'reminded',
    'waiting',
    'blocked',
    'failed',
    'proving',
    'sent-back',
    'ended',
    'asked-again',
    'carried-over',
  ]),
  workId: WorkId,
  stage: StageName.optional(),
  phase: z.number().int().positive().optional(),
  agent: StageAgent.optional(),
  mode: HandoffMode.optional(),
  detail: z.string().optional(),
  /** How the work ended, with the proof that decided it. */
  end: EndKind.optional(),
  proof: z.string().optional(),
})
export type StageEntry = z.infer<typeof StageEntry>
