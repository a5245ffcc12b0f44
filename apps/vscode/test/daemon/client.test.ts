import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Health, SessionList } from '@batonpass/contract/api'
import { Ask, AskList } from '@batonpass/contract/ask'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type BatonHere, batonIn } from '../../../../packages/baton/test/world/baton.ts'
import { asPerson, loginLink } from '../../../../packages/baton/test/world/person.ts'
import { scratch } from '../../../../packages/baton/test/world/scratch.ts'
import { until } from '../../../../packages/baton/test/world/wait.ts'
import { type Daemon, daemonClient, type PostOptions } from '../../src/daemon/client.ts'
import { EditorLogin, type SecretStore } from '../../src/daemon/editor-login.ts'
import { findEndpoint, ShortPaths } from '../../src/daemon/endpoint.ts'
import { Live, type Picture } from '../../src/daemon/live.ts'

describe('the extension and the real daemon', () => {
  const folder = scratch('bv-')
  const shortPaths = new ShortPaths()
  let baton: BatonHere
  const clientFor = (env: Record<string, string>, home = folder.path, secrets = new Map<string, string>()) =>
    daemonClient(() => findEndpoint(env, home, shortPaths), new EditorLogin(secretStore(secrets)))
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

  it('reports what the daemon says is wrong, and what to do', async () => {
    const client = clientFor({})
    await expect(client.get('/api/asks/ask_none', Ask)).rejects.toMatchObject({
      code: 'not_found',
      remedy: 'See `baton asks`.',
    })
    await expect(client.get('/api/health', SessionList)).rejects.toMatchObject({
      code: 'protocol_unsupported',
    })
  })

  it('cannot answer before a person let it in, says what to do, and still lists asks', async () => {
    const { url } = await clientFor({}).get('/api/health', Health)
    const token = readFileSync(join(baton.stateDir, 'token'), 'utf8').trim()
    for (const env of [{}, { BATON_ENDPOINT: url, BATON_TOKEN: token }] as Record<string, string>[]) {
      const client = clientFor(env)
      expect(await client.isLetIn()).toBe(false)
      expect(await client.get('/api/asks', AskList)).toEqual({ asks: [] })
      await expect(answerWith(client, { asPerson: true })).rejects.toMatchObject({
        code: 'not_allowed',
        remedy: expect.stringContaining('Let This Editor Answer'),
      })
    }
    await expect(clientFor({}).enter('http://127.0.0.1:1/')).rejects.toMatchObject({ code: 'usage' })
    await expect(clientFor({}).enter(`http://x/#login=${'0'.repeat(32)}`)).rejects.toMatchObject({
      code: 'not_allowed',
    })
  })

  it('answers after a person let it in with a link, until every login is ended', {
    timeout: 120_000,
  }, async () => {
    const secrets = new Map<string, string>()
    const client = clientFor({}, folder.path, secrets)
    const link = await loginLink(baton)
    await client.enter(link)
    expect(await client.isLetIn()).toBe(true)
    await expect(answerWith(client, { asPerson: true })).rejects.toMatchObject({ code: 'not_found' })
    await expect(answerWith(client, {})).rejects.toMatchObject({ code: 'not_allowed' })
    // A link lets one in; another window of the same editor has the same secrets.
    await expect(clientFor({}).enter(link)).rejects.toMatchObject({ code: 'not_allowed' })
    const window = clientFor({}, folder.path, secrets)
    await expect(answerWith(window, { asPerson: true })).rejects.toMatchObject({ code: 'not_found' })
    await baton.must('up', '--restart')
    await expect(answerWith(client, { asPerson: true })).rejects.toMatchObject({ code: 'not_found' })
    await asPerson(baton, 'dashboard', '--logout')
    await expect(answerWith(client, { asPerson: true })).rejects.toMatchObject({ code: 'not_allowed' })
  })

  it('says that no daemon runs, and how to start one', async () => {
    const nobody = mkdtempSync(join(folder.path, 'nobody-'))
    await expect(clientFor({}, nobody).get('/api/health', Health)).rejects.toMatchObject({
      code: 'daemon_absent',
      remedy: 'Start it with `baton up`.',
    })
    writeFileSync(join(nobody, 'token'), 'x')
    await expect(
      clientFor({ BATON_HOME: nobody, BATON_ENDPOINT: 'http://127.0.0.1:1' }).follow(
        windowFacts,
        new AbortController().signal,
        {
          open() {},
          entry() {},
        },
      ),
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

/** A fake of VS Code's SecretStorage. */
const secretStore = (secrets: Map<string, string>): SecretStore => ({
  get: async name => secrets.get(name),
  store: async (name, value) => void secrets.set(name, value),
  delete: async name => void secrets.delete(name),
})

const answerWith = (client: Daemon, options: PostOptions) =>
  client.post('/api/asks/ask_none/answer', Ask, { option: 'allow-once' }, options)
