import { PauseList, type PauseRequest } from '@batonpass/contract/pause'
import { pauseLine } from '@batonpass/contract/pause-line'
import { findWorktreeRoot } from '../../config/project.ts'
import { EXIT, flag, type Given, type Handler } from '../command.ts'
import { callStartedDaemon } from '../daemon.ts'
import { type Io, printable } from '../io.ts'
import { fitted } from '../wrap-words.ts'

const PAUSE_MS = 30_000

/** Makes Baton stand aside in this project, one session, or on the whole machine. */
export const pause: Handler = async (given, io) => {
  const answer = await callStartedDaemon(io, 'POST', '/api/pauses', PAUSE_MS, { body: requestOf(given, io) })
  const { pauses } = PauseList.parse(answer)
  if (flag(given, 'json')) io.stdout.write(`${JSON.stringify({ pauses })}\n`)
  else for (const each of pauses) fitted(io)(`${printable(pauseLine(each))}\n`)
  return EXIT.ok
}

/** Ends pauses: without an argument all of them. */
export const unpause: Handler = async (given, io) => {
  const named = given.positionals.length > 0
  const body = named ? requestOf(given, io) : {}
  const { pauses } = PauseList.parse(
    await callStartedDaemon(io, 'POST', '/api/pauses/end', PAUSE_MS, { body }),
  )
  if (flag(given, 'json')) io.stdout.write(`${JSON.stringify({ ended: pauses })}\n`)
  else
    io.stdout.write(
      pauses.length > 0 ? 'Baton decides and continues again.\n' : 'Baton was not paused there.\n',
    )
  return EXIT.ok
}

function requestOf(given: Given, io: Io): PauseRequest {
  const [what = 'project'] = given.positionals
  if (what === 'machine') return { scope: 'machine' }
  if (what === 'project') return { scope: 'project', project: findWorktreeRoot(io.cwd) }
  return { scope: 'session', session: what }
}
