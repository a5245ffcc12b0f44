import { BatonError } from '@batonpass/contract/errors'
import { type Pause, PauseRequest } from '@batonpass/contract/pause'
import { type Context, Hono } from 'hono'
import type { Clock } from '../ports/clock.ts'
import type { Store } from '../ports/store.ts'
import type { Pauses } from '../session/pauses.ts'
import { errorResponse } from './error-response.ts'

export interface PauseRouteParts {
  pauses: Pauses
  store: Pick<Store, 'findSession'>
  clock: Clock
  /** Journals that Baton was paused or continues. */
  notePause(what: 'paused' | 'unpaused', pause: Pause): Promise<void>
}

/** Pauses Baton and ends pauses. The table of needs keeps agents from both. */
export function pauseRoutes({ pauses, store, clock, notePause }: PauseRouteParts): Hono {
  const api = new Hono()
  const read = async (c: Context): Promise<PauseRequest> => {
    const parsed = PauseRequest.safeParse(await c.req.json().catch(() => ({})))
    if (parsed.success) return parsed.data
    throw new BatonError('usage', 'Name what to pause: machine, project or session')
  }
  const named = async (session: string | undefined) => {
    const found = session === undefined ? undefined : await store.findSession(session)
    if (found) return found
    throw new BatonError('not_found', `No session ${session ?? ''}`, { remedy: 'See `baton status --all`.' })
  }
  api.get('/api/pauses', c => c.json({ pauses: pauses.list() }))
  api.post('/api/pauses', async c => {
    const { scope = 'project', project, session } = await read(c)
    const since = new Date(clock.now()).toISOString()
    let pause: Pause
    if (scope === 'machine') pause = { scope, since }
    else if (scope === 'session') {
      const { id, nativeSession } = await named(session)
      pause = { scope, session: id, nativeSession, since }
    } else if (project?.startsWith('/')) pause = { scope, project, since }
    else throw new BatonError('usage', 'Name the project by its absolute path')
    await pauses.add(pause)
    await notePause('paused', pause)
    return c.json({ pauses: pauses.list() })
  })
  api.post('/api/pauses/end', async c => {
    const { scope, project, session } = await read(c)
    const id = scope === 'session' ? (await named(session)).id : undefined
    const ended = await pauses.remove(
      pause =>
        scope === undefined ||
        (pause.scope === scope &&
          (pause.scope !== 'project' || pause.project === project) &&
          (pause.scope !== 'session' || pause.session === id)),
    )
    for (const pause of ended) await notePause('unpaused', pause)
    return c.json({ pauses: ended })
  })
  api.onError(errorResponse)
  return api
}
