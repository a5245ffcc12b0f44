import { readFileSync } from 'node:fs'
import { Ask, type AskOption } from '@batonpass/contract/ask'
import { BatonError } from '@batonpass/contract/errors'
import { EXIT, flag, type Given, text } from '../command.ts'
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
  const headers = { 'baton-pid': String(process.pid), ...authorization(text(given, 'token-file')) }
  const ask = Ask.parse(
    await callDaemon(folder, 'POST', `/api/asks/${asked.id}/answer`, 10_000, { headers, body }),
  )
  if (flag(given, 'json')) io.stdout.write(`${JSON.stringify(ask)}\n`)
  else
    io.stdout.write(`${ask.answer?.option ?? ask.state}: ${printable(ask.title)}\n${printable(ask.detail)}\n`)
  return EXIT.ok
}

function authorization(file: string | undefined): Record<string, string> {
  if (file === undefined) return {}
  try {
    const token = readFileSync(file, 'utf8').trim()
    if (/^[0-9a-f]{64}$/.test(token)) return { authorization: `Bearer ${token}` }
  } catch (cause) {
    throw new BatonError('usage', `${file} cannot be read`, { cause })
  }
  throw new BatonError('usage', `${file} holds no token of a Baton daemon`, {
    remedy: 'The token is in the file `token` of the state folder.',
  })
}
