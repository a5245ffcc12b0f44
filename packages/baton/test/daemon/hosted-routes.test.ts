import type { AgentName } from '@batonpass/contract/event'
import { Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import { makeApi } from '../../src/daemon/api.ts'
import { hostedRoutes } from '../../src/daemon/hosted-routes.ts'
import type { ReportContext } from '../../src/engine/hook-call.ts'
import { JournalListeners } from '../../src/journal/live.ts'
import type { DecodedEvent } from '../../src/ports/agent.ts'
import type { Store } from '../../src/ports/store.ts'

function world() {
  const talks: unknown[] = []
  const told: { agent: AgentName; event: DecodedEvent; about: ReportContext | undefined }[] = []
  const own: [string, string, boolean][] = []
  const routes = hostedRoutes(
    {
      ownTurn: (agent, native, on) => void own.push([agent, native, on]),
      async handleEvent(agent, event, about) {
        told.push({ agent, event, about })
        return event.type === 'PermissionAsked' ? { permission: { decision: 'deny', reason: 'no' } } : {}
      },
    },
    {
      tell: (...talk) => void talks.push(talk),
      hear(session, ear) {
        ear({ kind: 'say', text: `to ${session.slice(0, 4)}` })
        return () => void talks.push('gone')
      },
    },
    name => (name === 'agent_runs' ? CONTAINED : undefined),
  )
  const api = makeApi({
    health: () => Promise.reject(new Error('not here')),
    store: {} as Store,
    live: new JournalListeners(),
    stop() {},
    forget: () => Promise.reject(new Error('not here')),
    mayAnswer: async () => ({ channel: 'terminal', who: 'dev' }),
    routes: [routes, new Hono()],
  })
  const post = (body: unknown, path = '/api/hosted') =>
    api.request(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
  return { told, own, talks, post, api }
}

const event = {
  type: 'PermissionAsked',
  nativeSession: 'n-1',
  cwd: '/w',
  tool: 'Bash',
  input: { command: 'ls' },
  action: { kind: 'shell', command: 'ls' },
}
const call = { agent: 'codex', cwd: '/w', attended: true, event }

const CONTAINED = {
  agent: 'codex' as const,
  pid: 7,
  place: undefined,
  admit: async (each: DecodedEvent) => each,
}

describe('POST /api/hosted of an agent in the sandbox', () => {
  it('hands the event to that agent, and refuses one of a sandbox that has ended or of another agent', async () => {
    const { told, post } = world()
    expect((await post({ ...call, sandbox: 'agent_runs' })).status).toBe(200)
    expect(told.map(({ about }) => about?.contained)).toEqual([CONTAINED])
    for (const other of [{ sandbox: 'agent_ended' }, { sandbox: 'agent_runs', agent: 'claude-code' }])
      expect((await post({ ...call, ...other })).status).toBe(403)
    expect((await post({ ...call, sandbox: '../x' })).status).toBe(400)
    expect(told).toHaveLength(1)
  })
})

describe('POST /api/hosted/own', () => {
  it('says that a session answers a question of Baton’s own, and takes nothing else', async () => {
    const { own, post } = world()
    const body = { agent: 'codex', nativeSession: 'n-1', on: true }
    expect((await post(body, '/api/hosted/own')).status).toBe(200)
    expect((await post({ ...body, nativeSession: '../x' }, '/api/hosted/own')).status).toBe(400)
    expect((await post({ ...body, on: 'yes' }, '/api/hosted/own')).status).toBe(400)
    expect(own).toEqual([['codex', 'n-1', true]])
  })
})

describe('POST /api/hosted', () => {
  it('takes an event in our words and answers with the reaction', async () => {
    const { told, post } = world()
    const answer = await post({ ...call, pid: 42 })
    expect(answer.status).toBe(200)
    expect(await answer.json()).toEqual({ permission: { decision: 'deny', reason: 'no' } })
    expect(told[0]).toMatchObject({
      agent: 'codex',
      event: { type: 'PermissionAsked', nativeSession: 'n-1', tool: 'Bash' },
      about: { attended: true, cwd: '/w', pid: 42, hosted: true },
    })
  })

  it.each([
    ['no JSON', '{'],
    ['no event', { agent: 'codex', cwd: '/w', attended: true }],
    ['an agent that is none', { ...call, agent: 'nobody' }],
    ['an event that is none', { ...call, event: { ...event, type: 'Whatever' } }],
    ['a session that could be a path', { ...call, event: { ...event, nativeSession: '../../x' } }],
    ['an action that is none', { ...call, event: { ...event, action: { kind: 'nothing' } } }],
    ['a person who is not said', { ...call, attended: undefined }],
  ])('refuses %s', async (_, body) => {
    const { told, post } = world()
    const answer = await post(body)
    expect(answer.status).toBe(400)
    expect(told).toEqual([])
  })
})

describe('POST /api/hosted/conversation', () => {
  const news = { state: 'working', rev: 3, items: [], plan: [] }

  it('keeps what was said for whoever looks', async () => {
    const { talks, post } = world()
    const answer = await post({ agent: 'codex', nativeSession: 'n-1', news }, '/api/hosted/conversation')
    expect(await answer.json()).toEqual({ heard: 3 })
    expect(talks).toEqual([[expect.stringMatching(/^ses_/), news]])
  })

  it('takes nothing else', async () => {
    const { talks, post } = world()
    for (const body of ['{', {}, { agent: 'codex', nativeSession: 'n-1', news: { ...news, items: [{}] } }])
      expect((await post(body, '/api/hosted/conversation')).status).toBe(400)
    expect(talks).toEqual([])
  })
})

describe('GET /api/hosted/words', () => {
  it('tells the program that hosts an agent what a person says from elsewhere, until it goes', async () => {
    const { talks, api } = world()
    const stop = new AbortController()
    const { signal } = stop
    const answer = await api.request('/api/hosted/words?agent=codex&nativeSession=n-1', { signal })
    const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader()
    expect((await reader?.read())?.value).toBe('data: {"kind":"say","text":"to ses_"}\n\n')
    await reader?.cancel()
    await expect.poll(() => talks).toEqual(['gone'])
    expect((await api.request('/api/hosted/words?agent=codex&nativeSession=../x')).status).toBe(400)
  })
})
