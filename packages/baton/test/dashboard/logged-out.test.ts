import { createServer as createHttpServer } from 'node:http'
import { createServer } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { asPerson } from '../world/person.ts'
import { browserKey } from './browser-key.ts'
import { type DashboardWorld, dashboardWorld } from './world.ts'

let world: DashboardWorld

beforeEach(async () => {
  world = await dashboardWorld()
})
afterEach(() => world[Symbol.asyncDispose]())

interface Login {
  secret: string
  browser: ReturnType<typeof browserKey>
}

async function enter(): Promise<Login> {
  const [, code] = (await world.link()).split('#login=')
  const browser = browserKey()
  const body = JSON.stringify({ code, key: browser.publicKey })
  const answer = await fetch(`${world.url}/login`, { method: 'POST', body })
  const [, secret = ''] = /=(\w+);/.exec(answer.headers.get('set-cookie') ?? '') ?? []
  return { secret, browser }
}

const portOf = () => new URL(world.url).port
const headersOf = async ({ secret, browser }: Login) => ({
  cookie: `baton_${portOf()}=${secret}`,
  'baton-page': await browser.proof(world.url),
})

test('what a page told a program that took the daemon’s port while it was down opens nothing', async () => {
  const login = await enter()
  const port = Number(portOf())
  const health = async () =>
    (await fetch(`${world.url}/api/health`, { headers: await headersOf(login) })).status
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

test('what a program heard that took the port and left again opens nothing; the page itself is still in', async () => {
  const login = await enter()
  const port = Number(portOf())
  const before = await headersOf(login)
  await world.stop()
  const heard: string[] = []
  // It may even choose the word that the page signs.
  const thief = createHttpServer((request, response) => {
    heard.push(String(request.headers['baton-page'] ?? ''))
    response.setHeader('connection', 'close')
    response.end(JSON.stringify({ nonce: 'a word of the thief’s' }))
  })
  await new Promise<void>(resolve => thief.listen(port, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${port}`
  // The connection that the old daemon closed is noticed with this one.
  await fetch(url).catch(() => {})
  await fetch(url, { headers: { 'baton-page': before['baton-page'] } })
  await fetch(url, { headers: { 'baton-page': await login.browser.proof(url) } })
  thief.closeAllConnections()
  await new Promise(resolve => thief.close(resolve))
  await world.start()
  expect(Number(portOf())).toBe(port)
  const tries = heard.filter(Boolean)
  expect(tries).toHaveLength(2)
  for (const proof of tries) {
    const headers = { cookie: before.cookie, 'baton-page': proof }
    expect((await fetch(`${world.url}/api/health`, { headers })).status).toBe(401)
  }
  expect((await fetch(`${world.url}/api/health`, { headers: await headersOf(login) })).status).toBe(200)
})

test('logging out cuts the streams that are open, and only those of the browser that goes', async () => {
  const [mine, other] = [await enter(), await enter()]
  const open = async (login: Login) => {
    const { body, status } = await fetch(`${world.url}/api/page/events`, { headers: await headersOf(login) })
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
  const answer = await fetch(`${world.url}/api/page/logout`, {
    method: 'POST',
    headers: await headersOf(mine),
  })
  expect(answer.status).toBe(200)
  await streams.mine.end
  expect(streams.other.isOver()).toBe(false)
  await asPerson({ home: world.home, stateDir: world.folder.dir }, 'dashboard', '--logout')
  await streams.other.end
})
