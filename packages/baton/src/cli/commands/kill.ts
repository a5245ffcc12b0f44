import { Spawn } from '@batonpass/contract/watch'
import { EXIT, flag, type Handler } from '../command.ts'
import { callDaemon, folderOf } from '../daemon.ts'
import { printable } from '../io.ts'

/** Ends a session that Baton started. */
export const kill: Handler = async (given, io) => {
  const name = given.positionals[0] ?? ''
  const ended = Spawn.parse(
    await callDaemon(folderOf(io), 'DELETE', `/api/spawns/${encodeURIComponent(name)}`),
  )
  io.stdout.write(flag(given, 'json') ? `${JSON.stringify(ended)}\n` : `Ended ${printable(ended.title)}.\n`)
  return EXIT.ok
}
