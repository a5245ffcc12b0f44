import type { Session } from '@batonpass/contract/session'
import type { Claims } from '../claim/claims.ts'
import type { Reactor } from '../ports/reactor.ts'
import { nameAfterIssue } from '../session/session-name.ts'

/** Names a session after the issue that it holds. */
export function nameSession(parts: {
  claimAt: Claims['at']
  rename(id: Session['id'], change: (known: Session) => Session): Promise<void>
  redact(text: string): string
  fault(during: string, cause: unknown): void
}): Reactor {
  return {
    name: 'session',
    async react(event, { session, project }) {
      if (event.type !== 'PromptSubmitted' && event.type !== 'TurnEnded') return undefined
      const claim = session.namedBy === 'person' ? undefined : await parts.claimAt(project)
      if (claim?.session !== session.id) return undefined
      const title = parts.redact(claim.title)
      if (!nameAfterIssue(session, claim.issue, title)) return undefined
      // Not awaited: the change waits in the queue of the session, which is at this event.
      void parts
        .rename(session.id, known => ({ ...known, ...nameAfterIssue(known, claim.issue, title) }))
        .catch(cause => parts.fault('naming a session', cause))
      return undefined
    },
  }
}
