import { z } from 'zod'
import { ConversationView } from './conversation.ts'
import { AgentName } from './event.ts'
import { NativeId } from './ids.ts'

/** POST /api/hosted: an event of a hosted session, in Baton's own types. The answer is a Reaction. */
export const HostedCall = z.object({
  agent: AgentName,
  cwd: z.string().max(4096),
  pid: z.number().int().positive().optional(),
  /** A person sits at the terminal of the hosting program. */
  attended: z.boolean(),
  /** An event without the fields that the daemon adds. */
  event: z.record(z.string(), z.unknown()),
})
export type HostedCall = z.infer<typeof HostedCall>

/** POST /api/hosted/own: the session starts (`on`) or ends a turn that answers Baton's own question. */
export const HostedOwnTurn = z.object({ agent: AgentName, nativeSession: NativeId, on: z.boolean() })

/** GET /api/hosted/words: a stream of what a person sends to a hosted session from elsewhere, such as the dashboard. */
export const HostedSession = z.object({ agent: AgentName, nativeSession: NativeId })
export const HostedWord = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('say'), text: z.string().min(1).max(20_000) }),
  /** Interrupt the current turn. */
  z.object({ kind: z.literal('stop') }),
])
export type HostedWord = z.infer<typeof HostedWord>

/** POST /api/hosted/conversation: what changed in the conversation since the last report, for the dashboard. */
export const HostedTalk = z.object({ agent: AgentName, nativeSession: NativeId, news: ConversationView })
export type HostedTalk = z.infer<typeof HostedTalk>
