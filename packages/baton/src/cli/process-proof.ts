import { closeSync, openSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { BatonError } from '@batonpass/contract/errors'
import { systemIds } from '../adapters/system/ids.ts'

/**
 * Calls with the headers that show which process speaks. The daemon sees which one has the file open: nobody can pass for
 * another, and it looks for agents among that process's ancestors.
 */
export async function withProcessProof<T>(
  dir: string,
  work: (headers: Record<string, string>) => Promise<T>,
): Promise<T> {
  const name = `answering-${systemIds.id(20)}`
  const path = join(dir, name)
  const file = openSync(path, 'wx', 0o600)
  try {
    return await work({ 'baton-pid': String(process.pid), 'baton-proof': name })
  } finally {
    closeSync(file)
    rmSync(path, { force: true })
  }
}

/** The header of a script that holds the daemon's token. */
export function authorization(file: string | undefined): Record<string, string> {
  if (file === undefined) return {}
  try {
    const token = readFileSync(file, 'utf8').trim()
    if (/^[0-9a-f]{64}$/.test(token)) return { authorization: `Bearer ${token}` }
  } catch (cause) {
    throw new BatonError('usage', `${file} cannot be read`, {
      cause,
      remedy: 'Name a file that you may read; the token is in the file `token` of the state folder.',
    })
  }
  throw new BatonError('usage', `${file} holds no token of a Baton daemon`, {
    remedy: 'The token is in the file `token` of the state folder.',
  })
}
