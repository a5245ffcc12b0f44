import type { WorkflowRun } from '@batonpass/contract/workflow'
import { EXIT, flag, type Handler } from '../command.ts'
import { paint, printable } from '../io.ts'
import { workflowsHere } from '../local-workflows.ts'

/** The runs of workflows: what each is doing, or how it ended. */
export const sessions: Handler = async (given, io) => {
  const all = await workflowsHere(io).actions.list()
  const runs = flag(given, 'all')
    ? all
    : all.filter(({ end }) => !end || end.kind === 'limit-parked' || end.kind === 'question-parked')
  if (flag(given, 'json')) {
    io.stdout.write(`${JSON.stringify({ runs })}\n`)
    return EXIT.ok
  }
  if (runs.length === 0) {
    const hidden = all.length > 0 ? ` ${all.length} have ended: baton history --all` : ''
    io.stdout.write(`No workflow is running.${hidden}\n`)
  }
  const colour = paint(io)
  for (const run of runs) {
    const issue = run.issue === undefined ? '' : ` #${run.issue}`
    const state = run.end
      ? colour('dim', describeEnd(run))
      : colour(
          'green',
          run.proving ? `done, Baton checks it: ${run.proving.proof}` : `running, ${run.count} continuations`,
        )
    io.stdout.write(
      `${run.nativeSession}  ${run.workflow}${issue}  ${state}  ${run.startedAt}  ${printable(run.project)}\n`,
    )
    if (run.pullRequest) io.stdout.write(`  ${printable(run.pullRequest)}\n`)
  }
  return EXIT.ok
}

function describeEnd({ end, resumesAt }: WorkflowRun): string {
  if (!end) return ''
  if (resumesAt && end.kind === 'limit-parked') return `limit-parked, continues at ${resumesAt}`
  return `${end.kind}: ${printable(end.reason)}`
}
