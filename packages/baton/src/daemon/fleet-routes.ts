import { BatonError } from '@batonpass/contract/errors'
import {
  FleetJoin,
  FleetOrder,
  FleetRemove,
  QueueAdd,
  QueueChange,
  QueueWatch,
} from '@batonpass/contract/fleet'
import { type Context, Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import type { z } from 'zod'
import type { Baton } from '../compose.ts'
import { errorResponse } from './error-response.ts'

const MAX_BYTES = 64 * 1024

/** The queue and its workers. What each call must prove is in the contract's table of needs. */
export function fleetRoutes(keeper: Pick<Baton['fleet'], 'get' | 'page'>): Hono {
  const api = new Hono()
  const small = bodyLimit({ maxSize: MAX_BYTES })
  api.get('/api/queue', async c => c.json({ jobs: await (await keeper.get()).list() }))
  api.post('/api/queue', small, async c => c.json(await (await keeper.get()).add(await read(c, QueueAdd))))
  api.post('/api/queue/remove', small, async c => {
    const { project, issue } = await read(c, QueueChange)
    return c.json(await (await keeper.get()).remove(project, issue))
  })
  api.post('/api/queue/retry', small, async c => {
    const { project, issue } = await read(c, QueueChange)
    return c.json({ job: await (await keeper.get()).retry(project, issue) })
  })
  api.post('/api/queue/watch', small, async c => {
    const fleet = await keeper.get()
    await fleet.watch(await read(c, QueueWatch))
    return c.json({ sources: (await fleet.status()).sources })
  })
  api.get('/api/page/fleet', async c => c.json(await keeper.page()))
  api.get('/api/fleet', async c => c.json(await (await keeper.get()).status()))
  api.post('/api/fleet', small, async c => {
    const fleet = await keeper.get()
    await fleet.order(await read(c, FleetOrder))
    return c.json(await fleet.status())
  })
  const membership = async () => (await keeper.get()).membership()
  api.post('/api/fleet/token', async c => c.json(await (await membership()).giveToken()))
  api.post('/api/fleet/join', small, async c => {
    const { token } = await read(c, FleetJoin)
    await (await membership()).join(token)
    return c.json(await (await keeper.get()).status())
  })
  api.post('/api/fleet/remove', small, async c => {
    const { machine } = await read(c, FleetRemove)
    await (await membership()).remove(machine)
    return c.json(await (await keeper.get()).status())
  })
  api.post('/api/fleet/found', async c => {
    await (await membership()).foundAgain()
    return c.json(await (await keeper.get()).status())
  })
  api.onError(errorResponse)
  return api
}

async function read<S extends z.ZodType>(c: Context, schema: S): Promise<z.infer<S>> {
  const parsed = schema.safeParse(await c.req.json().catch(() => undefined))
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw new BatonError('usage', `${issue?.path.join('.') || 'body'}: ${issue?.message}`)
}
