import { Ask, type AskOption } from '@batonpass/contract/ask'
import { EXIT, flag, type Given, text } from '../command.ts'
import { callDaemon, folderOf } from '../daemon.ts'
import { type Io, printable } from '../io.ts'
import { authorization, withProcessProof } from '../process-proof.ts'

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
  const token = authorization(text(given, 'token-file'))
  const ask = await withProcessProof(folder.dir, async proof => {
    const headers = { ...proof, ...token }
    return Ask.parse(
      await callDaemon(folder, 'POST', `/api/asks/${asked.id}/answer`, 10_000, { headers, body }),
    )
  })
  if (flag(given, 'json')) io.stdout.write(`${JSON.stringify(ask)}\n`)
  else
    io.stdout.write(`${ask.answer?.option ?? ask.state}: ${printable(ask.title)}\n${printable(ask.detail)}\n`)
  return EXIT.ok
}
