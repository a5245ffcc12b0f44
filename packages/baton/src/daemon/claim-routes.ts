import { ClaimRequest } from '@batonpass/contract/claim'
import { BatonError } from '@batonpass/contract/errors'
import { Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { z } from 'zod'
import type { Baton } from '../compose.ts'
import type { MayAnswer } from './answerer-guard.ts'
import { errorResponse } from './error-response.ts'

const MAX_BYTES = 64 * 1024

const Project = z.object({ project: z.string().min(1).max(4096) })
const Release = Project.extend({ issue: z.number().int().positive().optional() })
const Setup = Project.extend({ title: z.string().min(1).max(200).optional() })
/** What a webhook delivery is about. Only a hint: Baton asks the forge for the facts. */
const Nudge = z.object({
  repository: z.string().min(1).max(300),
  pulls: z.array(z.number().int().positive()).max(100).default([]),
  branches: z.array(z.string().max(300)).max(100).default([]),
})

/** Claims and the board over the API. Requests are authenticated before they get here. */
export function claimRoutes(
  { claims, boards, store }: Pick<Baton, 'claims' | 'boards' | 'store'>,
  mayAnswer: MayAnswer,
): Hono {
  const api = new Hono()
  const small = bodyLimit({ maxSize: MAX_BYTES })
  const project = (query: Record<string, string>) => read(Project, query).project
  api.get('/api/claims', async c => c.json({ claims: await claims.list() }))
  api.get('/api/claims/claimable', async c =>
    c.json({ issues: await claims.claimable(project(c.req.query())) }),
  )
  api.post('/api/claims', small, async c => {
    const { session, ...order } = read(ClaimRequest, await c.req.json().catch(() => undefined))
    // Only a person may take a claim from a live holder.
    if (order.takeover === 'force') await mayAnswer(c)
    const known = session ? await store.findSession(session) : undefined
    return c.json(await claims.claim({ ...order, session: known }))
  })
  api.post('/api/claims/release', small, async c => {
    const { project, issue } = read(Release, await c.req.json().catch(() => undefined))
    return c.json(await claims.release(project, issue, 'released by hand'))
  })
  api.post('/api/claims/check', small, async c => {
    await claims.checkLease(read(Project, await c.req.json().catch(() => undefined)).project)
    return c.json({ held: true })
  })
  api.post('/api/claims/push', small, async c => {
    await claims.push(read(Project, await c.req.json().catch(() => undefined)).project)
    return c.json({ pushed: true })
  })
  api.post('/api/claims/nudge', small, async c => {
    const about = read(Nudge, await c.req.json().catch(() => undefined))
    return c.json({ claims: await claims.nudge(about) })
  })
  api.get('/api/board', async c => c.json(await boards.show(project(c.req.query()))))
  api.post('/api/board/setup', small, async c => {
    const { project, title } = read(Setup, await c.req.json().catch(() => undefined))
    return c.json(await boards.setup(project, title))
  })
  api.onError(errorResponse)
  return api
}

function read<T>(schema: z.ZodType<T>, value: unknown): T {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw new BatonError('usage', `${issue?.path.join('.') || 'body'}: ${issue?.message}`)
}
