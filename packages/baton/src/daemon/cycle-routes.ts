import { BatonError } from '@batonpass/contract/errors'
import type { Session } from '@batonpass/contract/session'
import { Hono } from 'hono'
import type { Cycles } from '../handoff/cycle/cycles.ts'
import type { Clock } from '../ports/clock.ts'
import type { Store } from '../ports/store.ts'

export interface CycleRouteParts {
  cycles: Pick<Cycles, 'list' | 'recent' | 'handOffNow' | 'cancelCycle'> | undefined
  store: Pick<Store, 'findSession'>
  clock: Clock
}

/** Lists, starts and cancels handoffs of live sessions. */
export function cycleRoutes({ cycles, store, clock }: CycleRouteParts): Hono {
  const api = new Hono()
  const the = async (name: string): Promise<Session> => {
    const session = await store.findSession(name)
    if (session) return session
    throw new BatonError('not_found', `No session ${name}`, { remedy: 'See `baton status`.' })
  }
  const running = () => {
    if (cycles) return cycles
    throw new BatonError('not_allowed', 'This process cannot hand over sessions')
  }
  api.get('/api/cycles', async c => {
    const all = c.req.query('all') === 'true'
    return c.json({ cycles: all ? await running().recent(MAX_ITEMS) : running().list() })
  })
  api.post('/api/sessions/:id/cycle', async c =>
    c.json(await running().handOffNow(await the(c.req.param('id')), clock.now())),
  )
  api.delete('/api/sessions/:id/cycle', async c =>
    c.json(await running().cancelCycle((await the(c.req.param('id'))).id, 'a person called it off')),
  )
  return api
}

const MAX_ITEMS = 100
