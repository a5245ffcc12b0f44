import type { AgentName } from '@batonpass/contract/event'
import type { Session } from '@batonpass/contract/session'
import type { DecodedEvent } from '../ports/agent.ts'
import { isDisplaced, lostReason } from '../session/watch/lost-sessions.ts'

export interface LostSessionPorts {
  session(id: Session['id']): Promise<Session | undefined>
  updateSession(id: Session['id'], change: (session: Session) => Session): Promise<void>
  /** Handles an event as if the agent had reported it. */
  report(agent: AgentName, event: DecodedEvent): Promise<unknown>
  /** Whether a workflow's run waits for this session to continue or to end. */
  hasUnfinishedRun(id: Session['id']): Promise<boolean>
  /** Whether its work is being handed to another session. */
  isBusyElsewhere(id: Session['id']): Promise<boolean>
  now(): number
}

/**
 * Ends a session whose process or terminal is gone. A run whose agent can neither stop nor report its end any more would
 * otherwise stay open forever, so for such a session Baton reports the end in the agent's place.
 */
export async function endLostSession(
  { id, lastSeenAt }: Pick<Session, 'id' | 'lastSeenAt'>,
  why: string,
  ports: LostSessionPorts,
): Promise<void> {
  const known = await ports.session(id)
  // Do not end a session that has reported again meanwhile.
  if (!known || known.endedAt !== undefined || known.lastSeenAt !== lastSeenAt) return
  const { agent, nativeSession, cwd } = known
  const reason = lostReason(why)
  if (!isDisplaced(why) && (await ports.hasUnfinishedRun(id)) && !(await ports.isBusyElsewhere(id)))
    await ports.report(agent, { type: 'SessionEnded', nativeSession, ...(cwd ? { cwd } : {}), reason })
  // A session that was just reported as ended stays as it is.
  await ports.updateSession(id, session =>
    session.endedAt === undefined && session.lastSeenAt === lastSeenAt
      ? { ...session, endedAt: new Date(ports.now()).toISOString(), endReason: reason }
      : session,
  )
}
