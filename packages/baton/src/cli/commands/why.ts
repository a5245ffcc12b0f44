import { EntryList } from '@batonpass/contract/api'
import { duration } from '@batonpass/contract/duration'
import { BatonError } from '@batonpass/contract/errors'
import { decidedLabel } from '@batonpass/contract/labels'
import { systemClock } from '../../adapters/system/clock.ts'
import { EXIT, flag, type Handler } from '../command.ts'
import { callDaemon, folderOf } from '../daemon.ts'
import { idFor, sessionIdFor, timeFor } from '../for-people.ts'
import { paint, printable } from '../io.ts'
import { stepLine } from '../step-line.ts'
import { fitted } from '../wrap-words.ts'

/** Prints how a permission answer came about. */
export const why: Handler = async (given, io) => {
  const [wanted] = given.positionals
  const query: Record<string, string> = wanted
    ? { kind: 'decision', id: wanted.replace(/^dec_/, 'ent_') }
    : { kind: 'decision', order: 'desc', limit: '1' }
  const { entries } = EntryList.parse(
    await callDaemon(folderOf(io), 'GET', `/api/journal?${new URLSearchParams(query)}`),
  )
  const [entry, another] = entries
  if (another)
    throw new BatonError('not_found', `Several decisions start with ${wanted}`, {
      remedy: 'Type more of the id. List them: baton logs --kind decision --json',
    })
  if (entry?.body.kind !== 'decision') {
    throw new BatonError('not_found', wanted ? `No decision ${wanted}` : 'Nothing was decided yet', {
      remedy: 'List them: baton logs --kind decision --json',
    })
  }
  if (flag(given, 'json')) {
    io.stdout.write(`${JSON.stringify(entry)}\n`)
    return EXIT.ok
  }
  const write = fitted(io)
  const { body } = entry
  const colour = paint(io)
  const style = body.decision === 'allow' ? 'green' : body.decision === 'deny' ? 'red' : 'yellow'
  write(`${colour(style, decidedLabel(body.decision, body.by))}: ${printable(body.reason)}\n`)
  write(`  when     ${timeFor(entry.at, io, systemClock.now())}, after ${duration(body.tookMs)}\n`)
  write(
    `  session  ${sessionIdFor(entry.nativeSession ?? '', io)} (${entry.agent ?? ''}) in ${printable(entry.project ?? '')}\n`,
  )
  write(`  ${body.tool.padEnd(8)} ${printable(body.subject)}\n`)
  for (const step of body.trail) write(stepLine(step, colour))
  if (body.ask) write(`  asked as ${idFor(body.ask, io)}\n`)
  if (body.undo)
    write(`  undo     baton undo ${body.undo} restores the files of the project as they were before\n`)
  if (body.noUndo) write(`  no undo  ${printable(body.noUndo)}\n`)
  return EXIT.ok
}
