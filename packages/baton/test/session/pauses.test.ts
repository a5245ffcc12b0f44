import type { Session } from '@batonpass/contract/session'
import { expect, it } from 'vitest'
import { systemSmallFiles } from '../../src/adapters/system/small-files.ts'
import { pauseRoutes } from '../../src/daemon/pause-routes.ts'
import { Pauses } from '../../src/session/pauses.ts'
import { aSession } from '../world/journal.ts'
import { scratch } from '../world/scratch.ts'

const since = '2026-01-01T10:00:00.000Z'

it('a pause holds for the machine, a project or a session, and survives a restart', async () => {
  await using folder = scratch()
  const load = () => Pauses.load(systemSmallFiles, folder.path)
  const first = await load()
  expect(first.of({ session: 'ses_a', project: '/p' })).toBeUndefined()
  await first.add({ scope: 'project', project: '/p', since })
  const session = aSession(1)
  await first.add({ scope: 'session', session: session.id, nativeSession: session.nativeSession, since })
  const again = await load()
  expect(again.of({ session: 'ses_a', project: '/p' })?.scope).toBe('project')
  expect(again.of({ session: session.id, project: '/q' })?.scope).toBe('session')
  expect(again.of({ session: 'ses_a', project: '/q' })).toBeUndefined()
  await again.add({ scope: 'machine', since })
  expect((await load()).of({})?.scope).toBe('machine')
  await again.remove(() => true)
  expect((await load()).list()).toEqual([])
})

it('a wait for the end of a pause ends with the last pause that applies', async () => {
  await using folder = scratch()
  const pauses = await Pauses.load(systemSmallFiles, folder.path)
  await pauses.add({ scope: 'machine', since })
  await pauses.add({ scope: 'project', project: '/p', since })
  let ended = ''
  const wait = pauses.untilEnded({ project: '/p' }).then(() => {
    ended += 'p'
  })
  const other = pauses.untilEnded({ project: '/other' }).then(() => {
    ended += 'o'
  })
  await pauses.remove(({ scope }) => scope === 'machine')
  await other
  expect(ended).toBe('o')
  await pauses.remove(() => true)
  await wait
  await pauses.untilEnded({})
})

it('a damaged file pauses nothing', async () => {
  await using folder = scratch()
  folder.write('pause.json', '{"pauses": [{"scope": "everything"}]}')
  expect((await Pauses.load(systemSmallFiles, folder.path)).list()).toEqual([])
})

it('pauses made at the same time are all kept', async () => {
  await using folder = scratch()
  const pauses = await Pauses.load(systemSmallFiles, folder.path)
  const names = Array.from({ length: 20 }, (_, n) => `/p${n}`)
  await Promise.all(names.map(project => pauses.add({ scope: 'project', project, since })))
  expect((await Pauses.load(systemSmallFiles, folder.path)).list()).toHaveLength(20)
})

it('the daemon pauses and continues, says so in the journal, and names what it does not know', async () => {
  await using folder = scratch()
  const pauses = await Pauses.load(systemSmallFiles, folder.path)
  const noted: string[] = []
  const session: Session = aSession(1)
  const api = pauseRoutes({
    pauses,
    clock: { now: () => Date.parse(since), elapsed: () => 0 },
    store: { findSession: async name => (name === session.nativeSession ? session : undefined) },
    notePause: async (what, { scope }) => void noted.push(`${what} ${scope}`),
  })
  const send = (what: 'pause' | 'end', body: object) =>
    api.request(what === 'end' ? '/api/pauses/end' : '/api/pauses', {
      method: 'POST',
      body: JSON.stringify(body),
    })
  expect((await send('pause', { scope: 'project', project: 'relative' })).status).toBe(400)
  expect((await send('pause', { scope: 'session', session: 'nobody' })).status).toBe(404)
  await send('pause', { scope: 'project', project: '/p' })
  await send('pause', { scope: 'session', session: session.nativeSession })
  expect(await (await api.request('/api/pauses')).json()).toMatchObject({
    pauses: [{ scope: 'project' }, { scope: 'session' }],
  })
  await send('end', { scope: 'project', project: '/other' })
  expect(pauses.list()).toHaveLength(2)
  await send('end', {})
  expect(pauses.list()).toEqual([])
  expect(noted).toEqual(['paused project', 'paused session', 'unpaused project', 'unpaused session'])
})
