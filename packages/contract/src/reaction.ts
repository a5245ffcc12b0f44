import { z } from 'zod'
import { Reply } from './question.ts'

export const Decision = z.enum(['allow', 'deny', 'ask'])
export type Decision = z.infer<typeof Decision>

/** Baton's answer to an event. Every part is optional; an empty reaction leaves the agent alone. */
export const Reaction = z.object({
  /** For ToolRequested and PermissionAsked. */
  permission: z.object({ decision: Decision, reason: z.string() }).optional(),
  /** For a question, a plan or a form of the agent: what the person answered. */
  answer: z
    .object({
      accepted: z.boolean(),
      replies: z.array(Reply).optional(),
      /** Why it is not accepted, e.g. the comment to a plan. */
      comment: z.string().optional(),
    })
    .optional(),
  /** For ToolRequested: the agent runs the tool with this input instead. */
  rewrite: z.object({ input: z.record(z.string(), z.unknown()) }).optional(),
  /** For TurnEnded: the agent continues with exactly this prompt. */
  goOn: z.object({ prompt: z.string().min(1) }).optional(),
  /** For PromptSubmitted: the agent does not send the prompt to the model and shows the reason to the person. */
  refuse: z.object({ reason: z.string() }).optional(),
  /** Text that the model sees in addition to the event. */
  context: z.string().optional(),
  /** A line for the person at the terminal; the model does not see it. */
  notice: z.string().optional(),
})
export type Reaction = z.infer<typeof Reaction>
