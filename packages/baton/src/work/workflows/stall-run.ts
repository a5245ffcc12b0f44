import type { Config } from '@batonpass/contract/config'
import type { SessionId } from '@batonpass/contract/ids'
import { endRun } from './end-run.ts'
import type { HandsOff } from './hands-off.ts'
import type { WorkflowPorts } from './ports.ts'

/** The active run of a session. */
export async function openRun({ runs, files }: Pick<WorkflowPorts, 'runs' | 'files'>, session: SessionId) {
  const run = await runs.get(session)
  if (!run || run.end) return undefined
  const found = await files.read(run.root, run.nativeSession)
  return found.kind === 'state' && found.state.state === 'initial' ? run : undefined
}

/** Ends a session's run as stalled. Safe to repeat. */
export function stallRun(
  ports: WorkflowPorts,
  handsOff: Pick<HandsOff, 'inTurn'>,
  session: SessionId,
  reason: string,
  at: { config: Config; now: number },
): Promise<void> {
  return handsOff.inTurn(session, async () => {
    const run = await openRun(ports, session)
    if (run)
      await endRun(
        ports,
        run,
        { kind: 'stalled', reason },
        { ...at, session: { id: session }, project: run.project },
      )
  })
}
