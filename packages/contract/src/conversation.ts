import { z } from 'zod'

/** The state of a tool call. `asks`: it waits for approval. */
export const CallState = z.enum(['running', 'asks', 'done', 'failed'])
export type CallState = z.infer<typeof CallState>

const common = {
  /** The item's position in the conversation. */
  nth: z.number().int().nonnegative(),
  /** Grows with every change. A reader asks for items newer than the last revision it saw. */
  rev: z.number().int().positive(),
  at: z.iso.datetime(),
}

/** One message or action. The text grows while the agent streams it. */
export const ConversationItem = z.discriminatedUnion('kind', [
  /** `automatic`: Baton sent this prompt to continue the work. */
  z.object({ ...common, kind: z.literal('prompt'), text: z.string(), automatic: z.boolean() }),
  z.object({ ...common, kind: z.literal('reply'), text: z.string() }),
  z.object({ ...common, kind: z.literal('thought'), text: z.string() }),
  z.object({
    ...common,
    kind: z.literal('call'),
    tool: z.string(),
    /** The command, the paths or another short description of the call. */
    subject: z.string(),
    state: CallState,
    result: z.string().optional(),
  }),
  z.object({ ...common, kind: z.literal('note'), text: z.string(), bad: z.boolean() }),
])
export type ConversationItem = z.infer<typeof ConversationItem>

/** GET /api/page/sessions/SESSION/conversation: a stream of what changed since a revision, in a hosted session. */
export const ConversationView = z.object({
  /** `none`: the daemon holds no conversation of this session right now. */
  state: z.enum(['waiting', 'working', 'dialog', 'dead', 'unknown', 'none']),
  rev: z.number().int().nonnegative(),
  items: z.array(ConversationItem),
  /** The agent's latest plan. */
  plan: z.array(z.object({ text: z.string(), done: z.boolean() })),
  /** Another program hosts this session and accepts prompts sent through the daemon. */
  hears: z.boolean().optional(),
})
export type ConversationView = z.infer<typeof ConversationView>
