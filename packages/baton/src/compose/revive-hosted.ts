import type { Session } from '@batonpass/contract/session'
import type { Revived } from '../adapters/acp/driver.ts'
import type { Asks } from '../ask/asks.ts'
import type { Intake } from '../engine/intake.ts'
import type { Cycles } from '../handoff/cycle/cycles.ts'
import { sessionId } from '../session/id.ts'
import type { Drivers, Sessions } from './sessions.ts'

export interface RevivalParts {
  drivers: Pick<Drivers, 'revive' | 'at'>
  sessions: Pick<Sessions, 'revived'>
  cycles: Pick<Cycles, 'isBusy' | 'placeLost' | 'start'> | undefined
  intake: Pick<Intake, 'handleEvent'>
  session(id: string): Promise<Session | undefined>
  asks: Pick<Asks, 'tell'>
  fault(during: string, cause: unknown): void
}

/** What an agent is told whose turn ended with the daemon. */
const CUT_OFF =
  'Baton, which hosts you, was started again, and your last turn was cut off. See what of it is done, and go on where you were.'

/** Goes on with the hosted sessions of the last daemon; each ends well or says why not. */
export async function reviveHosted(parts: RevivalParts): Promise<void> {
  try {
    const revived = await parts.drivers.revive()
    await Promise.all(
      revived.map(each =>
        settle(parts, each).catch(cause => parts.fault('reviving a hosted session', cause)),
      ),
    )
  } catch (cause) {
    parts.fault('reviving hosted sessions', cause)
  }
}

async function settle(parts: RevivalParts, revived: Revived): Promise<void> {
  const { cycles, drivers, asks, intake } = parts
  const { place, agent, nativeSession, how, working, why = '' } = revived
  await cycles?.start()
  await parts.sessions.revived(revived)
  const id = nativeSession === undefined ? undefined : sessionId(agent, nativeSession)
  if (how === 'failed') {
    const reason = `its hosted agent could not be started again: ${why}`
    // The reason first: an end alone would say only that it ended.
    await cycles?.placeLost(place, reason)
    const session = id && (await parts.session(id))
    if (!session || session.endedAt) return
    const { project, cwd = project ?? '/' } = session
    const ended = { type: 'SessionEnded' as const, nativeSession: session.nativeSession, cwd, reason: 'died' }
    const signal = new AbortController().signal
    await intake.handleEvent(agent, ended, { pane: place, cwd, attended: false, hosted: true, signal })
    await asks.tell({
      project: project ?? cwd,
      text: `🔔 A hosted session of ${project ?? agent} is over: ${reason}`,
    })
    return
  }
  // A cycle says itself what comes next; one that could not be gone back to is told by its document.
  if (how === 'resumed' && working && !(id && cycles?.isBusy(id)))
    await drivers.at(place)?.type(place, CUT_OFF, agent)
}
