import type { IncomingMessage } from 'node:http'
import { isAbsolute } from 'node:path'
import { BatonError } from '@batonpass/contract/errors'
import { Hono } from 'hono'
import type { Baton } from '../compose.ts'
import { findWorktreeRoot } from '../config/project.ts'
import { sameSecret } from './loopback-guard.ts'

/**
 * MCP over HTTP, at /mcp?project=FOLDER. It has its own key, which allows nothing else: the daemon's token opens the whole
 * API and must not be in an agent's configuration.
 */
export function mcpRoute(work: Baton['work']): Hono {
  const api = new Hono()
  api.all('/mcp', async c => {
    const given = c.req.query('project') ?? c.req.header('x-baton-project') ?? ''
    if (!isAbsolute(given) || given.includes('\0'))
      return c.json({ error: new BatonError('usage', 'Name the project: /mcp?project=/path').toBody() }, 400)
    const project = findWorktreeRoot(given)
    // Load the library only when it is used.
    const { answerMcp } = await import('../mcp/http.ts')
    return answerMcp(c.req.raw, (name, args) => work.call(name, args, { project }))
  })
  return api
}

/** Whether a request is for the MCP server and brings its key. */
export function isMcp({ url = '', headers }: IncomingMessage, key: string): boolean {
  const given = /^Bearer ([0-9a-f]{64})$/.exec(headers.authorization ?? '')?.[1]
  return /^\/mcp(?:\?|$)/.test(url) && given !== undefined && sameSecret(given, key)
}
