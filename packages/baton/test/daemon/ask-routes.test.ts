import { AskList } from '@batonpass/contract/ask'
import { describe, expect, it } from 'vitest'
import type { Asks } from '../../src/ask/asks.ts'
import { answererGuard } from '../../src/daemon/answerer-guard.ts'
import { askRoutes } from '../../src/daemon/ask-routes.ts'
import type { Ancestry, ProcessFacts } from '../../src/ports/ancestry.ts'
import { askWorld, sampleQuestion } from '../ask/sample.ts'
import { settled } from '../world/time.ts'

const TOKEN = 'a'.repeat(64)
const shell: ProcessFacts = { pid: 5, words: ['zsh'], program: undefined, terminal: true, environment: [] }
const ancestry: Ancestry = {
  ancestorsOf: async pid =>
    pid === 5 ? [shell] : pid === 6 ? [shell, { ...shell, words: ['claude'] }] : undefined,
  clientsOf: async ({ clientPort }) => HOLDERS[clientPort] ?? [],
}

/** The processes at the other end of each connection, by its port. */
const HOLDERS: Readonly<Record<number, number[]>> = { 50005: [5], 50006: [6], 50007: [7], 50056: [5, 6] }
const connected = (remotePort: number, more: object = {}) => ({
  incoming: {
    socket: { remoteAddress: '127.0.0.1', remotePort, localAddress: '127.0.0.1', localPort: 4747, ...more },
  },
})

async function api(asks: Asks) {
  const fromLogin = (headers: Headers) => headers.get('baton-page') === 'signed'
  const app = askRoutes(asks, answererGuard({ ancestry, user: 'ann', fromLogin }))
  const answer = async (id: string, body: unknown, env: object, headers: Record<string, string> = {}) => {
    const call = { method: 'POST', body: JSON.stringify(body), headers }
    const response = await app.request(`/api/asks/${id}/answer`, call, env)
    return {
      status: response.status,
      body: (await response.json()) as { error?: { code: string; message: string } },
    }
  }
  return { app, answer }
}

const terminal = connected(50005)
const never = { signal: new AbortController().signal, withinMs: 60_000, unreached: 'wait' } as const

describe('asks over the API', () => {
  it('are listed and shown by an unambiguous start of their id', async () => {
    await using world = await askWorld()
    const asks = await world.begin()
    void asks.ask(sampleQuestion('make'), never)
    await settled()
    const { app } = await api(asks)
    const list = AskList.parse(await (await app.request('/api/asks')).json())
    expect(list.asks).toMatchObject([{ detail: 'make', state: 'open' }])
    const id = list.asks[0]?.id ?? ''
    expect((await app.request(`/api/asks/${id.slice(0, 12)}`)).status).toBe(200)
    for (const name of ['ask_nosuch', '%25', "x'%20or%201=1"]) {
      expect((await app.request(`/api/asks/${name}`)).status).toBe(404)
    }
  })

  it('are answered once, and a second answer hears how it ended', async () => {
    await using world = await askWorld()
    const asks = await world.begin()
    const waiting = asks.ask(sampleQuestion('make'), never)
    await settled()
    const { answer, app } = await api(asks)
    const id = asks.open()[0]?.id ?? ''
    expect((await answer(id, { option: 'allow-once' }, terminal)).status).toBe(200)
    expect(await waiting).toMatchObject({ option: 'allow-once', by: { channel: 'terminal', who: 'ann' } })
    expect(await answer(id, { option: 'deny' }, terminal)).toMatchObject({
      status: 409,
      body: {
        error: { code: 'ask_closed', message: expect.stringContaining('Allowed by ann (terminal)') },
      },
    })
    expect(AskList.parse(await (await app.request('/api/asks')).json()).asks).toEqual([])
    expect(AskList.parse(await (await app.request('/api/asks?all=true')).json()).asks).toHaveLength(1)
  })

  it('are answered only by a process at a terminal without an agent, or by a login; never by the token', async () => {
    await using world = await askWorld()
    const asks = await world.begin()
    void asks.ask(sampleQuestion('make'), never)
    await settled()
    const { answer } = await api(asks)
    const id = asks.open()[0]?.id ?? ''
    const token = { authorization: `Bearer ${TOKEN}`, 'baton-channel': 'dashboard' }
    const unixSocket = { incoming: { socket: {} } }
    for (const env of [
      {},
      unixSocket,
      connected(50006),
      connected(50007),
      connected(50008),
      // An agent that shares its connection with a person's process.
      connected(50056),
      connected(50005, { remoteAddress: '192.168.0.7' }),
      connected(50005, { destroyed: true }),
    ])
      for (const headers of [
        {},
        token,
        { ...token, 'baton-pid': '5', 'baton-proof': 'answering-0123456789abcdefghij' },
        { 'baton-page': 'forged' },
      ])
        expect(await answer(id, { option: 'allow-once' }, env, headers)).toMatchObject({
          status: 403,
          body: { error: { code: 'not_allowed' } },
        })
    const { body } = await answer(id, { option: 'allow-once' }, unixSocket, token)
    expect(body.error).toMatchObject({
      message: 'This call needs proof of a person; the token is not enough, because agents can read it',
      remedy: expect.stringContaining('Let This Editor Answer'),
    })
    expect(asks.open()).toHaveLength(1)
    const signed = { 'baton-page': 'signed', 'baton-channel': 'vscode' }
    expect((await answer(id, { option: 'allow-once' }, unixSocket, signed)).status).toBe(200)
    expect((await asks.find(id))?.answer?.by.channel).toBe('vscode')
  })

  it('refuse what is not offered, not understood, or about something else', async () => {
    await using world = await askWorld()
    const asks = await world.begin()
    void asks.ask(sampleQuestion('make'), never)
    await settled()
    const { answer } = await api(asks)
    const id = asks.open()[0]?.id ?? ''
    for (const [body, status] of [
      [{ option: 'yes' }, 400],
      [{ option: 'deny-with-reason' }, 400],
      [{ option: 'sudo' }, 400],
      [{ option: 'deny', extra: 1 }, 400],
      ['nonsense', 400],
      [{ option: 'allow-once', fingerprint: 'f'.repeat(64) }, 403],
    ] as const)
      expect((await answer(id, body, terminal)).status).toBe(status)
    expect(asks.open()).toHaveLength(1)
  })
})
