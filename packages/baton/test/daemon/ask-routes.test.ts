import { AskList } from '@batonpass/contract/ask'
import { describe, expect, it } from 'vitest'
import type { Asks } from '../../src/ask/asks.ts'
import { answererGuard } from '../../src/daemon/answerer-guard.ts'
import { askRoutes } from '../../src/daemon/ask-routes.ts'
import type { Ancestry, ProcessFacts } from '../../src/ports/ancestry.ts'
import { askWorld, sampleQuestion } from '../ask/sample.ts'
import { settled } from '../world/time.ts'

const TOKEN = 'a'.repeat(64)
const PROOF = 'answering-0123456789abcdefghij'
const shell: ProcessFacts = { pid: 5, words: ['zsh'], program: undefined, terminal: true, environment: [] }
const ancestry: Ancestry = {
  of: async pid => (pid === 5 ? [shell] : pid === 6 ? [shell, { ...shell, words: ['claude'] }] : undefined),
  holds: async (pid, file) => (pid === 5 || pid === 6) && file === `/state/${PROOF}`,
}

async function api(asks: Asks) {
  const app = askRoutes(asks, answererGuard({ ancestry, token: TOKEN, user: 'ann', stateDir: '/state' }))
  const answer = async (id: string, body: unknown, headers: Record<string, string>) => {
    const response = await app.request(`/api/asks/${id}/answer`, {
      method: 'POST',
      body: JSON.stringify(body),
      headers,
    })
    return {
      status: response.status,
      body: (await response.json()) as { error?: { code: string; message: string } },
    }
  }
  return { app, answer }
}

const terminal = { 'baton-pid': '5', 'baton-proof': PROOF }
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
        error: { code: 'ask_closed', message: expect.stringContaining('allow-once by ann (terminal)') },
      },
    })
    expect(AskList.parse(await (await app.request('/api/asks')).json()).asks).toEqual([])
    expect(AskList.parse(await (await app.request('/api/asks?all=true')).json()).asks).toHaveLength(1)
  })

  it('are not answered by an agent, an unproven process, or somebody without the token', async () => {
    await using world = await askWorld()
    const asks = await world.begin()
    void asks.ask(sampleQuestion('make'), never)
    await settled()
    const { answer } = await api(asks)
    const id = asks.open()[0]?.id ?? ''
    for (const headers of [
      {},
      { 'baton-pid': '6', 'baton-proof': PROOF },
      { 'baton-pid': '5' },
      { 'baton-pid': '5', 'baton-proof': 'answering-ffffffffffffffffffff' },
      { 'baton-pid': '5', 'baton-proof': '../../etc/passwd' },
      { 'baton-pid': '7', 'baton-proof': PROOF },
      { 'baton-pid': '-1' },
      { authorization: `Bearer ${'b'.repeat(64)}` },
      { authorization: `Bearer ${TOKEN}`, 'baton-pid': '6', 'baton-proof': PROOF },
    ])
      expect(await answer(id, { option: 'allow-once' }, headers)).toMatchObject({
        status: 403,
        body: { error: { code: 'not_allowed' } },
      })
    expect(asks.open()).toHaveLength(1)
    expect(
      (
        await answer(
          id,
          { option: 'allow-once' },
          { authorization: `Bearer ${TOKEN}`, 'baton-channel': 'dashboard' },
        )
      ).status,
    ).toBe(200)
    expect((await asks.find(id))?.answer?.by.channel).toBe('dashboard')
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
