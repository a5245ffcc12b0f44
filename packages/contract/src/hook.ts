import { z } from 'zod'
import { AgentName } from './event.ts'
import { OLDEST_PROTOCOL, PROTOCOL } from './protocol.ts'

/** Which installation of the hooks made the call. The same event from two installations counts once. */
export const HookSource = z.enum(['plugin', 'user', 'project', 'local', 'manual'])
export type HookSource = z.infer<typeof HookSource>

/** What the hook client adds to the agent's own JSON, sent as `baton-*` HTTP headers. */
export const Envelope = z.object({
  protocol: z.coerce.number().int().min(OLDEST_PROTOCOL).max(PROTOCOL),
  agent: AgentName,
  /** The agent's own name for the event, if the hook settings contain it. */
  event: z
    .string()
    .regex(/^[A-Za-z][A-Za-z.]{0,63}$/)
    .optional(),
  source: HookSource.default('manual'),
  /** Unique per call. The client repeats a call if the daemon dies midway; the repeat is not a second event. */
  request: z
    .string()
    .regex(/^[A-Za-z0-9._-]{1,64}$/)
    .optional(),
  cwd: z.string().max(4096).optional(),
  home: z.string().max(4096).optional(),
  pane: z.string().max(128).optional(),
  /** The agent's process id if the agent passes it to its hooks, otherwise the hook's parent process. */
  pid: z.coerce.number().int().positive().optional(),
  /** `from=to` pairs for an agent that sees different paths than the daemon, such as one in a container. */
  pathMap: z.string().max(8192).optional(),
  /** `1` when a person sits at the agent's terminal, `0` when none does. */
  attended: z
    .enum(['0', '1'])
    .transform(text => text === '1')
    .optional(),
  /** Set by Baton on its own model calls, so that reactors ignore them. */
  marker: z.string().max(64).optional(),
})
export type Envelope = z.infer<typeof Envelope>
