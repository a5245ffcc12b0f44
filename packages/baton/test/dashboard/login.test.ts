import { request } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type BrowserHere, startBrowser } from '../world/browser.ts'
import { asPerson } from '../world/person.ts'
import { browserKey } from './browser-key.ts'
import { fillWorld } from './sample.ts'
import { type DashboardWorld, dashboardWorld } from './world.ts'

let world: DashboardWorld
let browser: BrowserHere

beforeAll(async () => {
  world = await dashboardWorld()
  await fillWorld(world)
  browser = await startBrowser()
})
afterAll(async () => {
  await browser[Symbol.asyncDispose]()
  await world[Symbol.asyncDispose]()
})

/** A raw request, with headers that a browser would not let a page set. */
function call(
  path: string,
  {
    method = 'GET',
    headers = {},
    body = '',
  }: { method?: string; headers?: Record<string, string>; body?: string } = {},
): Promise<{ status: number; headers: Record<string, unknown>; text: string }> {
  const { port } = new URL(world.url)
  return new Promise((resolve, reject) => {
    const req = request(
      { host: '127.0.0.1', port, path, method, headers: { host: `127.0.0.1:${port}`, ...headers } },
      response => {
        const chunks: Buffer[] = []
        response.on('data', chunk => chunks.push(chunk))
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text: Buffer.concat(chunks).toString(),
          }),
        )
      },
    )
    req.on('error', reject)
    req.end(body)
  })
}

const codeIn = (link: string) => link.split('#login=')[1] ?? ''

async function enter(code: string) {
  const browser = browserKey()
  const body = JSON.stringify({ code, key: browser.publicKey })
  const answer = await call('/login', { method: 'POST', body })
  const cookie = String(answer.headers['set-cookie'] ?? '').split(';')[0] ?? ''
  const page = async () => ({ cookie, 'baton-page': await browser.proof(world.url) })
  return { ...answer, cookie, page }
}

