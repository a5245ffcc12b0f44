import { PresenceRequest } from '@batonpass/contract/ask'
import { BatonError } from '@batonpass/contract/errors'
import { Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import type { PresenceKeeper } from '../ask/presence.ts'
import type { MayAnswer } from './answerer-guard.ts'
import { errorResponse } from './error-response.ts'

/** Whether the person is away; only a person says so. */
export function presenceRoutes(
  presence: Pick<PresenceKeeper, 'read' | 'change'>,
  mayAnswer: MayAnswer,
): Hono {
  const api = new Hono()
  api.get('/api/presence', async c => c.json(await presence.read()))
  api.post('/api/presence', bodyLimit({ maxSize: 1024 }), async c => {
    await mayAnswer(c)
    const asked = PresenceRequest.safeParse(await c.req.json().catch(() => undefined))
    if (!asked.success) throw new BatonError('usage', 'away: expected true or false')
    return c.json(await presence.change(asked.data.away))
  })
  api.onError(errorResponse)
  return api
}
