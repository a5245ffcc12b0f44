import { z } from 'zod'
import { ContextFigure } from './context.ts'
import { AgentName, PermissionMode } from './event.ts'
import { NativeId, SessionId } from './ids.ts'

/** One conversation of an agent, derived from its events. Can be rebuilt from the journal. */
export const Session = z.object({
  id: SessionId,
  agent: AgentName,
  nativeSession: NativeId,
  /** What people call it. */
  name: z.string().optional(),
  /** Where the name comes from: its first prompt, its issue, or a person, whose name stays. */
  namedBy: z.enum(['prompt', 'issue', 'person']).optional(),
  cwd: z.string().optional(),
  project: z.string().optional(),
  transcript: z.string().optional(),
  mode: PermissionMode.optional(),
  pane: z.string().optional(),
  /** The agent's process id, if its hooks report one. */
  pid: z.number().int().positive().optional(),
  /** The same process reported more than one event, so it is the agent itself and not a shell that ran one hook. */
  ownPid: z.boolean().optional(),
  startedAt: z.iso.datetime(),
  lastSeenAt: z.iso.datetime(),
  endedAt: z.iso.datetime().optional(),
  endReason: z.string().optional(),
  lastEvent: z.string(),
  events: z.number().int().nonnegative(),
  /** The session this one continues, after a handoff or /clear. */
  parent: SessionId.optional(),
  /** How full the context is; absent until the agent reports a figure. */
  context: ContextFigure.optional(),
})
export type Session = z.infer<typeof Session>
