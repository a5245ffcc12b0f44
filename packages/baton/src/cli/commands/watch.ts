import { PsList, Spawn } from '@batonpass/contract/watch'
import { EXIT, flag, type Handler, text } from '../command.ts'
import { callDaemon, ensureDaemon, folderOf } from '../daemon.ts'
import { printable } from '../io.ts'
import { placeOf } from '../tmux-place.ts'
import { fitted } from '../wrap-words.ts'

/** Adopts a tmux pane in which an agent runs already, or lists those that were. */
export const watch: Handler = async (given, io) => {
  const folder = folderOf(io)
  const json = flag(given, 'json')
  if (flag(given, 'list')) {
    const { sessions } = PsList.parse(await callDaemon(folder, 'GET', '/api/ps'))
    const adopted = sessions.filter(({ by }) => by === 'watch')
    if (json) io.stdout.write(`${JSON.stringify({ sessions: adopted })}\n`)
    else if (adopted.length === 0) io.stdout.write('No pane was adopted. Adopt one: baton watch PANE\n')
    else
      for (const row of adopted)
        fitted(io)(`${row.place}  ${row.agent}  ${row.state}  ${printable(row.project ?? '')}\n`)
    return EXIT.ok
  }
  const place = placeOf(given.positionals[0], io.env)
  await ensureDaemon(folder, io)
  const agent = text(given, 'agent')
  const body = { place, ...(agent ? { agent } : {}) }
  const spawn = Spawn.parse(await callDaemon(folder, 'POST', '/api/watch', 20_000, { body }))
  if (json) io.stdout.write(`${JSON.stringify(spawn)}\n`)
  else if (spawn.session) io.stdout.write(`Watching ${place}: session ${spawn.session} of ${spawn.agent}.\n`)
  else
    io.stdout.write(
      `Watching ${place} by its screen, as ${spawn.agent}. No hook has reported from it yet: see \`baton init\`.\n`,
    )
  return EXIT.ok
}

/** Lets an adopted pane go; what runs there keeps running. */
export const unwatch: Handler = async (given, io) => {
  const name = given.positionals[0] ?? ''
  const place = /^%\d+$|:/.test(name) ? placeOf(name, io.env) : name
  const spawn = Spawn.parse(
    await callDaemon(folderOf(io), 'DELETE', `/api/watch/${encodeURIComponent(place)}`),
  )
  io.stdout.write(
    flag(given, 'json')
      ? `${JSON.stringify(spawn)}\n`
      : `No longer watching ${printable(spawn.place ?? spawn.title)}.\n`,
  )
  return EXIT.ok
}
