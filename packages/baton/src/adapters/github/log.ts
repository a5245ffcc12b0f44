import { z } from 'zod'
import { type Check, ForgeError, type LogLimit } from '../../ports/forge.ts'
import type { RepositoryRef } from '../../ports/remote.ts'
import type { Connection } from './connection.ts'

/** A log can be a hundred megabytes, so only its end is kept while it streams. */
const MAX_READ = 200_000_000

/** The end of a check's log: the job's log on GitHub Actions, else what the check reported about itself. */
export async function checkLog(
  connection: Connection,
  { owner, name: repo }: RepositoryRef,
  check: Check,
  { lines = 100, bytes = 16_000 }: LogLimit,
): Promise<string | undefined> {
  const [kind, id] = check.id.split(':')
  if (!id || !/^\d{1,20}$/.test(id)) return undefined
  try {
    const text =
      kind === 'job'
        ? await jobLog(connection, `/repos/${owner}/${repo}/actions/jobs/${id}/logs`, bytes)
        : await report(connection, owner, repo, id)
    return text === undefined ? undefined : tail(plain(text), lines, bytes)
  } catch (error) {
    // GitHub deletes logs after a while.
    if (error instanceof ForgeError && error.trouble === 'not-found') return undefined
    throw error
  }
}

async function jobLog(connection: Connection, path: string, bytes: number): Promise<string | undefined> {
  let response = await connection.raw(path)
  const elsewhere = response.headers.get('location')
  // The log is on another host, which must not receive the token.
  if (response.status >= 300 && response.status < 400 && elsewhere) {
    await response.body?.cancel()
    response = await connection.download(elsewhere)
  }
  if (response.status === 404 || response.status === 410) {
    await response.body?.cancel()
    return undefined
  }
  if (!response.ok || !response.body) {
    await response.body?.cancel()
    const trouble =
      response.status >= 500 ? 'unreachable' : response.status === 401 ? 'unauthorised' : 'forbidden'
    throw new ForgeError(trouble, `GitHub did not return the log (status ${response.status})`)
  }
  return endOf(response.body, bytes * 4)
}

/** The last bytes of a stream, read with bounded memory. */
async function endOf(body: ReadableStream<Uint8Array>, keep: number): Promise<string> {
  let kept = Buffer.alloc(0)
  let read = 0
  for await (const chunk of body) {
    read += chunk.length
    if (read > MAX_READ) break
    kept = Buffer.concat([kept, chunk])
    if (kept.length > keep * 2) kept = kept.subarray(-keep)
  }
  return kept.subarray(-keep).toString('utf8')
}

async function report(
  connection: Connection,
  owner: string,
  repo: string,
  id: string,
): Promise<string | undefined> {
  const { output } = await connection.get(
    'GET /repos/{owner}/{repo}/check-runs/{id}',
    { owner, repo, id },
    Run,
  )
  const parts = [output?.title, output?.summary, output?.text].filter(part => part?.trim())
  return parts.length > 0 ? parts.join('\n\n') : undefined
}

const Run = z.object({
  output: z
    .object({ title: z.string().nullish(), summary: z.string().nullish(), text: z.string().nullish() })
    .nullish(),
})

/** Removes colours, timestamps and control characters that a terminal would act on. */
function plain(text: string): string {
  return text
    .replace(/\u001b\[[0-9;?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)/g, '')
    .replace(/\r\n?/g, '\n')
    .replace(/^\d{4}-\d\d-\d\dT[\d:.]+Z /gm, '')
    .replace(/[^\P{Cc}\n\t]|[\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu, '')
}

function tail(text: string, lines: number, bytes: number): string {
  const end = text.trimEnd().split('\n').slice(-lines).join('\n')
  const cut = Buffer.from(end, 'utf8')
  // The cut may be in the middle of a character.
  return cut.length <= bytes
    ? end
    : cut
        .subarray(-bytes)
        .toString('utf8')
        .replace(/^\ufffd+/, '')
}
