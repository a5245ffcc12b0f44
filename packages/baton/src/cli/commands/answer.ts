import { type AnswerRequest, Ask } from '@batonpass/contract/ask'
import { outcomeLabel } from '@batonpass/contract/labels'
import { EXIT, flag, type Given } from '../command.ts'
import { callDaemon, folderOf } from '../daemon.ts'
import { type Io, printable } from '../io.ts'

export type Chosen = Omit<AnswerRequest, 'fingerprint'>

/** Answers an ask for the person at this terminal. The daemon looks at who started us and decides whether it counts. */
export async function answer(
  given: Given,
  io: Io,
  choose: (ask: Ask) => Chosen | Promise<Chosen>,
): Promise<number> {
  const folder = folderOf(io)
  const path = `/api/asks/${encodeURIComponent(given.positionals[0] ?? '')}`
  const asked = Ask.parse(await callDaemon(folder, 'GET', path))
  const body = { ...(await choose(asked)), fingerprint: asked.fingerprint }
  const ask = Ask.parse(await callDaemon(folder, 'POST', `/api/asks/${asked.id}/answer`, 10_000, { body }))
  if (flag(given, 'json')) io.stdout.write(`${JSON.stringify(ask)}\n`)
  else if (ask.questions) io.stdout.write(`${printable(outcomeLabel(ask))}\n`)
  else io.stdout.write(`${printable(outcomeLabel(ask))}\n${printable(ask.title)}\n${printable(ask.detail)}\n`)
  return EXIT.ok
}
