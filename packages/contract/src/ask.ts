import { z } from 'zod'
import { AgentName } from './event.ts'
import { AskId, NativeId, SessionId } from './ids.ts'
import { AskedQuestion, Attachment, Reply } from './question.ts'

/**
 * `permission`: may the agent run this? `confirm`: anything else that needs a yes or a no. `question`: the agent asks one or
 * more questions. `form`: a tool of the agent wants these fields filled in. `plan`: may the agent follow this plan?
 */
export const AskKind = z.enum(['permission', 'confirm', 'question', 'form', 'plan'])
export type AskKind = z.infer<typeof AskKind>

/**
 * `reply` carries an answer to each question. `decline`: the person does not answer them. `send-back` returns a plan with a
 * comment. `allow-project` and `allow-everywhere` add a rule to the user's own settings. `on-screen`: the person wants to answer in the agent's own dialog.
 */
export const AskOption = z.enum([
  'allow-once',
  'allow-session',
  'allow-project',
  'allow-everywhere',
  'deny',
  'deny-with-reason',
  'yes',
  'no',
  'reply',
  'decline',
  'approve',
  'send-back',
  'on-screen',
])
export type AskOption = z.infer<typeof AskOption>

/** What the question is about, as far as Baton knows. */
export const AskFacts = z.object({
  session: SessionId.optional(),
  nativeSession: NativeId.optional(),
  /** What people call the session. */
  sessionName: z.string().optional(),
  agent: AgentName.optional(),
  /** The root of the worktree in which the session started. */
  project: z.string().optional(),
  tool: z.string().optional(),
  cwd: z.string().optional(),
  /** The machine of the fleet that asks, if it is another one. */
  machine: z.string().optional(),
})
export type AskFacts = z.infer<typeof AskFacts>

/** A rule that "always allow" adds: exactly what the ask shows, and nothing else. */
export const RememberedRule = z.union([
  z.strictObject({ command: z.string().min(1).max(500), folder: z.string().min(1).max(1000).optional() }),
  z.strictObject({ tool: z.literal('WebFetch'), pattern: z.string().min(1).max(500) }),
])
export type RememberedRule = z.infer<typeof RememberedRule>

/** The rules that an answer may add, for each scope. */
export const AskRules = z.object({
  project: RememberedRule.optional(),
  everywhere: RememberedRule.optional(),
})
export type AskRules = z.infer<typeof AskRules>

/** SHA-256 of session, tool, input and folder. An answer is valid for exactly this fingerprint. */
export const Fingerprint = z.string().regex(/^[0-9a-f]{64}$/)

export const MAX_REASON_LENGTH = 2000

export const AskAnswer = z.object({
  option: AskOption,
  /** What Baton tells the agent along with a denial, or the comment to a plan. */
  reason: z.string().min(1).max(MAX_REASON_LENGTH).optional(),
  /** With `reply`: the answers to the ask's questions. */
  replies: z.array(Reply).max(100).optional(),
  /** Where "always allow" put its rule, or why it could not. */
  remembered: z
    .union([z.object({ file: z.string(), rule: z.string() }), z.object({ problem: z.string() })])
    .optional(),
  by: z.object({ channel: z.string().min(1).max(32), who: z.string().max(200) }),
  at: z.iso.datetime(),
})
export type AskAnswer = z.infer<typeof AskAnswer>

export const WithdrawnWhy = z.enum(['waiter-gone', 'settled-elsewhere', 'session-ended', 'unreachable'])
export type WithdrawnWhy = z.infer<typeof WithdrawnWhy>

export const AskState = z.enum(['open', 'answered', 'timed-out', 'withdrawn'])
export type AskState = z.infer<typeof AskState>

/** One question to a person. The first channel that answers closes it. */
export const Ask = z.object({
  id: AskId,
  kind: AskKind,
  title: z.string().min(1).max(300),
  /** The full subject of the question, e.g. the whole command. */
  detail: z.string(),
  facts: AskFacts,
  /** What caused the question, e.g. an event's id. The same key with the same fingerprint is the same question. */
  key: z.string().min(1).max(200),
  fingerprint: Fingerprint,
  options: z.array(AskOption).min(1),
  /** For `permission`: what "always allow" would add. */
  rules: AskRules.optional(),
  /** For `question` and `form`. Asks of older versions have none. */
  questions: z.array(AskedQuestion).max(100).optional(),
  /** What to read before answering, such as a plan. */
  attachments: z.array(Attachment).max(20).optional(),
  createdAt: z.iso.datetime(),
  /** When Baton gave up waiting for an answer and marked the run as waiting. The ask is still open. */
  parkedAt: z.iso.datetime().optional(),
  expiresAt: z.iso.datetime(),
  state: AskState,
  settledAt: z.iso.datetime().optional(),
  answer: AskAnswer.optional(),
  withdrawn: WithdrawnWhy.optional(),
})
export type Ask = z.infer<typeof Ask>

/** POST /api/asks/ASK/answer. */
export const AnswerRequest = z.strictObject({
  option: AskOption,
  reason: z.string().max(MAX_REASON_LENGTH).optional(),
  replies: z.array(Reply).max(100).optional(),
  /** The fingerprint of what the person saw. If present, it must match the ask. */
  fingerprint: Fingerprint.optional(),
})
export type AnswerRequest = z.infer<typeof AnswerRequest>

/** GET and POST /api/presence: since when the person is away. */
export const Presence = z.object({ awaySince: z.iso.datetime().optional() })
export type Presence = z.infer<typeof Presence>
export const PresenceRequest = z.strictObject({ away: z.boolean() })

/** GET /api/asks */
export const AskList = z.object({ asks: z.array(Ask) })
export type AskList = z.infer<typeof AskList>

/** A journal entry about an ask. Only the `opened` entry holds the full text of the question. */
export const AskEntry = z.object({
  kind: z.literal('ask'),
  what: z.enum(['opened', 'parked', 'answered', 'timed-out', 'withdrawn']),
  ask: AskId,
  title: z.string(),
  detail: z.string().optional(),
  fingerprint: Fingerprint,
  key: z.string(),
  expiresAt: z.iso.datetime().optional(),
  answer: AskAnswer.optional(),
  why: WithdrawnWhy.optional(),
})
export type AskEntry = z.infer<typeof AskEntry>
