import { SessionList } from '@batonpass/contract/api'
import { AskList, Presence } from '@batonpass/contract/ask'
import { ModelUsageView } from '@batonpass/contract/dashboard'
import { sessionEndLabel } from '@batonpass/contract/labels'
import { pauseLine } from '@batonpass/contract/pause-line'
import { shortSessionId } from '@batonpass/contract/session-name'
import type { WorkflowRun } from '@batonpass/contract/workflow'
import { systemClock } from '../../adapters/system/clock.ts'
import { systemSmallFiles } from '../../adapters/system/small-files.ts'
import { claimViews } from '../../claim/claim-view.ts'
import { findWorktreeRoot } from '../../config/project.ts'
import type { StateFolder } from '../../config/state-folder.ts'
import { lastStartFailure } from '../../hook/start-mark.ts'
import { statusText } from '../../session/context/context-messages.ts'
import { claimLine, claimNeeds } from '../claim-lines.ts'
import { EXIT, flag, type Handler } from '../command.ts'
import { counted } from '../counted.ts'
import { callDaemon, findDaemon, folderOf } from '../daemon.ts'
import { ago, timeFor } from '../for-people.ts'
import { paint, printable } from '../io.ts'
import { configOf } from '../local-judge.ts'
import { reportFromFiles, reportHere } from '../local-work.ts'
import { workflowsHere } from '../local-workflows.ts'
import { portChecks } from '../port-checks.ts'
import { fitted } from '../wrap-words.ts'

/** Why no daemon runs, and what to do. */
function absentDaemon(stateDir: string): string {
  const why = lastStartFailure(stateDir)
  return why === undefined
    ? 'No daemon is running; the first hook of an agent starts it, or: baton up'
    : `No daemon is running, and it could not be started: ${why}\nThen: baton up`
}

