import { z } from 'zod'
import { EXIT, flag, type Handler } from '../command.ts'
import { counted } from '../counted.ts'
import { callDaemon, folderOf } from '../daemon.ts'
import { printable } from '../io.ts'

const Forgotten = z.object({
  session: z.string(),
  entries: z.number(),
  // A daemon of an older version says nothing of files.
  removed: z.array(z.string()).default([]),
  kept: z.array(z.string()).default([]),
})

/** Removes a session from the journal, its copy and Baton's own files, and names what is left of it elsewhere. */
export const forget: Handler = async (given, io) => {
  const wanted = given.positionals[0] ?? ''
  const path = `/api/sessions/${encodeURIComponent(wanted)}/journal`
  const gone = Forgotten.parse(await callDaemon(folderOf(io), 'DELETE', path, 60_000))
  if (flag(given, 'json')) {
    io.stdout.write(`${JSON.stringify(gone)}\n`)
    return EXIT.ok
  }
  const { session, entries, removed, kept } = gone
  const files = removed.length > 0 ? ` and ${counted(removed.length, 'file')}` : ''
  io.stdout.write(`Forgot ${counted(entries, 'entry', 'entries')}${files} of ${session}.\n`)
  if (kept.length > 0) io.stdout.write("Kept, because these files are not Baton's:\n")
  for (const file of kept) io.stdout.write(`  ${printable(file)}\n`)
  return EXIT.ok
}
