import { z } from 'zod'
import { ConversationView } from './conversation.ts'
import { AgentName } from './event.ts'
import { NativeId } from './ids.ts'

/** POST /api/hosted: what an agent does that a program of Baton's hosts, in our words. The answer is a Reaction. */
export const HostedCall = z.object({
  agent: AgentName,
  cwd: z.string().max(4096),
  pid: z.number().int().positive().optional(),
  /** A person sits at the terminal that hosts it. */
  attended: z.boolean(),
  /** An event without what the daemon stamps on it. */
  event: z.record(z.string(), z.unknown()),
})
export type HostedCall = z.infer<typeof HostedCall>

/** POST /api/hosted/own: the session answers a question of Baton's own now, or has answered it. */
export const HostedOwnTurn = z.object({ agent: AgentName, nativeSession: NativeId, on: z.boolean() })

/** POST /api/hosted/conversation: what was said since it was last told, for whoever looks. */
export const HostedTalk = z.object({ agent: AgentName, nativeSession: NativeId, news: ConversationView })
export type HostedTalk = z.infer<typeof HostedTalk>
