import type { HealthCheck, PsRow } from '@batonpass/contract/watch'
import type { Watched } from './subjects.ts'

/** The workflow of a session, as `baton ps` shows it. */
export type RunInSession = NonNullable<PsRow['workflow']>

/** The lines of `baton ps`: sessions that need attention or work first, then by their last activity. */
export function psRows(
  watched: readonly Watched[],
  standing: readonly HealthCheck[],
  workflowOf: (one: Watched) => RunInSession | undefined,
): PsRow[] {
  const problems = Map.groupBy(
    standing.filter(({ status }) => status !== 'ok'),
    ({ session }) => session,
  )
  return watched
    .map((one): PsRow => {
      const { session, spawn } = one
      const workflow = workflowOf(one)
      return {
        id: session?.nativeSession ?? spawn?.id ?? one.id,
        by: spawn?.kind === 'run' ? 'run' : spawn?.kind === 'watch' ? 'watch' : 'hooks',
        agent: one.agent,
        state: one.state,
        startedAt: spawn?.started_at ?? session?.startedAt ?? new Date(one.activeAt).toISOString(),
        lastActivityAt: new Date(one.activeAt).toISOString(),
        ...(session ? { session: session.id, nativeSession: session.nativeSession } : {}),
        ...(session?.name ? { name: session.name } : {}),
        ...(spawn ? { spawn: spawn.id, title: spawn.title } : {}),
        ...(one.project === undefined ? {} : { project: one.project }),
        ...(one.place === undefined ? {} : { place: one.place }),
        ...(one.pid === undefined ? {} : { pid: one.pid }),
        ...(session?.context ? { context: figures(session.context) } : {}),
        ...(workflow ? { workflow } : {}),
        problems: (problems.get(one.id) ?? []).map(problemOf).sort(worstFirst),
      }
    })
    .sort((a, b) => rank(a) - rank(b) || b.lastActivityAt.localeCompare(a.lastActivityAt))
}

function figures({
  used,
  size,
  percent,
  zone,
  turnsLeft,
}: NonNullable<PsRow['context']>): NonNullable<PsRow['context']> {
  return {
    used,
    zone,
    ...(size === undefined ? {} : { size }),
    ...(percent === undefined ? {} : { percent }),
    ...(turnsLeft === undefined ? {} : { turnsLeft }),
  }
}

const problemOf = ({ check_type, status, details }: HealthCheck): PsRow['problems'][number] => ({
  check: check_type,
  status: status === 'critical' ? 'critical' : 'warning',
  message: typeof details.message === 'string' ? details.message : '',
})

const worstFirst = (a: PsRow['problems'][number], b: PsRow['problems'][number]): number =>
  Number(b.status === 'critical') - Number(a.status === 'critical')

const ORDER: readonly PsRow['state'][] = ['dialog', 'working', 'stalled', 'person', 'waiting', 'unknown']
const rank = ({ state }: PsRow): number => {
  const at = ORDER.indexOf(state)
  return at < 0 ? ORDER.length : at
}
