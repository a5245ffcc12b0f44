import { z } from 'zod'
import { Ask } from './ask.ts'
import { HandoffDocument, HandoffFinding } from './handoff.ts'
import { Entry } from './journal.ts'
import { PermissionJudgement } from './permission.ts'
import { Session } from './session.ts'
import { WorkflowRun } from './workflow.ts'

/** POST /api/page/link: an address that logs one browser in, once. */
export const LoginLink = z.object({ url: z.string(), expiresAt: z.iso.datetime() })
export type LoginLink = z.infer<typeof LoginLink>

/** POST /login: the code of a printed link, and the public half of the browser's own key (P-256, SPKI, base64url). */
export const LoginRequest = z.strictObject({
  code: z.string().regex(/^[0-9a-z]{32}$/),
  key: z.string().regex(/^[\w-]{100,200}$/),
})

/** The work item and stage that a session works on. */
export const SessionWork = z.object({
  workId: z.string(),
  stage: z.string().optional(),
  phase: z.number().int().positive().optional(),
  /** What the session may do by itself; only on the page of a session. */
  grants: z.array(z.string()).optional(),
})
export type SessionWork = z.infer<typeof SessionWork>

/** GET /api/model-usage: Baton's own model calls in the last 24 hours. */
export const ModelUsageView = z.object({
  calls: z.number().int().nonnegative(),
  tokens: z.number().int().nonnegative(),
  usd: z.number().nonnegative(),
})
export type ModelUsageView = z.infer<typeof ModelUsageView>

/** One session as the overview shows it. */
export const SessionCard = z.object({
  session: Session,
  /** The session's newest entry, with long texts cut. */
  last: Entry.optional(),
  run: WorkflowRun.optional(),
  work: SessionWork.optional(),
  asks: z.number().int().nonnegative(),
})
export type SessionCard = z.infer<typeof SessionCard>

/** GET /api/page/overview */
export const Overview = z.object({
  now: z.iso.datetime(),
  lastSeq: z.number().int().nonnegative(),
  live: z.array(SessionCard),
  /** More sessions are live than are listed. */
  moreLive: z.boolean(),
  ended: z.array(SessionCard),
  /** More sessions have ended than are listed. */
  more: z.boolean(),
  asks: z.number().int().nonnegative(),
  /** The last 24 hours. */
  today: z.lazy(() => HourTally),
})
export type Overview = z.infer<typeof Overview>

/** What happened in one hour, as counted from the journal. */
export const HourTally = z.object({
  hour: z.iso.datetime(),
  allowed: z.number().int(),
  denied: z.number().int(),
  /** Left to a person, in Baton or in the agent's own dialog. */
  asked: z.number().int(),
  /** Allowed calls, by what decided. */
  byRules: z.number().int(),
  bySandbox: z.number().int(),
  byUndo: z.number().int(),
  byModel: z.number().int(),
  bySession: z.number().int(),
  byPerson: z.number().int(),
  continued: z.number().int(),
  ended: z.number().int(),
  handoffs: z.number().int(),
  /** Baton's own model calls, and what they used as far as the services say it. */
  modelCalls: z.number().int(),
  modelTokens: z.number().int(),
  modelUsd: z.number(),
})
export type HourTally = z.infer<typeof HourTally>

export const ContextPoint = z.object({
  at: z.iso.datetime(),
  used: z.number(),
  percent: z.number().optional(),
})
export type ContextPoint = z.infer<typeof ContextPoint>

/** GET /api/page/history */
export const History = z.object({
  hours: z.array(HourTally),
  /** Context over time for each measured session, newest session first. */
  contexts: z.array(
    z.object({
      session: z.string(),
      nativeSession: z.string(),
      project: z.string().optional(),
      points: z.array(ContextPoint),
      handoffs: z.array(z.iso.datetime()),
    }),
  ),
})
export type History = z.infer<typeof History>

/** GET /api/page/asks/ASK: the question, and how the rules judge the call. */
export const AskView = z.object({
  ask: Ask,
  /** The command, paths or name in question, without the surrounding reason. */
  subject: z.string(),
  judgement: PermissionJudgement.optional(),
})
export type AskView = z.infer<typeof AskView>