describe('the way into the dashboard', () => {
  test('a link works once, and its cookie is HttpOnly and strict', async () => {
    const code = codeIn(await world.link())
    const first = await enter(code)
    expect(first.status).toBe(200)
    expect(String(first.headers['set-cookie'])).toMatch(/; HttpOnly; SameSite=Strict; Path=\/; Max-Age=\d+$/)
    expect((await call('/api/page/overview', { headers: await first.page() })).status).toBe(200)
    expect((await enter(code)).status).toBe(403)
    expect((await enter('0'.repeat(32))).status).toBe(403)
    expect((await enter('not a code')).status).toBe(403)
  })

  test('neither cookie nor key alone opens anything, and nothing but the API is opened', async () => {
    const entered = await enter(codeIn(await world.link()))
    const other = await enter(codeIn(await world.link()))
    const { cookie } = entered
    const page = await entered.page()
    for (const headers of [
      {},
      { cookie },
      { 'baton-page': page['baton-page'] },
      { cookie, 'baton-page': 'x' },
      { cookie, 'baton-page': (await other.page())['baton-page'] },
    ])
      expect((await call('/api/sessions', { headers: headers as Record<string, string> })).status).toBe(401)
    expect((await call('/api/sessions', { headers: page })).status).toBe(200)
    expect((await call('/hook/claude-code', { method: 'POST', headers: page, body: '{}' })).status).toBe(401)
  })

  test('a page of another origin, or under a rebound name, gets nothing, logged in or not', async () => {
    const page = await (await enter(codeIn(await world.link()))).page()
    const { port } = new URL(world.url)
    for (const headers of [
      { origin: 'https://evil.example' },
      { origin: `http://127.0.0.1:${Number(port) + 1}` },
      { host: `evil.example:${port}` },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
    ]) {
      expect((await call('/api/page/overview', { headers: { ...page, ...headers } })).status).toBe(403)
      const code = codeIn(await world.link())
      const stolen = await call('/login', {
        method: 'POST',
        headers: headers as Record<string, string>,
        body: JSON.stringify({ code, key: browserKey().publicKey }),
      })
      expect(stolen.status).toBe(403)
    }
    expect((await call('/', { headers: { host: `evil.example:${port}` } })).status).toBe(403)
  })

  test('a code is not spent on what is not a key', async () => {
    const code = codeIn(await world.link())
    for (const key of [undefined, '', 'x'.repeat(124), Buffer.alloc(91).toString('base64url')])
      expect((await call('/login', { method: 'POST', body: JSON.stringify({ code, key }) })).status).toBe(403)
    expect((await enter(code)).status).toBe(200)
  })

  test('under the name localhost, where another program may listen, there is only the link to the address', async () => {
    const { port } = new URL(world.url)
    const moved = await call('/asks', { headers: { host: `localhost:${port}` } })
    expect([moved.status, moved.headers.location]).toEqual([307, `${world.url}/asks`])
    const code = codeIn(await world.link())
    const body = JSON.stringify({ code, key: browserKey().publicKey })
    const login = { method: 'POST', headers: { host: `localhost:${port}` }, body }
    expect((await call('/login', login)).status).toBe(403)
  })

  test('logging out ends this browser; the command ends all', async () => {
    const [mine, other] = [await enter(codeIn(await world.link())), await enter(codeIn(await world.link()))]
    const [myPage, otherPage] = [await mine.page(), await other.page()]
    await call('/api/page/logout', { method: 'POST', headers: myPage })
    expect((await call('/api/health', { headers: myPage })).status).toBe(401)
    expect((await call('/api/health', { headers: otherPage })).status).toBe(200)
    await asPerson({ home: world.home, stateDir: world.folder.dir }, 'dashboard', '--logout')
    expect((await call('/api/health', { headers: otherPage })).status).toBe(401)
  })

  test('a login outlives the daemon, but nothing that a page ever said does; the database holds no cookie', async () => {
    const { page, cookie } = await enter(codeIn(await world.link()))
    const said = await page()
    expect((await call('/api/health', { headers: said })).status).toBe(200)
    await world.restart()
    expect((await call('/api/health', { headers: said })).status).toBe(401)
    expect((await call('/api/health', { headers: await page() })).status).toBe(200)
    const kept = JSON.stringify(await world.baton.browsers.list(''))
    expect(kept).toContain('login:')
    expect(kept).not.toContain(cookie.split('=')[1])
  })

  test('the page may load and run nothing from elsewhere, and must not be framed', async () => {
    const answer = await call('/', { headers: { 'sec-fetch-site': 'cross-site' } })
    expect(answer.status).toBe(200)
    const policy = String(answer.headers['content-security-policy'])
    for (const part of [
      "default-src 'none'",
      "script-src 'self'",
      "frame-ancestors 'none'",
      "connect-src 'self'",
    ])
      expect(policy).toContain(part)
    expect(policy).not.toContain('unsafe')
    expect(answer.headers['x-content-type-options']).toBe('nosniff')
    expect(answer.text).not.toMatch(/https?:\/\//)
    for (const path of ['/assets/../../cli.js', '/assets/%2e%2e/cli.js', '/assets/none.js', '/nowhere'])
      expect([401, 403, 404]).toContain((await call(path)).status)
  })

  test('a second browser sees nothing but how to log in', { timeout: 240_000 }, async () => {
    await using mine = await browser.open()
    await mine.page.goto(await world.link())
    await mine.page.locator('.card').first().waitFor()
    await using theirs = await browser.open()
    for (const path of ['/', '/asks', '/journal', '/settings']) {
      await theirs.page.goto(`${world.url}${path}`)
      await theirs.page.getByText('This browser is not logged in').waitFor()
      expect(await theirs.page.locator('body').textContent()).not.toContain('payments-api')
    }
    expect(await theirs.barriers()).toEqual([])
    await theirs.picture('login')
    expect(await mine.page.evaluate('document.cookie')).toBe('')
  })

  test('a login that ended is said so, and a fresh link brings every tab back to where it was', {
    timeout: 120_000,
  }, async () => {
    await using opened = await browser.open()
    const { page, context } = opened
    await page.goto(await world.link())
    await page.locator('.card').first().waitFor()
    const other = await context.newPage()
    await other.goto(`${world.url}/history`)
    await other.locator('.plot').first().waitFor()
    await page.goto(`${world.url}/settings`)
    await page.getByText('handsoff.enabled').waitFor()
    await asPerson({ home: world.home, stateDir: world.folder.dir }, 'dashboard', '--logout')
    // Nothing more comes over streams that were open.
    await world.baton.note({ kind: 'config', what: 'loaded' })
    for (const each of [page, other]) {
      await each.getByText('Your login has ended.').waitFor()
      expect(await each.locator('pre').textContent()).toBe('baton dashboard')
    }
    expect(await opened.barriers()).toEqual([])
    await opened.picture('login-ended')
    await page.goto(await world.link())
    await page.getByText('handsoff.enabled').waitFor()
    expect(new URL(page.url()).pathname).toBe('/settings')
    await other.locator('.plot').first().waitFor()
    await other.locator('.link-state', { hasText: 'live' }).waitFor()
  })

  test('text from an agent is shown, never run', { timeout: 240_000 }, async () => {
    const [session] = await world.baton.store.sessions({ live: true, limit: 1 })
    if (!session) throw new Error('no session')
    const hostile = '<img src=x onerror="document.title=1"><script>document.title=2</script>'
    await world.baton.store.record(
      [],
      [
        {
          ...session,
          project: `/tmp/${hostile}`,
          cwd: `/tmp/${hostile}`,
          lastSeenAt: new Date().toISOString(),
        },
      ],
    )
    await using opened = await browser.open()
    await opened.page.goto(await world.link())
    await opened.page.getByText('script>').first().waitFor()
    expect(await opened.page.title()).toContain('Overview')
    expect(opened.complaints).toEqual([])
  })
})
