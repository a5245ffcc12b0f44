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

/** GET /api/hosted/words: what a person says to such a session from elsewhere, as it is said; a stream of these. */
export const HostedSession = z.object({ agent: AgentName, nativeSession: NativeId })
export const HostedWord = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('say'), text: z.string().min(1).max(20_000) }),
  /** Stop what you are doing. */
  z.object({ kind: z.literal('stop') }),
])
export type HostedWord = z.infer<typeof HostedWord>

/** POST /api/hosted/conversation: what was said since it was last told, for whoever looks. */
export const HostedTalk = z.object({ agent: AgentName, nativeSession: NativeId, news: ConversationView })
export type HostedTalk = z.infer<typeof HostedTalk>
