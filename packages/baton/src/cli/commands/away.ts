import { Presence } from '@batonpass/contract/ask'
import { EXIT, flag, type Handler } from '../command.ts'
import { callDaemon, folderOf } from '../daemon.ts'

/** Says that you are away: questions that no one answers are parked, or answered as `asks.unanswered` says. */
export const away: Handler = (given, io) =>
  change(
    true,
    given,
    io,
    ({ awaySince }) => `You are away since ${awaySince}. Say \`baton back\` when you return.`,
  )

/** Says that you are back. */
export const back: Handler = (given, io) =>
  change(
    false,
    given,
    io,
    () => 'Welcome back. `baton asks` lists what waits for you, `baton recap` what happened.',
  )

async function change(
  isAway: boolean,
  given: Parameters<Handler>[0],
  io: Parameters<Handler>[1],
  words: (presence: Presence) => string,
): Promise<number> {
  const body = { away: isAway }
  const presence = Presence.parse(await callDaemon(folderOf(io), 'POST', '/api/presence', 10_000, { body }))
  io.stdout.write(`${flag(given, 'json') ? JSON.stringify(presence) : words(presence)}\n`)
  return EXIT.ok
}
