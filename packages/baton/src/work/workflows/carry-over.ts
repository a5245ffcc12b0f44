import type { HandsOff } from './hands-off.ts'
import type { WorkflowPorts } from './ports.ts'
import { Run } from './run.ts'

/**
 * Moves a run to the session that goes on with the work: workflow, count, issue index, budget and what is known of its
 * course. The old state file ends as `handed-off`. False when the old session has no run that could go on.
 */
export async function carryOver(
  { files, runs, journal }: Pick<WorkflowPorts, 'files' | 'runs' | 'journal'>,
  handsOff: Pick<HandsOff, 'inTurn'>,
  from: Run['session'],
  to: Pick<Run, 'session' | 'nativeSession' | 'agent'> & Partial<Pick<Run, 'pane' | 'transcript'>>,
  now: number,
): Promise<boolean> {
  return handsOff.inTurn(from, async () => {
    const run = await runs.get(from)
    if (!run || from === to.session) return false
    const found = await files.read(run.root, run.nativeSession)
    const going =
      found.kind === 'state' && (found.state.state === 'initial' || found.state.state === 'capped')
    if (!going || !(await files.carryOver(run.root, run.nativeSession, to.nativeSession))) return false
    const { reading, transcript, pane, end, ...kept } = run
    const next = to.pane ?? pane
    await runs.put(
      Run.parse({
        ...kept,
        ...to,
        ...(next === undefined ? {} : { pane: next }),
        // The new session's transcript is counted from its beginning.
        reading: { offset: 0 },
        helpers: {},
        awaiting: false,
      }),
    )
    const reason = `goes on in session ${to.nativeSession}`
    await runs.put({ ...run, end: { kind: 'handed-off', reason, at: now } })
    const { workflow } = run
    await journal(run, { kind: 'workflow', what: 'ended', workflow, end: 'handed-off', reason })
    await journal(
      { ...run, ...to },
      { kind: 'workflow', what: 'carried-over', workflow, reason: `from session ${run.nativeSession}` },
    )
    return true
  })
}
