import { BatonError } from '@batonpass/contract/errors'
import { type Contained, ContainedSession, ContainRequest } from '@batonpass/contract/hosted'
import { Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import type { z } from 'zod'
import { launchesOf } from '../adapters/agents/launches.ts'
import type { Baton } from '../compose.ts'
import { errorResponse } from './error-response.ts'

/** Large enough for an environment. */
const MAX_BYTES = 4 * 1024 * 1024

/** Prepares agents that another program of Baton hosts, such as `baton chat`, to run in the sandbox as a whole. */
export function containedRoutes(whole: Baton['contained']): Hono {
  const api = new Hono()
  const limited = bodyLimit({
    maxSize: MAX_BYTES,
    onError: () => {
      throw new BatonError('payload_too_large', 'The request is too large')
    },
  })
  api.post('/api/contained', limited, async c => {
    const parsed = ContainRequest.safeParse(await c.req.json().catch(() => undefined))
    if (!parsed.success || !whole) throw new BatonError('usage', 'The body does not say what to contain')
    const { agent, cwd, env } = parsed.data
    const launch = launchesOf(agent).acp?.()
    if (!launch) throw new BatonError('missing_tool', `${agent} cannot be hosted`)
    const { name, launch: inside } = await whole.contain({ agent, launch, hosted: true, cwd, env })
    const answer: z.infer<typeof Contained> = {
      sandbox: name,
      program: inside.program,
      args: [...inside.args],
    }
    return c.json(answer)
  })
  api.post('/api/contained/:name', limited, async c => {
    const name = c.req.param('name')
    const agent = whole?.agents.find(name)
    if (!whole || !agent) throw new BatonError('not_found', 'This sandbox has ended')
    const parsed = ContainedSession.safeParse(await c.req.json().catch(() => undefined))
    if (!parsed.success) throw new BatonError('usage', 'The body does not name a conversation')
    await whole.agents.admitSession(agent, parsed.data.nativeSession)
    await whole.agents.started(name, { pid: parsed.data.pid })
    return c.json({})
  })
  api.delete('/api/contained/:name', async c => {
    await whole?.agents.end(c.req.param('name'))
    return c.json({})
  })
  api.onError(errorResponse)
  return api
}
