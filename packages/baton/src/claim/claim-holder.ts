import type { SessionId } from '@batonpass/contract/ids'
import type { Session } from '@batonpass/contract/session'
import { entry } from './fence.ts'
import type { ClaimPorts } from './ports.ts'
import type { ClaimRecord } from './record.ts'

/** The parts of a session that a claim stores about its holder. */
export type Holder = Pick<Session, 'id' | 'nativeSession' | 'agent'> & { pane?: string | undefined }

/** Assigns a claim to the session that starts in its worktree. Returns false if another live session holds it. */
export async function assignToSession(
  ports: ClaimPorts,
  record: ClaimRecord,
  session: Session,
  same: boolean,
  known: Session | undefined,
): Promise<boolean> {
  const free = record.session === session.id || record.session === undefined || same || record.sessionEnded
  if (!free && known && !known.endedAt && (known.pid === undefined || ports.isAlive(known.pid))) return false
  await give(ports, record, session)
  return true
}

/** Moves a session's claim to its successor. Returns false if the session holds no claim. */
export async function carryOver(ports: ClaimPorts, from: SessionId, to: Holder): Promise<boolean> {
  const record = await ports.records.find(each => each.session === from)
  if (!record) return false
  await give(ports, record, to)
  await ports.journal(record, {
    ...entry(record, 'carried-over'),
    reason: `to session ${to.nativeSession}`,
  })
  return true
}

async function give(ports: ClaimPorts, record: ClaimRecord, session: Holder): Promise<void> {
  await ports.records.change(record, ({ pane, ...known }) => {
    const place = session.pane ?? pane
    return {
      ...known,
      session: session.id,
      nativeSession: session.nativeSession,
      agent: session.agent,
      ...(place === undefined ? {} : { pane: place }),
      sessionEnded: false,
    }
  })
}
