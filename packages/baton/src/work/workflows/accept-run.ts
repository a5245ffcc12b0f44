import { BatonError } from '@batonpass/contract/errors'
import { WorkflowActions } from './actions.ts'
import { endRun } from './end-run.ts'
import type { HandsOff } from './hands-off.ts'
import type { WorkflowPorts } from './ports.ts'
import type { Run } from './run.ts'

/** A person takes a run as it is, although it is not proven. `wanted`: the start of its session's id. */
export async function acceptRun(
  ports: WorkflowPorts,
  handsOff: Pick<HandsOff, 'inTurn'>,
  { wanted, who, now }: { wanted: string; who: string; now: number },
): Promise<Run> {
  const { session } = await new WorkflowActions(ports.files, ports.runs).find(wanted)
  return handsOff.inTurn(session, async () => {
    const run = await ports.runs.get(session)
    if (!run?.end || !['unproven', 'stalled', 'blocked', 'capped'].includes(run.end.kind))
      throw new BatonError('usage', `The run of session ${wanted} is ${run?.end?.kind ?? 'still running'}`, {
        remedy: 'Only a run that ended without a proof can be accepted: baton history --all',
      })
    const { sendBack, proof, ...rest } = run
    const config = await ports.config(run.project)
    const at = { session: { id: session }, project: run.project, config, now }
    const { kind, reason, proof: decided } = run.end
    const why = `accepted by ${who}; it was ${kind}: ${reason}`
    await endRun(ports, rest, { kind: 'accepted', reason: why, proof: decided }, at)
    return (await ports.runs.get(session)) ?? run
  })
}
