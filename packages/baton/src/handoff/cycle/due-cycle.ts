import { Cycle } from '@batonpass/contract/cycle'
import { CycleId } from '@batonpass/contract/ids'
import type { Session } from '@batonpass/contract/session'
import type { CyclePorts } from './ports.ts'

/** Creates a cycle that waits for a good moment; undefined if Baton cannot type into the session. */
export function dueCycle(
  session: Session,
  reason: Cycle['reason'],
  now: number,
  { driverAt, ids }: Pick<CyclePorts, 'driverAt' | 'ids'>,
): Cycle | undefined {
  const { pane, agent, nativeSession, project } = session
  const driver = pane && driverAt(pane)
  if (!driver || !project) return undefined
  const at = new Date(now).toISOString()
  return Cycle.parse({
    id: CycleId.parse(`cyc_${ids.id(20)}`),
    version: 0,
    session: session.id,
    nativeSession,
    agent,
    project,
    place: pane,
    reason,
    ...(driver.startsWithPrompt?.(agent) ? { startsWithPrompt: true } : {}),
    ...(session.context?.percent === undefined ? {} : { percent: session.context.percent }),
    step: 'due',
    startedAt: at,
    changedAt: at,
  })
}

export const DUE_REASONS = {
  context: 'the context is full',
  overflow: 'the next turn may not fit in the context',
  asked: 'a person requested it',
  restart: 'the agent was restarted and cannot resume this session',
  hung: 'the agent no longer answers',
} as const satisfies Record<Cycle['reason'], string>
