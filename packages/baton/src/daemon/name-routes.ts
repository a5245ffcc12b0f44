import { BatonError } from '@batonpass/contract/errors'
import type { Session } from '@batonpass/contract/session'
import { Hono } from 'hono'
import { z } from 'zod'
import type { Store } from '../ports/store.ts'
import { shortName } from '../session/session-name.ts'
import { errorResponse } from './error-response.ts'

const Naming = z.strictObject({ name: z.string().max(1000) })

/** Names sessions. */
export function nameRoutes(parts: {
  store: Pick<Store, 'findSession'>
  rename(session: Session['id'], name: string): Promise<void>
}): Hono {
  const api = new Hono()
  api.post('/api/sessions/:id/name', async c => {
    const given = Naming.safeParse(await c.req.json().catch(() => undefined))
    const name = given.success ? shortName(given.data.name) : ''
    if (name === '')
      throw new BatonError('usage', 'The name must be a text', { remedy: 'See `baton ps --help`.' })
    const session = await parts.store.findSession(c.req.param('id'))
    if (!session)
      throw new BatonError('not_found', 'There is no such session', {
        remedy: 'Run `baton ps` to list them.',
      })
    await parts.rename(session.id, name)
    return c.json({ session: session.id, name })
  })
  api.onError(errorResponse)
  return api
}
