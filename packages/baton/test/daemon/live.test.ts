import { get, type IncomingMessage } from 'node:http'
import type { Entry } from '@batonpass/contract/journal'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeApi } from '../../src/daemon/api.ts'
import { JournalListeners } from '../../src/journal/live.ts'
import { openSqlite } from '../../src/store/sqlite.ts'
import { type HookWorld, hookWorld, toolCall } from '../hook/world.ts'
import { anEntry } from '../world/journal.ts'
import { until } from '../world/wait.ts'
import { hookCaller } from './process-world.ts'
import { servingDaemon } from './serving-daemon.ts'

describe('live events', () => {
  let world: HookWorld
  let daemon: Awaited<ReturnType<typeof servingDaemon>>
  let caller: ReturnType<typeof hookCaller>
  let calls = 0
  beforeAll(async () => {
    world = hookWorld()
    daemon = await servingDaemon(world)
    caller = hookCaller(world.folder)
  })
  afterAll(async () => {
    caller.close()
    await daemon[Symbol.asyncDispose]()
    await world[Symbol.asyncDispose]()
  })

  const happen = async (count: number) => {
    for (let i = 0; i < count; i += 16)
      await Promise.all(
        Array.from({ length: Math.min(16, count - i) }, () =>
          caller.call(toolCall(`live-${++calls}`, { note: 'x'.repeat(2000) })),
        ),
      )
  }
  const lastSeq = async () => (await world.entries({ limit: '1', order: 'desc' }))[0]?.seq ?? 0

  test('come without a gap and without a repeat, from whichever entry one asks', async () => {
    await happen(20)
    const early = await follower(world.folder.socket, '?after=0')
    await Promise.all([happen(40), until(() => early.seqs().length > 25, { what: 'entries' })])
    // As a browser comes back: with the last id it saw.
    const seen = early.seqs().at(-1) ?? 0
    early.close()
    await happen(20)
    const back = await follower(world.folder.socket, '', { 'last-event-id': String(seen) })
    const last = await lastSeq()
    await until(() => back.seqs().at(-1) === last, { what: 'the newest entry' })
    expect([...early.seqs(), ...back.seqs()]).toEqual(Array.from({ length: last }, (_, i) => i + 1))
    back.close()
  })

  test('begin with what happens now when nothing else is asked', async () => {
    const last = await lastSeq()
    const now = await follower(world.folder.socket, '?after=nonsense')
    await happen(1)
    await until(() => now.seqs().length > 0, { what: 'an entry' })
    expect(now.seqs()[0]).toBeGreaterThan(last)
    now.close()
  })

  test('wait for a reader who is slow, and hold up nobody meanwhile', async () => {
    const first = await lastSeq()
    const slow = await follower(world.folder.socket, `?after=${first}`)
    slow.pause()
    await happen(400)
    slow.resume()
    const last = await lastSeq()
    await until(() => slow.seqs().at(-1) === last, { what: 'everything' })
    expect(slow.seqs()).toEqual(Array.from({ length: last - first }, (_, i) => first + i + 1))
    slow.close()
  })

  test('end with the daemon, and leave no listener when the reader goes', async () => {
    const store = await openSqlite(':memory:')
    const live = new JournalListeners()
    const api = apiOn(store, live, 60_000)
    const stop = new AbortController()
    const response = await api.request('/api/events', { signal: stop.signal })
    await until(() => live.listeners === 1, { what: 'the follower to listen' })
    await response.body?.cancel()
    await until(() => live.listeners === 0, { what: 'the follower to go' })
    await store.close()
  })

  test('show signs of life while nothing happens', async () => {
    const store = await openSqlite(':memory:')
    const live = new JournalListeners()
    const response = await apiOn(store, live, 20).request('/api/events')
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
    expect((await reader?.read())?.value).toBe(': still here\n\n')
    live.publish(await store.record([anEntry('news')]))
    let text = ''
    while (!text.includes('news')) text += (await reader?.read())?.value
    expect(text).toContain('id: 1\n')
    await reader?.cancel()
    await store.close()
  })
})

function apiOn(store: Awaited<ReturnType<typeof openSqlite>>, live: JournalListeners, beatMs: number) {
  const none = async () => {
    throw new Error('not here')
  }
  return makeApi({
    health: none,
    store,
    live,
    stop: () => {},
    forget: none,
    mayAnswer: none,
    routes: [],
    beatMs,
  })
}

/** Reads the stream as an EventSource would. */
async function follower(socketPath: string, query: string, headers: Record<string, string> = {}) {
  const response = await new Promise<IncomingMessage>((resolve, reject) =>
    get({ socketPath, path: `/api/events${query}`, headers }, resolve).once('error', reject),
  )
  const entries: Entry[] = []
  let rest = ''
  response.setEncoding('utf8')
  response.on('error', () => {})
  response.on('data', (chunk: string) => {
    const blocks = (rest + chunk).split('\n\n')
    rest = blocks.pop() ?? ''
    for (const block of blocks) {
      const data = /^data: (.*)$/m.exec(block)?.[1]
      if (data) entries.push(JSON.parse(data))
    }
  })
  return {
    seqs: () => entries.map(entry => entry.seq),
    pause: () => response.pause(),
    resume: () => response.resume(),
    close: () => response.destroy(),
  }
}
