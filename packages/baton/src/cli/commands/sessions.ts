import type { WorkflowRun } from '@batonpass/contract/workflow'
import { systemClock } from '../../adapters/system/clock.ts'
import { EXIT, flag, type Handler } from '../command.ts'
import { counted } from '../counted.ts'
import { type Cell, type Column, fitList } from '../fit-table.ts'
import { sessionIdFor, timeFor } from '../for-people.ts'
import { type Io, printable } from '../io.ts'
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
  io.stdout.write(runLines(runs, io))
  return EXIT.ok
}

/** One line for each run, and its pull request below. */
export function runLines(runs: readonly WorkflowRun[], io: Io): string {
  const now = systemClock.now()
  const piped = io.columns === undefined
  const id: Column<WorkflowRun> = {
    dropped: 0,
    cell: ({ nativeSession }) => ({ text: sessionIdFor(nativeSession, io) }),
  }
  const workflow: Column<WorkflowRun> = {
    dropped: 0,
    cell: ({ workflow, issue }) => ({ text: `${workflow}${issue === undefined ? '' : ` #${issue}`}` }),
  }
  const state: Column<WorkflowRun> = {
    dropped: 0,
    least: 24,
    wraps: true,
    cell: run => stateOf(run, at => timeFor(at, io, now)),
  }
  const started: Column<WorkflowRun> = {
    dropped: 1,
    cell: ({ startedAt }) => ({ text: timeFor(startedAt, io, now) }),
  }
  const project: Column<WorkflowRun> = {
    dropped: 2,
    least: 16,
    cell: ({ project }) => ({ text: printable(project) }),
  }
  // On a terminal the longest text comes last, so that it can continue below.
  const columns = piped ? [id, workflow, state, started, project] : [id, workflow, started, project, state]
  return fitList(runs, columns, io, ({ pullRequest }) => pullRequest && `  ${printable(pullRequest)}`)
}

function stateOf(run: WorkflowRun, time: (at: string) => string): Cell {
  const { end, resumesAt, proving, count } = run
  if (!end) {
    const doing = proving
      ? `done, Baton checks it: ${proving.proof}`
      : `running, ${counted(count, 'continuation')}`
    return { text: doing, style: 'green' }
  }
  if (!resumesAt || end.kind !== 'limit-parked')
    return { text: `${end.kind}: ${printable(end.reason)}`, style: 'dim' }
  const when = Number.isNaN(Date.parse(resumesAt)) ? resumesAt : time(resumesAt)
  return { text: `limit-parked, continues ${when === resumesAt ? 'at ' : ''}${when}`, style: 'dim' }
}
