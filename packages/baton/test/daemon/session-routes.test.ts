import { BatonError } from '@batonpass/contract/errors'
import { PsList, type RunRequest } from '@batonpass/contract/watch'
import { expect, it } from 'vitest'
import { sessionRoutes } from '../../src/daemon/session-routes.ts'

const asked: RunRequest[] = []
const routes = sessionRoutes({
  ps: async () => [],
  health: async () => ({ checks: [], sessions: [], left: [] }),
  async run(order) {
    asked.push(order)
    throw new BatonError('missing_tool', 'claude is not installed', { remedy: 'Is claude on your PATH?' })
  },
  adopt: async () => {
    throw new Error('something with a secret in it')
  },
  release: async name => {
    throw new BatonError('not_allowed', `${name} was not adopted`)
  },
  kill: async name => {
    throw new BatonError('not_found', `No watched session is named ${name}`)
  },
})
const post = (path: string, body: unknown) =>
  routes.request(path, { method: 'POST', body: typeof body === 'string' ? body : JSON.stringify(body) })

it('The list and the findings are there for whoever may ask the daemon', async () => {
  expect(PsList.parse(await (await routes.request('/api/ps')).json())).toEqual({ sessions: [] })
  expect(await (await routes.request('/api/health-checks')).json()).toEqual({
    checks: [],
    sessions: [],
    left: [],
  })
})

it('An order to start is checked before anything is done, and what was wrong with it is named but not quoted', async () => {
  const good = { agent: 'claude', driver: 'tmux', cwd: '/work', env: { KEY: 'hunter2' } }
  for (const bad of [
    '{',
    [],
    { ...good, cwd: 'relative' },
    { ...good, driver: 'ssh' },
    { ...good, env: { 'A=B': 'hunter2' } },
    { ...good, where: 'hunter2' },
    { ...good, title: 'hunter2; rm -rf /' },
    { ...good, args: ['a\0b'] },
    { ...good, prompt: 7 },
  ]) {
    const answer = await post('/api/spawns', bad)
    expect(answer.status).toBe(400)
    expect(await answer.text()).not.toContain('hunter2')
  }
  expect(asked).toEqual([])
  const answer = await post('/api/spawns', good)
  expect(await answer.json()).toEqual({
    error: { code: 'missing_tool', message: 'claude is not installed', remedy: 'Is claude on your PATH?' },
  })
  expect(asked).toEqual([{ ...good, args: [] }])
  expect((await post('/api/spawns', { ...good, prompt: 'x'.repeat(5_000_000) })).status).toBe(413)
})

it('What was refused says so by its status, and an accident tells nothing of its inside', async () => {
  expect((await routes.request('/api/spawns/x', { method: 'DELETE' })).status).toBe(404)
  expect((await routes.request('/api/watch/%255%20%2Fs', { method: 'DELETE' })).status).toBe(403)
  const failed = await post('/api/watch', { place: '%5 /s' })
  expect(failed.status).toBe(500)
  expect(await failed.text()).not.toContain('secret')
})