export const SearchQuery = z.object({
  q: z.string().max(200).default(''),
  kind: z.string().max(32).optional(),
  session: z.string().max(200).optional(),
  before: z.coerce.number().int().positive().optional(),
  limit: z.coerce.number().int().min(1).max(200).default(50),
})
export type SearchQuery = z.infer<typeof SearchQuery>

/** GET /api/page/search: newest first. `next` is where to continue the search; absent at the journal's beginning. */
export const Found = z.object({
  entries: z.array(Entry),
  looked: z.number().int(),
  next: z.number().int().optional(),
})
export type Found = z.infer<typeof Found>

/** How the settings page edits a key. `value`: what the user's own file says, else the value in use; never a secret. */
export const SettingForm = z.object({
  kind: z.enum(['flag', 'choice', 'number', 'text', 'secret', 'yaml']),
  choices: z.array(z.string()).optional(),
  min: z.number().optional(),
  max: z.number().optional(),
  value: z.string().optional(),
  /** The user's own file sets it. */
  isSet: z.boolean(),
})
export type SettingForm = z.infer<typeof SettingForm>

/** POST /api/page/settings: a scalar or, for lists and maps, YAML text; neither removes the key, so its default applies. */
export const SettingChange = z.strictObject({
  key: z.string().min(1).max(200),
  value: z.union([z.string().max(10_000), z.number(), z.boolean()]).optional(),
  yaml: z.string().min(1).max(100_000).optional(),
})
export type SettingChange = z.infer<typeof SettingChange>

/** The answer to a change: where the key is now. */
export const SettingChanged = z.object({ file: z.string(), line: z.number().int().positive().optional() })
export type SettingChanged = z.infer<typeof SettingChanged>

export const SettingRow = z.object({
  name: z.string(),
  shown: z.string(),
  /** Where the value comes from, for display: a file with its line, a variable, or `default`. */
  source: z.string(),
  isDefault: z.boolean(),
  description: z.string(),
  expects: z.string(),
  /** On the first row of a key that the page can edit. */
  edit: z.object({ key: z.string(), form: SettingForm }).optional(),
  /** Why the page cannot edit it. */
  fixed: z.string().optional(),
})
export type SettingRow = z.infer<typeof SettingRow>

/** GET /api/page/settings. Never contains secrets. */
export const SettingsView = z.object({
  project: z.string().optional(),
  projects: z.array(z.string()),
  rows: z.array(SettingRow),
  files: z.array(z.object({ path: z.string(), standing: z.string() })),
  problems: z.array(z.string()),
})
export type SettingsView = z.infer<typeof SettingsView>

/** One handoff document with its statements and the findings about them. */
export const HandoffView = z.object({
  name: z.string(),
  text: z.string(),
  document: HandoffDocument,
  findings: z.array(HandoffFinding),
  /** The document's history, oldest first: requested, sent back with findings, written. */
  course: z.array(z.object({ at: z.iso.datetime(), what: z.string(), findings: z.array(z.string()) })),
})
export type HandoffView = z.infer<typeof HandoffView>

/** GET /api/page/sessions/SESSION: one session with its run, work, handoffs and asks. */
export const SessionView = z.object({
  session: Session,
  run: WorkflowRun.optional(),
  work: SessionWork.optional(),
  contexts: z.array(ContextPoint),
  parent: Session.optional(),
  children: z.array(Session),
  handoffs: z.array(HandoffView),
  asks: z.array(Ask),
})
export type SessionView = z.infer<typeof SessionView>

/** GET /api/page/undo/changes: what changed from a step to the next one; without `until`, up to now. */
export const StepChangesView = z.object({
  patch: z.string(),
  until: z.iso.datetime().optional(),
})
export type StepChangesView = z.infer<typeof StepChangesView>

/** POST /api/page/sessions/SESSION/say: a person's prompt, which Baton types into the session. */
export const SayRequest = z.strictObject({ text: z.string().min(1).max(20_000) })

/** GET /api/page/sessions/SESSION/screen: what the session's terminal shows right now. */
export const ScreenView = z.object({
  state: z.string(),
  lines: z.array(z.string()),
})
export type ScreenView = z.infer<typeof ScreenView>
