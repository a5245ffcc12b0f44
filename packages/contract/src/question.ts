import { z } from 'zod'
import { MAX_REPLY_LENGTH } from './reply-length.ts'

/** How a person answers one question of an ask. */
export const QuestionKind = z.enum(['choice', 'multi-choice', 'text', 'number', 'yes-no'])
export type QuestionKind = z.infer<typeof QuestionKind>

export const Choice = z.object({
  /** What the agent receives. */
  value: z.string().max(2000),
  label: z.string().min(1).max(2000),
  description: z.string().max(10_000).optional(),
  /** The agent marked this choice as the one it would take. */
  recommended: z.literal(true).optional(),
})
export type Choice = z.infer<typeof Choice>

/** One question of an ask. A call of an agent can contain several. */
export const AskedQuestion = z.object({
  /** Unique within the ask. */
  id: z.string().min(1).max(2000),
  kind: QuestionKind,
  text: z.string().min(1).max(20_000),
  /** A short name, e.g. for a tab or a field. */
  name: z.string().max(200).optional(),
  /** For `choice`, `multi-choice` and `yes-no`. */
  choices: z.array(Choice).max(100).optional(),
  /** The person may answer a choice in their own words. */
  ownWords: z.literal(true).optional(),
  /** The question may stay unanswered. */
  optional: z.literal(true).optional(),
  /** Bounds of a text's length, of a number, or of how many choices to take. */
  min: z.number().optional(),
  max: z.number().optional(),
  /** Only whole numbers. */
  whole: z.literal(true).optional(),
  format: z.enum(['email', 'uri', 'date', 'date-time']).optional(),
})
export type AskedQuestion = z.infer<typeof AskedQuestion>

/** Something to read before answering, such as a plan. */
export const Attachment = z.object({ title: z.string().min(1).max(200), text: z.string() })
export type Attachment = z.infer<typeof Attachment>

/** A person's answer to one question: the values of the choices taken, or words, or both if a choice allows own words. */
export const Reply = z.strictObject({
  question: z.string().min(1).max(2000),
  chosen: z.array(z.string().max(2000)).max(100).optional(),
  words: z.string().max(MAX_REPLY_LENGTH).optional(),
})
export type Reply = z.infer<typeof Reply>
