import { z } from 'zod'

/** How a tool call stands. `asks`: it waits for a yes. */
export const CallState = z.enum(['running', 'asks', 'done', 'failed'])
export type CallState = z.infer<typeof CallState>

const common = {
  /** Its place in the conversation. */
  nth: z.number().int().nonnegative(),
  /** Grows with every change of the conversation: what is newer than one's own was not seen yet. */
  rev: z.number().int().positive(),
  at: z.iso.datetime(),
}

/** One thing that was said or done. Texts grow while the agent speaks. */
export const ConversationItem = z.discriminatedUnion('kind', [
  /** `automatic`: Baton's own word, to go on. */
  z.object({ ...common, kind: z.literal('prompt'), text: z.string(), automatic: z.boolean() }),
  z.object({ ...common, kind: z.literal('reply'), text: z.string() }),
  z.object({ ...common, kind: z.literal('thought'), text: z.string() }),
  z.object({
    ...common,
    kind: z.literal('call'),
    tool: z.string(),
    /** The command, the paths or whatever else says what the call is about. */
    subject: z.string(),
    state: CallState,
    result: z.string().optional(),
  }),
  z.object({ ...common, kind: z.literal('note'), text: z.string(), bad: z.boolean() }),
])
export type ConversationItem = z.infer<typeof ConversationItem>

/** GET /api/page/sessions/SESSION/conversation: what was said since a revision, in a session that Baton hosts; a stream. */
export const ConversationView = z.object({
  /** `none`: no conversation is held of it right now. */
  state: z.enum(['waiting', 'working', 'dialog', 'dead', 'unknown', 'none']),
  rev: z.number().int().nonnegative(),
  items: z.array(ConversationItem),
  /** What the agent means to do, as it said last. */
  plan: z.array(z.object({ text: z.string(), done: z.boolean() })),
  /** A program that holds the conversation elsewhere takes a person's words from here. */
  hears: z.boolean().optional(),
})
export type ConversationView = z.infer<typeof ConversationView>
