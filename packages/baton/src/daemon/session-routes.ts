import { BatonError } from '@batonpass/contract/errors'
import { RunRequest, WatchRequest } from '@batonpass/contract/watch'
import { type Context, Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import type { z } from 'zod'
import type { Baton } from '../compose.ts'
import { errorResponse } from './error-response.ts'

/** Large enough for a prompt and an environment. */
const MAX_BYTES = 4 * 1024 * 1024

/** Lists, starts, adopts and ends watched sessions. */
export function sessionRoutes(
  sessions: Omit<Baton['sessions'], 'watch' | 'hear' | 'revived'>,
  fleet?: Pick<Baton['fleet'], 'get'>,
): Hono {
  const api = new Hono()
  const limited = bodyLimit({
    maxSize: MAX_BYTES,
    onError: () => {
      throw new BatonError('payload_too_large', 'The request is too large')
    },
  })
  api.get('/api/ps', async c => {
    const others = c.req.query('fleet') === 'true' ? await (await fleet?.get())?.sessionsElsewhere() : []
    return c.json({ sessions: [...(await sessions.ps()), ...(others ?? [])] })
  })
  api.get('/api/health-checks', async c => c.json(await sessions.health()))
  api.post('/api/spawns', limited, async c => c.json(await sessions.run(await read(c, RunRequest))))
  api.post('/api/watch', limited, async c => {
    const { place, agent } = await read(c, WatchRequest)
    return c.json(await sessions.adopt(place, agent))
  })
  api.delete('/api/watch/:name', async c => c.json(await sessions.release(c.req.param('name'))))
  api.delete('/api/spawns/:name', async c => c.json(await sessions.kill(c.req.param('name'))))
  api.onError(errorResponse)
  return api
}

/** Parses the body. An error names the invalid field but never quotes it: it may contain a key. */
async function read<S extends z.ZodType>(c: Context, schema: S): Promise<z.infer<S>> {
  const parsed = schema.safeParse(await c.req.json().catch(() => undefined))
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw new BatonError('usage', `${issue?.path.join('.') || 'body'} is not valid`)
}
