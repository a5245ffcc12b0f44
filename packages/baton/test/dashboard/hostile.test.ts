import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fingerprintOf } from '../../src/ask/fingerprint.ts'
import { type BrowserHere, startBrowser } from '../world/browser.ts'
import { anEntry, aPrompt, aSession, eventId, sessionId } from '../world/journal.ts'
import { type DashboardWorld, dashboardWorld } from './world.ts'

let world: DashboardWorld
let browser: BrowserHere

const HTML = '<img src=x onerror="document.title=1"><script>document.title=2</script>'
const TURNED = 'rm -rf \u202e gnihton\u202c # \u200bharmless'
const LONG = 'x'.repeat(6000)

beforeAll(async () => {
  world = await dashboardWorld()
  browser = await startBrowser()
  const texts = [HTML, TURNED, LONG, `feature/${'very-long-branch-name-'.repeat(20)}`, '\u202eevil']
  const now = Date.now()
  await world.baton.store.record(
    texts.flatMap((text, n) => [
      { ...anEntry(text, { session: sessionId(n + 1), at: new Date(now).toISOString() }) },
    ]),
    texts.map((text, n) =>
      aSession(n + 1, {
        project: `/tmp/${text.replaceAll('/', '-')}`,
        cwd: `/tmp/${text.replaceAll('/', '-')}`,
        lastSeenAt: new Date(now - n * 1000).toISOString(),
        startedAt: new Date(now - 60_000).toISOString(),
      }),
    ),
  )
  const session = sessionId(2)
  const event = aPrompt('', session)
  await world.baton.store.record([
    anEntry('', {
      session,
      at: new Date(now).toISOString(),
      body: {
        kind: 'event',
        source: 'user',
        event: {
          id: eventId(900),
          at: event.at,
          agent: event.agent,
          session,
          nativeSession: event.nativeSession,
          type: 'ToolRequested',
          tool: 'Bash',
          input: { command: TURNED },
          action: { kind: 'shell', command: TURNED },
        },
      },
    }),
  ])
  void world.baton.asks.ask(
    {
      kind: 'permission',
      title: HTML,
      detail: TURNED,
      facts: { session, agent: 'claude-code', project: '/tmp', tool: 'Bash', cwd: LONG },
      key: eventId(900),
      fingerprint: fingerprintOf({ session, tool: 'Bash', input: { command: TURNED }, cwd: '/tmp' }),
    },
    { signal: new AbortController().signal, withinMs: 600_000, unreached: 'wait' },
  )
})
afterAll(async () => {
  await browser[Symbol.asyncDispose]()
  await world[Symbol.asyncDispose]()
})

describe.each([1440, 390])('texts that mean harm, in a window %s wide', width => {
  test('stay texts, inside their boxes, with nothing hidden in them', { timeout: 240_000 }, async () => {
    await using opened = await browser.open({ width, height: 844 })
    const { page } = opened
    await page.goto(await world.link())
    await page.locator('.card').nth(4).waitFor()
    expect(await page.locator('.card h3').allTextContents()).toContain('⟨U+202E⟩evil')
    for (const path of [
      '/',
      '/asks',
      `/sessions/${sessionId(3)}`,
      `/sessions/${sessionId(1)}/conversation`,
      '/journal',
    ]) {
      await page.goto(`${world.url}${path}`)
      await page.locator('#page .card, #page .ask, #page .entry, #page .said').first().waitFor()
      const [wide, window] = (await page.evaluate(
        '[document.documentElement.scrollWidth, innerWidth]',
      )) as number[]
      expect([path, wide]).toEqual([path, Math.min(wide ?? 0, window ?? 0)])
      await opened.picture(`hostile${path.replaceAll('/', '-')}-${width}`)
    }
    await page.goto(`${world.url}/asks`)
    const command = page.locator('.ask .command')
    await command.locator('.unseen').first().waitFor()
    expect(await command.locator('.unseen').allInnerTexts()).toEqual(['U+202E', 'U+202C', 'U+200B'])
    await expect.poll(() => page.title(), { timeout: 120_000 }).toBe('(1) Asks · Baton')
    expect(opened.complaints).toEqual([])
  })
})
