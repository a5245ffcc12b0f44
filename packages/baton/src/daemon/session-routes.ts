import { BatonError } from '@batonpass/contract/errors'
import { RunRequest, WatchRequest } from '@batonpass/contract/watch'
import { type Context, Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import type { z } from 'zod'
import type { Baton } from '../compose.ts'
import { errorResponse } from './error-response.ts'

/** A prompt and an environment fit; nothing else has a reason to be large. */
const MAX_BYTES = 4 * 1024 * 1024

/** Sessions under watch: the list, starting, adopting and ending. */
export function sessionRoutes(sessions: Omit<Baton['sessions'], 'watch' | 'hear' | 'revived'>): Hono {
  const api = new Hono()
  const limited = bodyLimit({
    maxSize: MAX_BYTES,
    onError: () => {
      throw new BatonError('payload_too_large', 'That is too much for one request')
    },
  })
  api.get('/api/ps', async c => c.json({ sessions: await sessions.ps() }))
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

/** The body by its schema. What was wrong is named, never quoted: it may hold a key. */
async function read<S extends z.ZodType>(c: Context, schema: S): Promise<z.infer<S>> {
  const parsed = schema.safeParse(await c.req.json().catch(() => undefined))
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw new BatonError('usage', `${issue?.path.join('.') || 'body'} is not as it must be`)
}
