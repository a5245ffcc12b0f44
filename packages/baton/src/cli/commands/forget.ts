import { z } from 'zod'
import { EXIT, flag, type Handler } from '../command.ts'
import { callDaemon, folderOf } from '../daemon.ts'

const Forgotten = z.object({ session: z.string(), entries: z.number() })

/** Removes a session from the journal and from the copy in PostgreSQL. */
export const forget: Handler = async (given, io) => {
  const wanted = given.positionals[0] ?? ''
  const path = `/api/sessions/${encodeURIComponent(wanted)}/journal`
  const { session, entries } = Forgotten.parse(await callDaemon(folderOf(io), 'DELETE', path, 60_000))
  io.stdout.write(
    flag(given, 'json')
      ? `${JSON.stringify({ session, entries })}\n`
      : `Forgot ${entries} entries of ${session}.\n`,
  )
  return EXIT.ok
}
