import type { AgentName } from '@batonpass/contract/event'
import type { SessionId } from '@batonpass/contract/ids'
import type { Session } from '@batonpass/contract/session'
import type { Spawn } from '@batonpass/contract/watch'
import { sessionId } from '../id.ts'
import type { Seen } from './assess-health.ts'

/** Something that Baton watches: a session whose hooks report, a spawn that Baton started or adopted, or both. */
export interface Subject {
  /** The session's id. For a spawn that has not reported yet, an id derived from the spawn. */
  id: SessionId
  session: Session | undefined
  spawn: Spawn | undefined
  agent: AgentName
  project: string | undefined
  place: string | undefined
  pid: number | undefined
}

/**
 * The subjects to watch. A place holds one session at a time: the one that reported last. If Baton saw the end of its own
 * spawn, that session is over even if it sent no SessionEnd.
 */
export function subjects(sessions: readonly Session[], all: readonly Spawn[]): Subject[] {
  const spawns = all.filter(({ ended_at }) => ended_at === null)
  const over = new Set(endedWithSpawn(sessions, all))
  const unended = sessions.filter(session => !over.has(session))
  const newest = new Map<string, Session>()
  for (const session of unended) {
    const rival = session.pane === undefined ? undefined : newest.get(session.pane)
    if (session.pane !== undefined && !(rival && rival.lastSeenAt >= session.lastSeenAt))
      newest.set(session.pane, session)
  }
  const there = unended.filter(session => session.pane === undefined || newest.get(session.pane) === session)
  const started = spawns.filter(({ kind }) => kind !== 'child')
  const atPlace = new Map(started.map(spawn => [spawn.place, spawn]))
  const reported = there.map(session => {
    const spawn = session.pane === undefined ? undefined : atPlace.get(session.pane)
    return subjectOf(session, spawn && belongs(session, spawn) ? spawn : undefined)
  })
  const taken = new Set(reported.map(({ spawn }) => spawn?.id))
  return [
    ...reported,
    ...started.filter(spawn => !taken.has(spawn.id)).map(spawn => subjectOf(undefined, spawn)),
  ]
}

/** Live sessions whose agent Baton started, and saw end since they reported. `by`: at the latest then. */
export function endedWithSpawn(
  sessions: readonly Session[],
  all: readonly Spawn[],
  by = Number.POSITIVE_INFINITY,
): Session[] {
  const over = new Map(
    all.flatMap(({ kind, session, ended_at }) =>
      kind === 'run' && session && ended_at && Date.parse(ended_at) <= by ? [[session, ended_at]] : [],
    ),
  )
  return sessions.filter(({ id, lastSeenAt }) => (over.get(id) ?? '') >= lastSeenAt)
}

function subjectOf(session: Session | undefined, spawn: Spawn | undefined): Subject {
  const agent = session?.agent ?? spawn?.agent ?? 'claude-code'
  return {
    id: session?.id ?? sessionId(agent, spawn?.id ?? ''),
    session,
    spawn,
    agent,
    project: session?.project ?? session?.cwd ?? spawn?.project ?? undefined,
    place: session?.pane ?? spawn?.place ?? undefined,
    pid: session?.pid ?? spawn?.pid ?? undefined,
  }
}

/** Places are reused: a session that was silent since before the spawn started does not belong to it. */
const belongs = (session: Session, spawn: Spawn): boolean =>
  spawn.kind === 'watch' || Date.parse(session.lastSeenAt) >= Date.parse(spawn.started_at) - CLOCKS_DIFFER_MS

const CLOCKS_DIFFER_MS = 5000

/** A subject with its observations. */
export interface Watched extends Subject, Seen {}
