import type { Cycle } from '@batonpass/contract/cycle'
import type { Session } from '@batonpass/contract/session'
import type { CycleEvent } from './events.ts'
import type { CyclePorts } from './ports.ts'
import { isGone } from './terminal-actions.ts'

/** How long a terminal has to be idle before Baton types: a person may be about to type. */
export const REST_MS = 500

/** Receives what polling finds. */
export interface PollListener {
  applyEvent(id: string, event: CycleEvent): Promise<unknown>
  documentWritten(session: string, document: string): Promise<void>
  successorStarted(session: Session): Promise<void>
  /** The session is due and idle. */
  sessionIdle(cycle: Cycle): Promise<unknown>
}

/** Finds what no hook reported: a finished document, a new session, an agent that is gone. */
export async function pollCycle(cycle: Cycle, ports: CyclePorts, listener: PollListener): Promise<void> {
  await acceptDocument(cycle, ports, listener)
  if (cycle.step === 'clearing' || cycle.step === 'person') await acceptSuccessor(cycle, ports, listener)
  const driver = ports.driverAt(cycle.place)
  if (!driver || cycle.step === 'person') return
  const session = await ports.session(cycle.successor?.session ?? cycle.session)
  // The pid of a hosted agent is not checked: its host restarts it under another pid and reports losses itself.
  const tells = driver.kind !== 'acp' && session?.agent === 'claude-code'
  if (tells && session.pid && !ports.alive(session.pid))
    await listener.applyEvent(cycle.id, { type: 'lost', why: 'the agent process has ended' })
  const { state } = await driver.readScreen(cycle.place, cycle.agent)
  const acting = { driver, timers: ports.timers }
  if ((state === 'gone' || state === 'dead') && (await isGone(acting, cycle)))
    await listener.applyEvent(cycle.id, { type: 'lost', why: 'its terminal is gone' })
  if (state !== 'waiting' || cycle.step !== 'due' || cycle.pauseMs > 0) return
  const rested = !session || Math.abs(ports.clock.now() - Date.parse(session.lastSeenAt)) >= REST_MS
  if (rested) await listener.sessionIdle(cycle)
}

/** Accepts the session that started at the cycle's place since the cycle did. */
export async function acceptSuccessor(
  cycle: Cycle,
  { sessionsAt }: Pick<CyclePorts, 'sessionsAt'>,
  listener: Pick<PollListener, 'successorStarted'>,
): Promise<void> {
  if (cycle.successor) return
  const [here] = (await sessionsAt(cycle.place))
    .filter(({ id, startedAt }) => id !== cycle.session && startedAt >= cycle.startedAt)
    .sort((a, b) => (a.startedAt < b.startedAt ? 1 : -1))
  if (here) await listener.successorStarted(here)
}

/** Accepts a document that is already finished instead of asking for it again. */
export async function acceptDocument(
  cycle: Cycle,
  { documents, clock }: CyclePorts,
  listener: Pick<PollListener, 'documentWritten'>,
): Promise<void> {
  if (cycle.step !== 'writing') return
  if (!cycle.lost) await documents.ready(cycle.session, clock.now())
  const settled = await documents.settled(cycle)
  if (settled && settled.document !== cycle.document)
    await listener.documentWritten(cycle.session, settled.document)
}
