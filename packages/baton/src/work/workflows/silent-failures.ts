import type { WorkflowPorts } from './ports.ts'
import type { Run } from './run.ts'

/** Enough of the end to hold the error and what stands before it. */
const TAIL = 2000

/**
 * Some agents have no hook for a turn that failed, and a run would wait for ever: where its terminal waits and its transcript
 * ends with an error, the failure is told in the agent's place. Called every few seconds.
 */
export async function reportSilentFailures({
  runs,
  transcriptsOf,
  driverAt,
  tell,
}: Pick<WorkflowPorts, 'runs' | 'transcriptsOf' | 'driverAt' | 'tell'>): Promise<void> {
  for (const run of await runs.all()) {
    const transcripts = run.end ? undefined : transcriptsOf(run.agent)
    if (!transcripts?.failsSilently || !run.transcript || !run.pane) continue
    const error = (await transcripts.tail(run.transcript, TAIL))?.error
    if (error === undefined) continue
    // While it tries again by itself, the turn has not failed.
    const look = await driverAt(run.pane)?.look(run.pane, run.agent)
    if (look?.state === 'waiting') await tell(run.agent, failed(run, error))
  }
}

const failed = ({ nativeSession, transcript, project }: Run, message: string) => ({
  type: 'TurnFailed' as const,
  nativeSession,
  cwd: project,
  ...(transcript ? { transcript } : {}),
  error: 'model service',
  message,
})
