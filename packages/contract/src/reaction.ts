import { z } from 'zod'

export const Decision = z.enum(['allow', 'deny', 'ask'])
export type Decision = z.infer<typeof Decision>

/** What Baton answers to an event. Every part is optional; an empty reaction lets the agent do as it would. */
export const Reaction = z.object({
  /** For ToolRequested and PermissionAsked. */
  permission: z.object({ decision: Decision, reason: z.string() }).optional(),
  /** For TurnEnded: the agent goes on with exactly this prompt. */
  goOn: z.object({ prompt: z.string().min(1) }).optional(),
  /** For PromptSubmitted: the prompt is not sent to the model, and the person is told why. */
  refuse: z.object({ reason: z.string() }).optional(),
  /** Text the model sees beside the event. */
  context: z.string().optional(),
  /** A line for the person at the terminal; the model does not see it. */
  notice: z.string().optional(),
})
export type Reaction = z.infer<typeof Reaction>
