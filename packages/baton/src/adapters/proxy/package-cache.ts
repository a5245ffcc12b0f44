import { createHash, randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'

/** A package that a command downloads. */
export interface PackageRequest {
  /** The server and path, without a query. */
  url: string
  /** The login that the proxy adds: what one login may read is not for another. */
  login: string | undefined
}

/**
 * Packages that commands in any sandbox downloaded, so that the next clean checkout does not download them again. Only the proxy
 * writes here, and only what the registry itself answered: no command can put anything into it.
 */
export interface PackageCache {
  /** Answers with the stored package. False: there is none. */
  answer(wanted: PackageRequest, response: ServerResponse): Promise<boolean>
  /** Stores what a registry answers while it is passed on. Its failure changes nothing for the command. */
  store(wanted: PackageRequest, answer: IncomingMessage): void
}

const MAX_PACKAGE = 30_000_000
const MAX_BYTES = 2_000_000_000
/** Versions do not change; a private registry may still replace one. */
const MAX_AGE_MS = 24 * 3_600_000
/** How many packages are stored before the oldest are looked for. */
const PRUNE_EVERY = 50

/** Addresses of one version of a package, in the registries of npm, PyPI, Go, Rust and Maven. */
const VERSION =
  /\/-\/[^/?]+\.tgz$|\/packages\/[^?]+\.(?:whl|tar\.gz)$|\/@v\/v[^/?]+\.zip$|\d[^/?]*\.crate$|^(?!.*SNAPSHOT).*\d[^/?]*\.jar$/

/** The package that a request downloads; undefined if it asks for something else, or in another way. */
export function packageRequest(
  { method, headers }: IncomingMessage,
  { server, path, login }: { server: string; path: string; login: string | undefined },
): PackageRequest | undefined {
  const isPlain =
    !headers.range && !headers.authorization && !/no-cache|no-store/.test(headers['cache-control'] ?? '')
  return method === 'GET' && isPlain && VERSION.test(path) ? { url: `${server}${path}`, login } : undefined
}

export function packageCache(folder: string, now: () => number): PackageCache {
  const fileOf = ({ url, login }: PackageRequest) =>
    join(
      folder,
      createHash('sha256')
        .update(JSON.stringify([url, login ?? null]))
        .digest('hex'),
    )
  let stored = 0
  const keep = async (wanted: PackageRequest, content: Buffer) => {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const part = join(folder, `${randomUUID()}.part`)
    await writeFile(part, content, { mode: 0o600 })
    await rename(part, fileOf(wanted))
    stored += 1
    if (stored % PRUNE_EVERY === 1) await removeOldest(folder, now())
  }
  return {
    async answer(wanted, response) {
      const file = fileOf(wanted)
      const found = await stat(file).catch(() => undefined)
      if (!found || now() - found.mtimeMs > MAX_AGE_MS) return false
      const content = await readFile(file).catch(() => undefined)
      if (!content) return false
      response.writeHead(200, {
        'content-type': 'application/octet-stream',
        'content-length': content.length,
      })
      response.end(content)
      return true
    },
    store(wanted, answer) {
      const isWhole = answer.statusCode === 200 && answer.headers['content-encoding'] === undefined
      if (!isWhole || /no-store/.test(answer.headers['cache-control'] ?? '')) return
      const chunks: Buffer[] = []
      let bytes = 0
      answer.on('data', (chunk: Buffer) => {
        bytes += chunk.length
        if (bytes <= MAX_PACKAGE) chunks.push(chunk)
        else chunks.length = 0
      })
      answer.once('end', () => {
        if (answer.complete && bytes <= MAX_PACKAGE) void keep(wanted, Buffer.concat(chunks)).catch(() => {})
      })
    },
  }
}

/** Removes what is too old, also what a killed daemon did not finish, and the oldest of what is too much. */
async function removeOldest(folder: string, now: number): Promise<void> {
  const all = await Promise.all(
    (await readdir(folder)).map(async name => {
      const { size, mtimeMs } = await stat(join(folder, name)).catch(() => ({ size: 0, mtimeMs: 0 }))
      return { name, size, mtimeMs }
    }),
  )
  let bytes = 0
  for (const { name, size, mtimeMs } of all.sort((a, b) => b.mtimeMs - a.mtimeMs)) {
    bytes += size
    const isLeft = now - mtimeMs > MAX_AGE_MS
    if (bytes > MAX_BYTES || isLeft) await rm(join(folder, name), { force: true })
  }
}
