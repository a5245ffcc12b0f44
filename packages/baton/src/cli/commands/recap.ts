import { decidedLabel, END_LABELS } from '@batonpass/contract/labels'
import { Recap } from '@batonpass/contract/recap'
import { EXIT, flag, type Handler, text } from '../command.ts'
import { counted } from '../counted.ts'
import { callDaemon, folderOf } from '../daemon.ts'
import { idFor } from '../for-people.ts'
import { type Io, paint, printable } from '../io.ts'
import { parseSince } from '../parse-since.ts'
import { fitted } from '../wrap-words.ts'
import { answerCommands } from './asks.ts'

/** What happened while you were away. */
export const recap: Handler = async (given, io) => {
  const from = text(given, 'since')
  const query = from === undefined ? '' : `?since=${encodeURIComponent(parseSince(from))}`
  const found = Recap.parse(await callDaemon(folderOf(io), 'GET', `/api/page/recap${query}`, 60_000))
  if (flag(given, 'json')) io.stdout.write(`${JSON.stringify(found)}\n`)
  else fitted(io)(describe(found, io))
  return EXIT.ok
}

function describe(recap: Recap, io: Io): string {
  const colour = paint(io)
  const lines: string[] = []
  const say = (line: string) => lines.push(`${line}\n`)
  const part = (title: string) => say(`\n${colour('bold', title)}`)
  const plain = (words: string) => printable(words)
  say(`Since ${time(recap.since)}`)

  const { asks, sessions } = recap.waits
  if (asks.length + sessions.length > 0) part('Waits for you')
  for (const ask of asks)
    say(
      `  ${colour('yellow', idFor(ask.id, io))}  ${plain(ask.detail.split('\n')[0] ?? '')}\n    ${answerCommands(ask, io)}`,
    )
  for (const { agent, name, project, why, since: from } of sessions)
    say(
      `  ${name ? `${plain(name)} (${agent})` : agent} in ${plain(project ?? 'no project')}: ${why} (${time(from)})`,
    )

  if (recap.projects.length > 0) part('Changed')
  for (const { project, commits, files, tests, undo } of recap.projects) {
    say(
      `  ${colour('cyan', plain(project))}  ${counted(commits.length, 'commit')}, ${counted(files.length, 'file')}`,
    )
    for (const { id, subject } of commits.slice(0, 10))
      say(`    ${colour('dim', id.slice(0, 9))} ${plain(subject)}`)
    if (commits.length > 10) say(`    … and ${commits.length - 10} more`)
    if (tests)
      say(
        `    tests ${tests.passed ? colour('green', 'passed') : colour('red', `failed${tests.failing ? `, ${tests.failing} failing` : ''}`)}: ${plain(tests.command)} (${counted(tests.runs, 'run')})`,
      )
    const [newest] = undo
    if (newest)
      say(
        `    take back the newest step (${plain(newest.subject)}): cd ${quoted(project)} && baton undo ${newest.step}`,
      )
  }

  if (recap.answeredByPolicy.length > 0) part('Answered for you, because no one did: please review')
  for (const { ask, title, answer, project } of recap.answeredByPolicy)
    say(`  ${colour('yellow', ask)}  ${plain(title)}: ${plain(answer)}  ${plain(project ?? '')}`)

  if (recap.prevented.length > 0) part('Tried in the sandbox, and prevented')
  for (const { what } of recap.prevented.slice(0, 20)) say(`  ${plain(what)}`)
  if (recap.prevented.length > 20) say(`  … and ${recap.prevented.length - 20} more`)

  if (recap.ended.length > 0) part('Ended')
  for (const { name, project, workflow, issue, end, reason, pullRequest } of recap.ended)
    say(
      `  ${plain([name, workflow && `${workflow}${issue ? ` #${issue}` : ''}`, end && END_LABELS[end], project].filter(Boolean).join('  '))}: ${plain(reason)}${pullRequest ? `\n    ${plain(pullRequest)}` : ''}`,
    )

  if (recap.decided.length > 0)
    part(`Decided for you: ${recap.decisions.without} of ${recap.decisions.all} without a question`)
  for (const { decision, by, reason, count, subjects } of recap.decided.slice(0, 15)) {
    const style = decision === 'allow' ? 'green' : decision === 'deny' ? 'red' : 'yellow'
    say(`  ${String(count).padStart(4)} ${colour(style, decidedLabel(decision, by))}: ${plain(reason)}`)
    say(`       ${colour('dim', plain(subjects.join('  |  ').slice(0, 160)))}`)
  }
  if (recap.handoffs.length > 0) part('Handed off')
  for (const { document, project, writtenBy } of recap.handoffs)
    say(
      `  ${plain(document)}  ${plain(project ?? '')}  ${writtenBy === 'baton' ? 'written by Baton from evidence' : ''}`,
    )
  if (recap.faults.length > 0) part(colour('red', counted(recap.faults.length, 'fault')))
  for (const { during, message } of recap.faults.slice(0, 5)) say(`  ${plain(during)}: ${plain(message)}`)
  if (lines.length === 1) say('Nothing happened.')
  return lines.join('')
}

const time = (at: string): string => at.slice(0, 16).replace('T', ' ')
const quoted = (path: string): string =>
  /^[\w./-]+$/.test(path) ? path : `'${printable(path).replaceAll("'", "'\\''")}'`
