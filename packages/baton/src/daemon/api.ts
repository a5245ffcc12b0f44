import { Health } from '@batonpass/contract/api'
import { API_NEEDS } from '@batonpass/contract/api-needs'
import { BatonError } from '@batonpass/contract/errors'
import { EntryQuery } from '@batonpass/contract/journal'
import { Hono } from 'hono'
import { streamSSE } from 'hono/streaming'
import type { JournalListeners } from '../journal/live.ts'
import type { Store } from '../ports/store.ts'
import type { MayAnswer } from './answerer-guard.ts'
import { errorResponse } from './error-response.ts'
import { followJournal } from './follow-journal.ts'

export interface ApiParts {
  health(): Promise<Health>
  store: Store
  live: JournalListeners
  /** Lets running calls finish, then ends the process. */
  stop(reason: 'stopped' | 'drained'): void
  forget(session: string): Promise<{ session: string; entries: number }>
  mayAnswer: MayAnswer
  /** The routes that capabilities add. */
  routes: readonly Hono[]
  /** How long a live stream may be silent before it sends a heartbeat. */
  beatMs?: number
}

/** The daemon's API. Requests are authenticated before they get here; the table of needs says what each route requires. */
export function makeApi(parts: ApiParts): Hono {
  const { health, store, live, stop, forget, mayAnswer, routes, beatMs = BEAT_MS } = parts
  const api = new Hono()
  for (const [method, path, need] of API_NEEDS) {
    if (need === 'nothing') continue
    api.on(method, path, async (c, next) => {
      await mayAnswer(c, need)
      await next()
    })
  }
  for (const route of routes) api.route('/', route)
  api.get('/api/health', async c => c.json(Health.parse(await health())))
  api.get('/api/sessions', async c => {
    const which = c.req.query('live') === 'true' ? { live: true } : {}
    return c.json({ sessions: await store.sessions({ ...which, limit: limitOf(c.req.query('limit')) }) })
  })
  api.get('/api/sessions/:id', async c => {
    const session = await store.findSession(c.req.param('id'))
    if (!session) throw new BatonError('not_found', `No session ${c.req.param('id')}`, { remedy: LIST })
    return c.json(session)
  })
  api.delete('/api/sessions/:id/journal', async c => c.json(await forget(c.req.param('id'))))
  api.get('/api/journal', async c => c.json({ entries: await store.entries(readQuery(c.req.query())) }))
  api.get('/api/events', c =>
    streamSSE(c, async stream => {
      await followJournal(seqOf(c.req.header('last-event-id') ?? c.req.query('after')), store, live, {
        beatMs,
        send: entry =>
          stream.writeSSE({ id: String(entry.seq), event: entry.body.kind, data: JSON.stringify(entry) }),
        beat: () => stream.write(': still here\n\n'),
        ended: new Promise(resolve => stream.onAbort(() => resolve())),
      })
    }),
  )
  api.post('/api/stop', c => {
    stop(c.req.query('drain') === 'true' ? 'drained' : 'stopped')
    return c.json({ stopping: true, pid: process.pid })
  })
  api.notFound(c =>
    c.json({ error: new BatonError('not_found', `No such address: ${c.req.path}`).toBody() }, 404),
  )
  api.onError(errorResponse)
  return api
}

const LIST = 'See `baton status --all` for the sessions Baton knows.'
const BEAT_MS = 15_000

function readQuery(query: Record<string, string>): EntryQuery {
  const parsed = EntryQuery.safeParse(query)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw new BatonError('usage', `${issue?.path.join('.')}: ${issue?.message}`)
}

const limitOf = (text: string | undefined): number => Math.min(Math.max(Number(text) || 200, 1), 5000)

/** The entry after which a follower resumes. Without one, it gets only new entries. */
const seqOf = (text: string | undefined): number | undefined =>
  text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined
