import { z } from 'zod'
import { AgentName } from './event.ts'
import { AskId, NativeId, SessionId } from './ids.ts'

/** `permission`: may the agent run this? `confirm`: anything else that needs a yes or a no. */
export const AskKind = z.enum(['permission', 'confirm'])
export type AskKind = z.infer<typeof AskKind>

export const AskOption = z.enum(['allow-once', 'allow-session', 'deny', 'deny-with-reason', 'yes', 'no'])
export type AskOption = z.infer<typeof AskOption>

/** What a question is about, as far as it is known. */
export const AskFacts = z.object({
  session: SessionId.optional(),
  nativeSession: NativeId.optional(),
  agent: AgentName.optional(),
  /** The worktree root the session began in. */
  project: z.string().optional(),
  tool: z.string().optional(),
  cwd: z.string().optional(),
})
export type AskFacts = z.infer<typeof AskFacts>

/** sha256 over session, tool, input and folder: an answer counts for exactly this and for nothing else. */
export const Fingerprint = z.string().regex(/^[0-9a-f]{64}$/)

export const MAX_REASON_LENGTH = 2000

export const AskAnswer = z.object({
  option: AskOption,
  /** What the agent is told beside a no. */
  reason: z.string().min(1).max(MAX_REASON_LENGTH).optional(),
  by: z.object({ channel: z.string().min(1).max(32), who: z.string().max(200) }),
  at: z.iso.datetime(),
})
export type AskAnswer = z.infer<typeof AskAnswer>

export const WithdrawnWhy = z.enum(['waiter-gone', 'settled-elsewhere', 'session-ended', 'unreachable'])
export type WithdrawnWhy = z.infer<typeof WithdrawnWhy>

export const AskState = z.enum(['open', 'answered', 'timed-out', 'withdrawn'])
export type AskState = z.infer<typeof AskState>

/** One question to a person, answered once, by whichever channel answers first. */
export const Ask = z.object({
  id: AskId,
  kind: AskKind,
  title: z.string().min(1).max(300),
  /** The whole of what is asked about, e.g. the full command. */
  detail: z.string(),
  facts: AskFacts,
  /** What asked, e.g. an event's id: the same key with the same fingerprint is the same question. */
  key: z.string().min(1).max(200),
  fingerprint: Fingerprint,
  options: z.array(AskOption).min(1),
  createdAt: z.iso.datetime(),
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
  /** What the person saw; given, it must be what is asked. */
  fingerprint: Fingerprint.optional(),
})
export type AnswerRequest = z.infer<typeof AnswerRequest>

/** GET /api/asks */
export const AskList = z.object({ asks: z.array(Ask) })
export type AskList = z.infer<typeof AskList>

/** What the journal says about an ask. The question's whole text stands once, where it was opened. */
export const AskEntry = z.object({
  kind: z.literal('ask'),
  what: z.enum(['opened', 'answered', 'timed-out', 'withdrawn']),
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
