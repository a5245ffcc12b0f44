import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Health, SessionList } from '@batonpass/contract/api'
import { Ask } from '@batonpass/contract/ask'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type BatonHere, batonIn } from '../../../../packages/baton/test/world/baton.ts'
import { scratch } from '../../../../packages/baton/test/world/scratch.ts'
import { until } from '../../../../packages/baton/test/world/wait.ts'
import { daemonClient } from '../../src/daemon/client.ts'
import { findEndpoint, ShortPaths } from '../../src/daemon/endpoint.ts'
import { Live, type Picture } from '../../src/daemon/live.ts'

describe('the extension and the real daemon', () => {
  const folder = scratch('bv-')
  const shortPaths = new ShortPaths()
  let baton: BatonHere
  const clientFor = (env: Record<string, string>, home = folder.path) =>
    daemonClient(() => findEndpoint(env, home, shortPaths))
  const windowFacts = { notify: 'all', folders: [] } as const

  beforeAll(async () => {
    baton = batonIn(folder.path, folder.path)
    await baton.must('up')
  })
  afterAll(async () => {
    await baton[Symbol.asyncDispose]()
    shortPaths.dispose()
    folder.remove()
  })

  it('finds it by the state folder, as commands do', async () => {
    const health = await clientFor({}).get('/api/health', Health)
    expect(health.stateDir).toBe(baton.stateDir)
  })

  it('finds it by BATON_ENDPOINT, over a socket or a port with the token', async () => {
    const { url } = await clientFor({}).get('/api/health', Health)
    const token = readFileSync(join(baton.stateDir, 'token'), 'utf8').trim()
    const elsewhere = mkdtempSync(join(folder.path, 'other-'))
    const ways = [
      { BATON_ENDPOINT: `unix:${baton.stateDir}/daemon.sock` },
      { BATON_ENDPOINT: url, BATON_TOKEN: token },
    ]
    for (const env of ways)
      expect((await clientFor(env, elsewhere).get('/api/sessions', SessionList)).sessions).toEqual([])
    await expect(clientFor({ BATON_ENDPOINT: 'ftp://x' }).get('/api/health', Health)).rejects.toMatchObject({
      code: 'usage',
    })
  })

  it('reaches a socket whose path is too long for the kernel', async () => {
    const deep = join(folder.path, 'd'.repeat(100), 'e'.repeat(40))
    mkdirSync(deep, { recursive: true, mode: 0o700 })
    await baton.run(['up'], { env: { BATON_HOME: deep } })
    try {
      const { stateDir } = await clientFor({ BATON_HOME: deep }).get('/api/health', Health)
      expect(stateDir).toBe(deep)
    } finally {
      await baton.run(['down'], { env: { BATON_HOME: deep } })
    }
  })

  it('passes on what the daemon says is wrong, and what to do', async () => {
    const client = clientFor({})
    await expect(client.get('/api/asks/ask_none', Ask)).rejects.toMatchObject({
      code: 'not_found',
      remedy: 'See `baton asks`.',
    })
    await expect(client.get('/api/health', SessionList)).rejects.toMatchObject({
      code: 'protocol_unsupported',
    })
  })

  it('sends the token only with what a person clicked', async () => {
    const client = clientFor({})
    const body = { option: 'allow-once' }
    await expect(client.post('/api/asks/ask_none/answer', Ask, body)).rejects.toMatchObject({
      code: 'not_allowed',
    })
    await expect(
      client.post('/api/asks/ask_none/answer', Ask, body, { asPerson: true }),
    ).rejects.toMatchObject({ code: 'not_found' })
  })

  it('says that no daemon runs, and how to start one', async () => {
    const nobody = mkdtempSync(join(folder.path, 'nobody-'))
    await expect(clientFor({}, nobody).get('/api/health', Health)).rejects.toMatchObject({
      code: 'daemon_absent',
      remedy: 'Start it: baton up',
    })
    writeFileSync(join(nobody, 'token'), 'x')
    await expect(
      clientFor({ BATON_HOME: nobody }).follow(windowFacts, new AbortController().signal, {
        open() {},
        entry() {},
      }),
    ).rejects.toMatchObject({ code: 'not_allowed' })
  })

  it('keeps a picture that follows what happens, through a restart', async () => {
    const pictures: Picture[] = []
    const live = new Live({
      daemon: clientFor({}),
      window: () => ({ notify: 'all', folders: [folder.path] }),
      changed: picture => pictures.push(picture),
      pause: (ms, signal) =>
        new Promise(resolve => {
          setTimeout(resolve, Math.min(ms, 50))
          signal.addEventListener('abort', () => resolve(), { once: true })
        }),
    })
    const running = live.run()
    const last = () => pictures.at(-1)
    const until_ = (fits: (picture: Picture | undefined) => boolean, what: string) =>
      until(() => fits(last()), { what, evidence: () => JSON.stringify(last()) })
    await until_(picture => picture?.daemon === 'running', 'the first picture')
    const payload = {
      session_id: '11111111-2222-4333-8444-555555555555',
      cwd: folder.path,
      hook_event_name: 'SessionStart',
      source: 'startup',
    }
    await baton.run(['hook', 'claude-code', 'SessionStart'], { input: JSON.stringify(payload) })
    await until_(picture => picture?.sessions.length === 1, 'the session')
    await baton.must('down')
    await until_(picture => picture?.daemon === 'absent', 'the daemon to be gone')
    await baton.must('up')
    await until_(picture => picture?.daemon === 'running' && picture.sessions.length === 1, 'all of it again')
    live.dispose()
    await running
  })
})