/** What the daemon and its sessions are doing. */
export const status: Handler = async (given, io) => {
  const folder = folderOf(io)
  const health = await findDaemon(folder)
  const [workId] = given.positionals
  const report = health === 'silent' ? reportFromFiles : reportHere
  const work = await report(io, findWorktreeRoot(io.cwd), workId)
  if (workId !== undefined) {
    if (flag(given, 'json')) io.stdout.write(`${JSON.stringify(work)}\n`)
    else fitted(io)(printable(work.text))
    return EXIT.ok
  }
  const more = work.items.length > 0 ? { work } : {}
  if (!health || health === 'silent') {
    const problem = health
      ? 'The daemon is slow: it did not answer within 2 seconds. Try again; if it stays silent: baton down --force'
      : absentDaemon(folder.dir)
    if (flag(given, 'json'))
      io.stdout.write(`${JSON.stringify({ daemon: health ?? null, sessions: [], ...more })}\n`)
    else fitted(io)(`${problem}\n${work.items.length > 0 ? `\n${work.text}` : ''}`)
    return EXIT.noDaemon
  }
  const query = flag(given, 'all') ? 'limit=1000' : 'live=true&limit=200'
  const here = findWorktreeRoot(io.cwd)
  // A command in a sandbox learns nothing about other projects.
  const isShown = ({ project }: { project?: string | undefined }) => !io.inside || project === here
  const listed = SessionList.parse(await callDaemon(folder, 'GET', `/api/sessions?${query}`))
  const sessions = listed.sessions.filter(isShown)
  const runs = (await workflowsHere(io).actions.list()).filter(isShown)
  const asks = AskList.parse(await callDaemon(folder, 'GET', '/api/asks')).asks.filter(({ facts }) =>
    isShown(facts),
  )
  // A daemon of an older version has no presence.
  const presence = Presence.parse(await callDaemon(folder, 'GET', '/api/presence').catch(() => ({})))
  const claims = (await claimViews(systemSmallFiles, folder.dir)).filter(isShown)
  if (flag(given, 'json')) {
    io.stdout.write(
      `${JSON.stringify({ daemon: io.inside ? { version: health.version } : health, sessions, runs, asks, presence, claims, ...(io.inside ? {} : { models: await modelUsage(folder) }), ...more })}\n`,
    )
    return EXIT.ok
  }
  const colour = paint(io)
  const write = fitted(io)
  const now = systemClock.now()
  if (!io.inside) {
    write(`Daemon ${health.version}, pid ${health.pid}, ${health.memoryMb} MB, ${health.url}\n`)
    for (const { message, fix } of portChecks(health.url, await configOf(here, io)))
      write(`${colour('yellow', 'port')} It ${printable(message)}. ${fix}\n`)
    write(
      `Journal ${counted(health.store.entries, 'entry', 'entries')} (${health.store.kind}), copy ${health.store.copy}\n`,
    )
  }
  const usage = io.inside ? undefined : await modelUsage(folder)
  if (usage && usage.calls > 0)
    write(
      `Model ${counted(usage.calls, 'call')} in 24 hours${usage.tokens > 0 ? `, ${usage.tokens.toLocaleString('en')} tokens` : ''}${usage.usd > 0 ? `, $${usage.usd.toFixed(2)}` : ''} (your quota)\n`,
    )
  for (const pause of health.pauses ?? [])
    write(`${colour('yellow', 'paused')} ${printable(pauseLine(pause))}\n`)
  const { sandbox } = health
  for (const off of sandbox?.off ?? []) write(`${colour('yellow', 'sandbox')} ${printable(off)}\n`)
  if (sandbox?.program) write(`Sandbox ${sandbox.program}${sandbox.mode === 'strict' ? ', strict' : ''}\n`)
  else if (sandbox?.problem)
    write(`${colour('yellow', 'sandbox')} ${printable(`${sandbox.problem} ${sandbox.remedy ?? ''}`)}\n`)
  else if (sandbox) write('Sandbox off (sandbox.mode)\n')
  if (health.store.writeProblem)
    write(`${colour('red', 'journal')} ${printable(health.store.writeProblem)}\n`)
  if (health.store.copyProblem) write(`${colour('yellow', 'copy')} ${printable(health.store.copyProblem)}\n`)
  for (const problem of health.config.problems) write(`${colour('yellow', 'config')} ${printable(problem)}\n`)
  if (sessions.length === 0) write(flag(given, 'all') ? 'No sessions yet.\n' : 'No live sessions.\n')
  for (const session of sessions) {
    const state = session.endedAt
      ? colour('dim', `ended (${sessionEndLabel(session.endReason)})`)
      : colour('green', 'live')
    write(
      `${shortSessionId(session.nativeSession)}  ${session.name ? `${colour('bold', printable(session.name))}  ` : ''}${session.agent}  ${state}  active ${ago(now - Date.parse(session.lastSeenAt))} ago  ${printable(session.project ?? '')}\n`,
    )
    if (session.context && !session.endedAt) write(`  ${printable(statusText(session.context))}\n`)
    const run = runs.find(each => each.session === session.id)
    if (run) write(`  ${printable(describeRun(run))}\n`)
    if (run?.grants) write(`  ${colour('dim', printable(`may ${run.grants.join('; ')}`))}\n`)
  }
  for (const claim of claims) {
    const needs = claimNeeds(claim)
    write(`claim ${printable(claimLine(claim))}\n`)
    if (needs) write(`  ${colour('yellow', printable(needs))}\n`)
    if (claim.grants) write(`  ${colour('dim', printable(`may ${claim.grants.join('; ')}`))}\n`)
  }
  if (presence.awaySince)
    write(
      `You ${io.columns === undefined ? 'are away since' : 'went away'} ${timeFor(presence.awaySince, io, now)}: baton back
`,
    )
  if (asks.length > 0) write(`${colour('yellow', counted(asks.length, 'open question'))}: baton asks\n`)
  if (work.items.length > 0) write(`\n${printable(work.text)}`)
  return EXIT.ok
}

/** What Baton's own model calls used; undefined from a daemon of an older version. */
async function modelUsage(folder: StateFolder): Promise<ModelUsageView | undefined> {
  const answer = await callDaemon(folder, 'GET', '/api/model-usage').catch(() => undefined)
  return ModelUsageView.safeParse(answer).data
}

/** The workflow of a session: how far it is, or how and why it ended. */
function describeRun({ workflow, issue, end, count, pullRequest, proving }: WorkflowRun): string {
  const about = `${workflow}${issue === undefined ? '' : ` #${issue}`}`
  const running = proving
    ? `done, Baton checks commit ${proving.commit.slice(0, 10)} (${proving.proof})`
    : `running, ${counted(count, 'continuation')}`
  const state = end ? `${end.kind}: ${end.reason}` : running
  return [about, state, pullRequest].filter(part => part !== undefined).join('  ')
}
