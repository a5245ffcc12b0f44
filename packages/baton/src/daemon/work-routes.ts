import { isAbsolute } from 'node:path'
import { BatonError } from '@batonpass/contract/errors'
import { ToolAnswer, ToolCallRequest, ToolList, WorkList, WorkReport } from '@batonpass/contract/work'
import { Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { z } from 'zod'
import type { Baton } from '../compose.ts'
import { findWorktreeRoot } from '../config/project.ts'
import { TOOLS } from '../work/packs/paw/tools.ts'
import { errorResponse } from './error-response.ts'

const MAX_BYTES = 256 * 1024

/**
 * Work items and tools for editors and commands:
 * GET /api/work, GET /api/work/status, POST /api/work, POST /api/work/:id/mode, GET /api/tools, POST /api/tools/:name.
 * All but the list of tools name the project's folder.
 */
export function workRoutes(work: Baton['work']): Hono {
  const api = new Hono()
  api.get('/api/work', async c => {
    const project = projectOf(c.req.query('project'))
    return c.json(WorkList.parse({ project, items: await work.list(project) }))
  })
  api.get('/api/work/status', async c => {
    const project = projectOf(c.req.query('project'))
    return c.json(WorkReport.parse(await work.report(project, c.req.query('work_id'))))
  })
  api.post('/api/work', bodyLimit({ maxSize: MAX_BYTES }), async c => {
    const { project, ...wanted } = await bodyOf(c.req)
    return c.json(await work.create(projectOf(project), wanted), 201)
  })
  api.post('/api/work/:id/mode', bodyLimit({ maxSize: MAX_BYTES }), async c => {
    const { project, mode } = await bodyOf(c.req)
    await work.setMode(projectOf(project), c.req.param('id'), { mode })
    return c.json({ ok: true })
  })
  api.get('/api/tools', c =>
    c.json(
      ToolList.parse({
        tools: TOOLS.map(({ name, description, input }) => ({
          name,
          description,
          inputSchema: z.toJSONSchema(input),
        })),
      }),
    ),
  )
  api.post('/api/tools/:name', bodyLimit({ maxSize: MAX_BYTES }), async c => {
    const parsed = ToolCallRequest.safeParse(await bodyOf(c.req))
    if (!parsed.success)
      throw new BatonError(
        'usage',
        `${parsed.error.issues[0]?.path.join('.')}: ${parsed.error.issues[0]?.message}`,
      )
    const { project, arguments: args, opensChats } = parsed.data
    return c.json(
      ToolAnswer.parse(
        await work.call(c.req.param('name'), args, { project: projectOf(project), opensChats }),
      ),
    )
  })
  api.onError(errorResponse)
  return api
}

async function bodyOf(request: { json(): Promise<unknown> }): Promise<Record<string, unknown>> {
  const body = await request.json().catch(() => undefined)
  if (typeof body === 'object' && body !== null && !Array.isArray(body))
    return body as Record<string, unknown>
  throw new BatonError('usage', 'The body must be a JSON object')
}

function projectOf(given: unknown): string {
  if (typeof given === 'string' && isAbsolute(given) && !given.includes('\0') && given.length < 4096)
    return findWorktreeRoot(given)
  throw new BatonError('usage', 'project must be the absolute path of a folder', {
    remedy: 'Give it as ?project=/path or in the body.',
  })
}
