import { z } from 'zod'
import { AgentName } from './event.ts'
import { OLDEST_PROTOCOL, PROTOCOL } from './protocol.ts'

/** Which installation of the hooks made the call: the same event from two of them counts once. */
export const HookSource = z.enum(['plugin', 'user', 'project', 'local', 'manual'])
export type HookSource = z.infer<typeof HookSource>

/** What the client says about a call, beside the agent's own JSON. Carried as `baton-*` HTTP headers. */
export const Envelope = z.object({
  protocol: z.coerce.number().int().min(OLDEST_PROTOCOL).max(PROTOCOL),
  agent: AgentName,
  /** The agent's own name of the event, where the hook settings give it. */
  event: z
    .string()
    .regex(/^[A-Za-z][A-Za-z.]{0,63}$/)
    .optional(),
  source: HookSource.default('manual'),
  /** Unique to this call: a repeated one (the daemon died midway) is the same call, not a second event. */
  request: z
    .string()
    .regex(/^[A-Za-z0-9._-]{1,64}$/)
    .optional(),
  cwd: z.string().max(4096).optional(),
  home: z.string().max(4096).optional(),
  pane: z.string().max(128).optional(),
  /** The agent's process where it tells its hooks, else whoever started the hook. */
  pid: z.coerce.number().int().positive().optional(),
  /** `from=to` pairs for an agent that sees other paths than the daemon (a container). */
  pathMap: z.string().max(8192).optional(),
  /** `1` when a person sits at the agent's terminal, `0` when none does. */
  attended: z
    .enum(['0', '1'])
    .transform(text => text === '1')
    .optional(),
  /** Set by Baton on its own model calls: every reactor stands aside. */
  marker: z.string().max(64).optional(),
})
export type Envelope = z.infer<typeof Envelope>
