import type { Session } from '@batonpass/contract/session'
import type { Revived } from '../adapters/acp/driver.ts'
import type { Asks } from '../ask/asks.ts'
import type { Intake } from '../engine/intake.ts'
import type { Cycles } from '../handoff/cycle/cycles.ts'
import { sessionId } from '../session/id.ts'
import type { Pauses } from '../session/pauses.ts'
import type { Drivers, Sessions } from './sessions.ts'

export interface RevivalParts {
  drivers: Pick<Drivers, 'revive' | 'at'>
  sessions: Pick<Sessions, 'revived'>
  cycles: Pick<Cycles, 'isBusy' | 'placeLost' | 'start'> | undefined
  intake: Pick<Intake, 'handleEvent'>
  session(id: string): Promise<Session | undefined>
  asks: Pick<Asks, 'tell'>
  pauses: Pick<Pauses, 'of' | 'untilEnded'>
  fault(during: string, cause: unknown): void
}

/** The prompt for an agent whose turn was interrupted when the daemon stopped. */
const INTERRUPTED_PROMPT =
  'Baton, which hosts you, was restarted and interrupted your last turn. Check what is already done, then continue where you stopped.'

/** Resumes the hosted sessions of the previous daemon. A session that cannot be resumed ends with a reason. */
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
    const reason = `Baton could not restart its hosted agent: ${why}`
    // Report the reason before the end event, which does not carry it.
    await cycles?.placeLost(place, reason)
    const session = id && (await parts.session(id))
    if (!session || session.endedAt) return
    const { project, cwd = project ?? '/' } = session
    const ended = { type: 'SessionEnded' as const, nativeSession: session.nativeSession, cwd, reason: 'died' }
    const signal = new AbortController().signal
    await intake.handleEvent(agent, ended, { pane: place, cwd, attended: false, hosted: true, signal })
    await asks.tell({
      project: project ?? cwd,
      text: `🔔 A hosted session of ${project ?? agent} ended: ${reason}`,
    })
    return
  }
  // A running cycle sends its own prompt. A session that was not resumed gets its handoff document instead.
  if (how !== 'resumed' || !working || (id && cycles?.isBusy(id))) return
  const resume = async () => {
    await drivers.at(place)?.type(place, INTERRUPTED_PROMPT, agent)
  }
  const about = { session: id, project: id && (await parts.session(id))?.project }
  if (!parts.pauses.of(about)) return resume()
  void parts.pauses
    .untilEnded(about)
    .then(resume)
    .catch(cause => parts.fault('resuming a hosted session after a pause', cause))
}
