import { AskList } from '@batonpass/contract/ask'
import { CycleList } from '@batonpass/contract/cycle'
import { HealthReport } from '@batonpass/contract/watch'
import { systemClock } from '../../adapters/system/clock.ts'
import { EXIT, flag, type Handler } from '../command.ts'
import { counted } from '../counted.ts'
import { callDaemon, folderOf } from '../daemon.ts'
import { idFor, sessionIdFor, timeFor } from '../for-people.ts'
import { paint, printable } from '../io.ts'
import { fitted } from '../wrap-words.ts'

/** What is wrong with the sessions under watch; fails when one of them is critical or something waits for a person. */
export const health: Handler = async (given, io) => {
  const report = HealthReport.parse(await callDaemon(folderOf(io), 'GET', '/api/health-checks'))
  const sick = report.sessions.filter(({ problems }) => problems.length > 0)
  const { cycles } = CycleList.parse(await callDaemon(folderOf(io), 'GET', '/api/cycles'))
  // The session that is handed off may be gone already, so this is not in any session's findings.
  const waiting = cycles.filter(({ step }) => step === 'person')
  const { asks } = AskList.parse(await callDaemon(folderOf(io), 'GET', '/api/asks'))
  const known = new Set(asks.map(({ facts }) => facts.session))
  // Only the agent's own screen asks, e.g. because no hook reports that dialog. Without a screen Baton only knows that the last event
  // was a question, which may be answered by now.
  const dialogs = report.sessions.filter(
    ({ state, session, place }) => state === 'dialog' && place !== undefined && !known.has(session),
  )
  const critical =
    waiting.length > 0 ||
    asks.length > 0 ||
    dialogs.length > 0 ||
    sick.some(({ problems }) => problems.some(({ status }) => status === 'critical'))
  if (flag(given, 'json')) {
    io.stdout.write(`${JSON.stringify({ ...report, waiting, asking: asks, dialogs })}\n`)
    return critical ? EXIT.failed : EXIT.ok
  }
  const colour = paint(io)
  const now = systemClock.now()
  const piped = io.columns === undefined
  const line = (text: string) => fitted(io)(`${text}\n`)
  line(`${counted(report.sessions.length, 'session')} under watch, ${sick.length} with findings`)
  for (const { nativeSession, agent, project, why } of waiting) {
    line(`${colour('bold', printable(sessionIdFor(nativeSession, io)))}  ${agent}  ${printable(project)}`)
    line(
      `  ${colour('red', 'critical handoff')}  waits for you: ${printable(why ?? 'it is stuck')}. Answer it: baton asks`,
    )
  }
  for (const { id, title, facts, createdAt, parkedAt } of asks) {
    line(
      `${colour('bold', printable(facts.nativeSession ? sessionIdFor(facts.nativeSession, io) : idFor(id, io)))}  ${facts.agent ?? ''}  ${printable(facts.project ?? '')}`,
    )
    line(
      `  ${colour('red', parkedAt ? 'parked question' : 'question')}  waits for you${piped ? ' since' : ', asked'} ${timeFor(createdAt, io, now)}: ${printable(title)} Answer it: baton asks ${idFor(id, io)}`,
    )
  }
  for (const { id, title, name, agent, project, lastActivityAt } of dialogs) {
    line(`${colour('bold', printable(title ?? name ?? id))}  ${agent}  ${printable(project ?? '')}`)
    line(
      `  ${colour('red', 'question')}  waits for you in its terminal${piped ? ' since' : ', last active'} ${timeFor(lastActivityAt, io, now)}. Answer it there.`,
    )
  }
  for (const row of sick) {
    line(
      `${colour('bold', printable(row.title ?? sessionIdFor(row.id, io)))}  ${row.agent}  ${row.state}  ${printable(row.project ?? '')}`,
    )
    for (const { check, status, message } of row.problems)
      line(
        `  ${colour(status === 'critical' ? 'red' : 'yellow', `${status} ${check}`)}  ${printable(message)}`,
      )
  }
  if (report.left.length > 0) line('Left running by sessions that are over:')
  for (const { pid, title, project } of report.left)
    line(`  kill ${pid}  ${printable(title)}  ${printable(project ?? '')}`)
  if (flag(given, 'all')) {
    line('Lately:')
    for (const { created_at, check_type, status, details, session, action_taken } of report.checks) {
      const message = typeof details.message === 'string' ? details.message : ''
      line(
        `  ${colour('dim', timeFor(created_at, io, now))} ${session} ${check_type} ${status} ${printable(message)} ${action_taken ?? ''}`.trimEnd(),
      )
    }
  }
  return critical ? EXIT.failed : EXIT.ok
}
