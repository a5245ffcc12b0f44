import { closeSync, openSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Ask, type AskOption } from '@batonpass/contract/ask'
import { BatonError } from '@batonpass/contract/errors'
import { systemChance } from '../../adapters/system/chance.ts'
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
  const token = authorization(text(given, 'token-file'))
  const ask = await withProof(folder.dir, async proof => {
    const headers = { 'baton-pid': String(process.pid), 'baton-proof': proof, ...token }
    return Ask.parse(
      await callDaemon(folder, 'POST', `/api/asks/${asked.id}/answer`, 10_000, { headers, body }),
    )
  })
  if (flag(given, 'json')) io.stdout.write(`${JSON.stringify(ask)}\n`)
  else
    io.stdout.write(`${ask.answer?.option ?? ask.state}: ${printable(ask.title)}\n${printable(ask.detail)}\n`)
  return EXIT.ok
}

/** The daemon sees which process has this file open: nobody can pass for another one. */
async function withProof<T>(dir: string, work: (name: string) => Promise<T>): Promise<T> {
  const name = `answering-${systemChance.id(20)}`
  const path = join(dir, name)
  const file = openSync(path, 'wx', 0o600)
  try {
    return await work(name)
  } finally {
    closeSync(file)
    rmSync(path, { force: true })
  }
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
