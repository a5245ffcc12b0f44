import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type DashboardWorld, dashboardWorld } from './world.ts'

let world: DashboardWorld

beforeEach(async () => {
  world = await dashboardWorld()
})
afterEach(() => world[Symbol.asyncDispose]())

async function enter(): Promise<{ secret: string; key: string }> {
  const [, code] = (await world.link()).split('#login=')
  const answer = await fetch(`${world.url}/login`, { method: 'POST', body: JSON.stringify({ code }) })
  const [, secret = ''] = /=(\w+);/.exec(answer.headers.get('set-cookie') ?? '') ?? []
  return { secret, key: ((await answer.json()) as { key: string }).key }
}

const portOf = () => new URL(world.url).port
const headersOf = ({ secret, key }: { secret: string; key: string }) => ({
  cookie: `baton_${portOf()}=${secret}`,
  'baton-page': key,
})

test('what a page told a program that took the daemon’s port while it was down opens nothing', async () => {
  const login = await enter()
  const port = Number(portOf())
  const health = async () => (await fetch(`${world.url}/api/health`, { headers: headersOf(login) })).status
  expect(await health()).toBe(200)
  await world.stop()
  const thief = createServer()
  await new Promise<void>(resolve => thief.listen(port, '127.0.0.1', resolve))
  await world.start()
  expect(Number(portOf())).not.toBe(port)
  expect(await health()).toBe(401)
  expect(await world.baton.browsers.list('login:')).toEqual([])
  await new Promise(resolve => thief.close(resolve))
})

test('logging out cuts the streams that are open, and only those of the browser that goes', async () => {
  const [mine, other] = [await enter(), await enter()]
  const open = async (login: { secret: string; key: string }) => {
    const { body, status } = await fetch(`${world.url}/api/page/events`, { headers: headersOf(login) })
    expect(status).toBe(200)
    let ended = false
    const end = (async () => {
      for await (const _ of body ?? []);
    })()
      .catch(() => {})
      .then(() => {
        ended = true
      })
    return { end, isOver: () => ended }
  }
  const streams = { mine: await open(mine), other: await open(other) }
  const answer = await fetch(`${world.url}/api/page/logout`, { method: 'POST', headers: headersOf(mine) })
  expect(answer.status).toBe(200)
  await streams.mine.end
  expect(streams.other.isOver()).toBe(false)
  const authorization = `Bearer ${readFileSync(world.folder.token, 'utf8').trim()}`
  await fetch(`${world.url}/api/page/logout-all`, { method: 'POST', headers: { authorization } })
  await streams.other.end
})
