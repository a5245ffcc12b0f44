import { API_NEEDS, apiNeed } from '@batonpass/contract/api-needs'
import { BatonError } from '@batonpass/contract/errors'
import type { Hono } from 'hono'
import { describe, expect, test } from 'vitest'
import { answererGuard, type MayAnswer } from '../../src/daemon/answerer-guard.ts'
import { type ApiParts, makeApi } from '../../src/daemon/api.ts'
import { askRoutes } from '../../src/daemon/ask-routes.ts'
import { claimRoutes } from '../../src/daemon/claim-routes.ts'
import { containedRoutes } from '../../src/daemon/contained-routes.ts'
import { conversationRoutes } from '../../src/daemon/conversation-routes.ts'
import { cycleRoutes } from '../../src/daemon/cycle-routes.ts'
import { dashboardRoutes } from '../../src/daemon/dashboard-routes.ts'
import { editorRoutes } from '../../src/daemon/editor-routes.ts'
import { hostedRoutes } from '../../src/daemon/hosted-routes.ts'
import { mcpRoute } from '../../src/daemon/mcp-route.ts'
import { pauseRoutes } from '../../src/daemon/pause-routes.ts'
import { presenceRoutes } from '../../src/daemon/presence-routes.ts'
import { proofRoutes } from '../../src/daemon/proof-routes.ts'
import { sessionRoutes } from '../../src/daemon/session-routes.ts'
import { workRoutes } from '../../src/daemon/work-routes.ts'
import type { ProcessFacts } from '../../src/ports/ancestry.ts'

/** Stands in for everything behind a route: nothing of it is to be reached. */
const BEHIND = new Proxy({} as never, { get: () => BEHIND })

function api(mayAnswer: MayAnswer): Hono {
  const routes = [
    askRoutes(BEHIND, mayAnswer),
    presenceRoutes(BEHIND, mayAnswer),
    cycleRoutes(BEHIND),
    claimRoutes(BEHIND, mayAnswer),
    sessionRoutes(BEHIND),
    pauseRoutes(BEHIND),
    hostedRoutes(BEHIND, BEHIND),
    containedRoutes(BEHIND),
    workRoutes(BEHIND),
    proofRoutes(BEHIND, BEHIND, mayAnswer),
    mcpRoute(BEHIND),
    editorRoutes(BEHIND),
    conversationRoutes(BEHIND, mayAnswer),
    dashboardRoutes(BEHIND),
  ]
  return makeApi({ ...({} as ApiParts), mayAnswer, routes })
}

const refuse: MayAnswer = async () => {
  throw new BatonError('not_allowed', 'nobody you know')
}

describe('who may change what over the API', () => {
  test('the table names every route that changes something, and no other', () => {
    const routes = api(refuse).routes.map(({ method, path }) => `${method} ${path}`)
    const changing = new Set(routes.filter(route => !route.startsWith('GET ') && !route.endsWith('*')))
    const named = API_NEEDS.map(([method, path]) => `${method} ${path}`)
    expect(new Set(named.filter(route => !route.startsWith('GET ')))).toEqual(changing)
    expect(named.filter(route => !routes.includes(route))).toEqual([])
    expect(new Set(named).size).toBe(named.length)
  })

  test.each(API_NEEDS.filter(([, , need]) => need !== 'nothing'))(
    '%s %s is refused without proof of %s',
    async (method, path, need) => {
      const asked: unknown[] = []
      const served = api((call, wanted) => {
        asked.push(wanted)
        return refuse(call)
      })
      const answer = await served.request(path.replace(/:\w+/, 'x'), {
        method,
        body: method === 'POST' ? '{}' : null,
      })
      expect(answer.status).toBe(403)
      expect(asked).toEqual([need])
      expect(apiNeed(method, `${path.replace(/:\w+/, 'x')}?a=/b`)).toBe(need)
    },
  )

  const person = { pid: 7, words: ['bash'], program: '/bin/bash', terminal: true, environment: [] }
  const guard = (chain: ProcessFacts[]) =>
    answererGuard({ ancestry: { ancestorsOf: async () => chain, clientsOf: async () => [7] }, user: 'dev' })
  const local = {
    remoteAddress: '127.0.0.1',
    remotePort: 50_000,
    localAddress: '127.0.0.1',
    localPort: 4747,
  }
  const authorization = `Bearer ${'a'.repeat(64)}`
  const from = (socket: object) => {
    const raw = new Request('http://127.0.0.1:4747/', { headers: { authorization } })
    return { req: { raw }, env: { incoming: { socket } } } as unknown as Parameters<MayAnswer>[0]
  }

  test('without an agent above it, a script may do what an answer needs a terminal for', async () => {
    const script = guard([{ ...person, terminal: false }])
    await expect(script(from(local))).rejects.toMatchObject({ code: 'not_allowed' })
    await expect(script(from(local), 'no-agent')).resolves.toMatchObject({ who: 'dev' })
  })

  test('below an agent neither is done, nor over a connection that does not show who calls, whatever token it brings', async () => {
    const agent = { ...person, words: ['claude'], program: '/usr/bin/claude' }
    for (const need of ['no-agent', 'person'] as const) {
      await expect(guard([person, agent])(from(local), need)).rejects.toMatchObject({ code: 'not_allowed' })
      await expect(guard([person])(from({}), need)).rejects.toMatchObject({ code: 'not_allowed' })
    }
  })

  test('a process number that belongs to another process by now proves nothing', async () => {
    const answers = [[7], [8]]
    const ancestry = { ancestorsOf: async () => [person], clientsOf: async () => answers.shift() ?? [] }
    await expect(answererGuard({ ancestry, user: 'dev' })(from(local))).rejects.toMatchObject({
      code: 'not_allowed',
    })
  })
})
