import { z } from 'zod'
import { ConversationView } from './conversation.ts'
import { AgentName } from './event.ts'
import { NativeId } from './ids.ts'

/** Names the sandbox of an agent that runs in it as a whole. */
export const SandboxName = z.string().regex(/^agent_[0-9a-z]{1,64}$/)

/** POST /api/contained: prepare an agent that another program of Baton hosts to run in the sandbox as a whole. */
export const ContainRequest = z.object({
  agent: AgentName,
  cwd: z.string().max(4096).regex(/^\//),
  /** The environment that it is started with. */
  env: z.record(z.string().regex(/^[A-Za-z_]\w*$/), z.string().max(100_000)),
})
export type ContainRequest = z.infer<typeof ContainRequest>

/** The answer: what to start in place of the agent's program, once. */
export const Contained = z.object({
  sandbox: SandboxName,
  program: z.string(),
  args: z.array(z.string()),
})

/** POST /api/contained/NAME: the agent runs, and began a conversation. Refused if that belongs to another session. */
export const ContainedSession = z.object({ pid: z.number().int().positive(), nativeSession: NativeId })

/** POST /api/hosted: an event of a hosted session, in Baton's own types. The answer is a Reaction. */
export const HostedCall = z.object({
  agent: AgentName,
  cwd: z.string().max(4096),
  pid: z.number().int().positive().optional(),
  /** A person sits at the terminal of the hosting program. */
  attended: z.boolean(),
  /** The sandbox in which the agent runs as a whole. */
  sandbox: SandboxName.optional(),
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
