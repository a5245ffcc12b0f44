import { Ask, type AskOption } from '@batonpass/contract/ask'
import { EXIT, flag, type Given } from '../command.ts'
import { callDaemon, folderOf } from '../daemon.ts'
import { type Io, printable } from '../io.ts'

/** Answers an ask for the person at this terminal. The daemon looks at who started us and decides whether it counts. */
export async function answer(
  given: Given,
  io: Io,
  choose: (ask: Ask) => { option: AskOption; reason?: string },
): Promise<number> {
  const folder = folderOf(io)
  const path = `/api/asks/${encodeURIComponent(given.positionals[0] ?? '')}`
  const asked = Ask.parse(await callDaemon(folder, 'GET', path))
  const body = { ...choose(asked), fingerprint: asked.fingerprint }
  const ask = Ask.parse(await callDaemon(folder, 'POST', `/api/asks/${asked.id}/answer`, 10_000, { body }))
  if (flag(given, 'json')) io.stdout.write(`${JSON.stringify(ask)}\n`)
  else
    io.stdout.write(`${ask.answer?.option ?? ask.state}: ${printable(ask.title)}\n${printable(ask.detail)}\n`)
  return EXIT.ok
}
