import type { SessionId } from '@batonpass/contract/ids'
import { reopenRun } from './begin-run.ts'
import { endRun } from './end-run.ts'
import type { HandsOff } from './hands-off.ts'
import type { WorkflowPorts } from './ports.ts'
import type { RunContext } from './run-context.ts'

/** Parks a session's run because no one answers its question. False: the session has no active run. Safe to repeat. */
export function parkRun(
  ports: WorkflowPorts,
  handsOff: Pick<HandsOff, 'inTurn'>,
  at: RunContext,
  reason: string,
): Promise<boolean> {
  return handsOff.inTurn(at.session.id, async () => {
    const run = await ports.runs.get(at.session.id)
    // After a restart of the daemon, the same question comes again.
    if (run?.end) return run.end.kind === 'question-parked'
    if (!run) return false
    await endRun(ports, run, { kind: 'question-parked', reason }, at)
    return true
  })
}

/** Takes a parked run up again after its question was answered. */
export function resumeParkedRun(
  ports: WorkflowPorts,
  handsOff: Pick<HandsOff, 'inTurn'>,
  session: SessionId,
  now: number,
): Promise<void> {
  return handsOff.inTurn(session, async () => {
    const run = await ports.runs.get(session)
    if (run?.end?.kind !== 'question-parked' || !(await reopenRun(ports, run, now))) return
    await ports.journal(run, {
      kind: 'workflow',
      what: 'resumed',
      workflow: run.workflow,
      reason: 'the question was answered',
    })
  })
}
