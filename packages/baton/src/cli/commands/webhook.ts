import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { BatonError } from '@batonpass/contract/errors'
import { z } from 'zod'
import { systemFiles } from '../../adapters/system/files.ts'
import { loadConfig } from '../../config/load.ts'
import { stateDir } from '../../config/places.ts'
import { EXIT, type Handler, text } from '../command.ts'
import { callStartedDaemon } from '../daemon.ts'
import { printable } from '../io.ts'

const DEFAULT_PORT = 4748
/** GitHub sends at most 25 MB. */
const MAX_BYTES = 25 * 1024 * 1024
const REMEMBERED = 1000

/** Receives what GitHub reports about pull requests and passes it on, so that nothing waits for the next look. */
export const webhook: Handler = async (given, io) => {
  const places = { env: io.env, home: io.home, stateDir: stateDir(io.env, io.home) }
  const secret = (await loadConfig(places, { files: systemFiles })).config.github.webhook_secret
  if (secret === '')
    throw new BatonError('usage', 'The webhook has no secret, so anyone could call it', {
      remedy: 'Set BATON_WEBHOOK_SECRET to the secret of the webhook on GitHub.',
    })
  const port = portIn(text(given, 'port'))
  const seen = new Set<string>()
  const server = createServer((request, response) => {
    hear(request, response, secret, seen, about =>
      callStartedDaemon(io, 'POST', '/api/claims/nudge', 10_000, { body: about }),
    ).then(
      line => line && io.stdout.write(`${printable(line)}\n`),
      () => answer(response, 500, 'Baton could not process this delivery'),
    )
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', cause =>
      reject(
        new BatonError('usage', `Port ${port} cannot be used`, { remedy: 'Choose another: --port N', cause }),
      ),
    )
    server.listen(port, '127.0.0.1', resolve)
  })
  const { port: taken } = server.address() as AddressInfo
  io.stdout.write(
    `Listening on http://127.0.0.1:${taken}/ for GitHub's deliveries; lead them here by a tunnel.\n`,
  )
  await new Promise<void>(resolve => io.signal.addEventListener('abort', () => resolve(), { once: true }))
  server.closeAllConnections()
  server.close()
  return EXIT.ok
}

type Nudge = { repository: string; pulls: number[]; branches: string[] }

/** One delivery: nothing of it is read before its signature holds. */
export async function hear(
  request: IncomingMessage,
  response: ServerResponse,
  secret: string,
  seen: Set<string>,
  nudge: (about: Nudge) => Promise<unknown>,
): Promise<string | undefined> {
  if (request.method !== 'POST') return answer(response, 405, 'Only POST is allowed')
  const body = await bodyOf(request)
  if (!body) return answer(response, 413, 'Too large')
  if (!isSigned(body, String(request.headers['x-hub-signature-256'] ?? ''), secret))
    return answer(response, 401, 'The signature is not valid')
  const delivery = String(request.headers['x-github-delivery'] ?? '')
  if (delivery && seen.has(delivery)) return answer(response, 200, 'Heard before')
  seen.add(delivery)
  const [oldest] = seen
  if (seen.size > REMEMBERED && oldest !== undefined) seen.delete(oldest)
  const event = String(request.headers['x-github-event'] ?? '')
  const about = aboutIn(body)
  if (!about || !EVENTS.has(event)) return answer(response, 202, 'Nothing for Baton')
  await nudge(about)
  answer(response, 202, 'Heard')
  return `${event} ${about.repository} ${about.pulls.map(pull => `#${pull}`).join(' ')}`.trim()
}

/** Compared without telling by time how much of it is right. */
export function isSigned(body: Buffer, signature: string, secret: string): boolean {
  const given = /^sha256=([0-9a-f]{64})$/.exec(signature)?.[1]
  if (given === undefined || secret === '') return false
  const wanted = createHmac('sha256', secret).update(body).digest()
  return timingSafeEqual(wanted, Buffer.from(given, 'hex'))
}

const EVENTS = new Set([
  'check_run',
  'check_suite',
  'status',
  'pull_request',
  'pull_request_review',
  'pull_request_review_comment',
  'pull_request_review_thread',
  'workflow_run',
  'push',
])

const Numbered = z.object({ number: z.number().int().positive() })
const Checked = z.object({ pull_requests: z.array(Numbered).nullish(), head_branch: z.string().nullish() })
const Payload = z.object({
  repository: z.object({ full_name: z.string().regex(/^[\w.-]{1,100}\/[\w.-]{1,100}$/) }),
  pull_request: Numbered.nullish(),
  check_run: Checked.extend({ check_suite: Checked.nullish() }).nullish(),
  check_suite: Checked.nullish(),
  workflow_run: Checked.nullish(),
  branches: z.array(z.object({ name: z.string() })).nullish(),
})

/** Where to look; what the delivery claims to be true there is asked of GitHub itself. */
function aboutIn(body: Buffer): Nudge | undefined {
  let value: unknown
  try {
    value = JSON.parse(body.toString('utf8'))
  } catch {
    return undefined
  }
  const parsed = Payload.safeParse(value)
  if (!parsed.success) return undefined
  const { repository, pull_request, check_run, check_suite, workflow_run, branches } = parsed.data
  const checked = [check_run, check_run?.check_suite, check_suite, workflow_run]
  const pulls = [
    pull_request?.number,
    ...checked.flatMap(each => each?.pull_requests?.map(({ number }) => number) ?? []),
  ]
  const named = [...checked.map(each => each?.head_branch), ...(branches ?? []).map(({ name }) => name)]
  const isThere = <T>(each: T | null | undefined): each is T => each !== null && each !== undefined
  return {
    repository: repository.full_name,
    pulls: [...new Set(pulls.filter(isThere))].slice(0, 100),
    branches: [...new Set(named.filter(isThere))].slice(0, 100),
  }
}

async function bodyOf(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request) {
    size += (chunk as Buffer).length
    if (size > MAX_BYTES) return undefined
    chunks.push(chunk as Buffer)
  }
  return Buffer.concat(chunks)
}

function answer(response: ServerResponse, status: number, message: string): undefined {
  if (response.headersSent) return
  response.writeHead(status, { 'content-type': 'application/json' }).end(`${JSON.stringify({ message })}\n`)
}

function portIn(given: string | undefined): number {
  if (given === undefined) return DEFAULT_PORT
  const port = /^\d{1,5}$/.test(given) ? Number(given) : Number.NaN
  if (port >= 0 && port <= 65_535) return port
  throw new BatonError('usage', `--port must be a number from 0 to 65535, not '${given}'`)
}
