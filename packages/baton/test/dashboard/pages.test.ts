import { copyFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type BrowserHere, type BrowserPage, startBrowser } from '../world/browser.ts'
import { type Postgres, postgres } from '../world/postgres.ts'
import { fillFleet, fleetSettings } from './fleet-sample.ts'
import { PAGES } from './page-list.ts'
import { type Filled, fillWorld } from './sample.ts'
import { type DashboardWorld, dashboardWorld } from './world.ts'

let server: Postgres
let world: DashboardWorld
let browser: BrowserHere
let filled: Filled

beforeAll(async () => {
  server = await postgres()
  const url = await server.database()
  world = await dashboardWorld(fleetSettings(url))
  filled = await fillWorld(world)
  await fillFleet(world, url)
  browser = await startBrowser()
})
afterAll(async () => {
  await browser[Symbol.asyncDispose]()
  await world[Symbol.asyncDispose]()
  await server[Symbol.asyncDispose]()
})

/** A browser that followed a fresh link. */
async function loggedIn(options: Parameters<BrowserHere['open']>[0] = {}): Promise<BrowserPage> {
  const opened = await browser.open(options)
  await opened.page.goto(await world.link())
  await opened.page.getByRole('heading', { name: 'Overview' }).waitFor()
  return opened
}

describe.each([
  ['on a desk', '', {}],
  ['in the dark', '-dark', { dark: true }],
  ['on a phone', '-phone', { width: 390, height: 844 }],
] as const)('the pages of the dashboard %s', (_, suffix, options) => {
  let opened: BrowserPage
  beforeAll(async () => {
    opened = await loggedIn(options)
  })
  afterAll(() => opened[Symbol.asyncDispose]())

  test.each(PAGES)(
    '%s shows what is there, and bars nobody',
    { timeout: 240_000 },
    async (name, path, sign) => {
      const { page } = opened
      await page.goto(`${world.url}${path(filled)}`)
      await page.locator('#page').getByText(sign).first().waitFor()
      if (name === 'history') await page.locator('.plot canvas').nth(2).waitFor()
      if (name === 'fleet') await page.locator('.plot canvas').nth(1).waitFor()
      await opened.picture(`${name}${suffix}`, { full: true })
      expect(await opened.barriers()).toEqual([])
      // Nothing may stick out to the side.
      const [wide, window] = (await page.evaluate(
        '[document.documentElement.scrollWidth, innerWidth]',
      )) as number[]
      expect(wide).toBeLessThanOrEqual(window ?? 0)
      expect(opened.complaints).toEqual([])
    },
  )
})

describe('a person at the dashboard', () => {
  test('the overview makes the picture of the README', { timeout: 240_000 }, async () => {
    await using opened = await loggedIn({ width: 1280, height: 800, sharp: true })
    await opened.page.getByText('issue-to-impl').first().waitFor()
    const picture = await opened.picture('readme')
    if (process.env.BATON_README_PICTURE) copyFileSync(picture, process.env.BATON_README_PICTURE)
    expect(await opened.page.locator('.card').count()).toBe(5)
    await opened.page.getByText('migration-guide: implement, phase 2').waitFor()
    // How many questions are open is asked for by itself, also on the other machine of the fleet.
    await expect.poll(() => opened.page.title(), { timeout: 120_000 }).toBe('(2) Overview · Baton')
  })

  test('is told on every page that Baton is paused, until the pause ends', { timeout: 240_000 }, async () => {
    await using opened = await loggedIn()
    const { page } = opened
    const banner = page.getByRole('status').filter({ hasText: 'Baton is paused on this machine' })
    expect(await banner.count()).toBe(0)
    await world.baton.pauses.add({ scope: 'machine', since: '2026-01-01T10:00:00.000Z' })
    for (const path of ['/', '/journal', '/settings']) {
      await page.goto(`${world.url}${path}`)
      await banner.waitFor()
      expect(await banner.textContent()).toContain('End it: baton unpause')
    }
    await opened.picture('paused')
    expect(await opened.barriers()).toEqual([])
    await world.baton.pauses.remove(() => true)
    await page.reload()
    await page.getByRole('heading', { name: 'Settings' }).waitFor()
    await banner.waitFor({ state: 'detached' })
    expect(opened.complaints).toEqual([])
  })

  test('answers by key after reading the whole command, and says why', { timeout: 240_000 }, async () => {
    await using other = await dashboardWorld()
    const { question, answered } = await fillWorld(other)
    await using opened = await browser.open()
    const { page } = opened
    await page.goto(await other.link())
    await page.locator('.card').first().waitFor()
    await page.keyboard.press('g')
    await page.keyboard.press('a')
    const card = page.locator('.ask')
    await card.getByText('A script from the network would run').waitFor()
    expect(await card.locator('.command').textContent()).toBe(question)
    expect(await card.locator('.trail li').allInnerTexts()).toContainEqual(
      expect.stringMatching(/sh\s+not decided/),
    )
    await page.keyboard.press('r')
    await page.keyboard.type('use the package instead')
    await page.keyboard.press('Enter')
    expect(await answered).toMatchObject({
      result: 'answered',
      option: 'deny-with-reason',
      reason: 'use the package instead',
      by: { channel: 'dashboard' },
    })
    await page.getByText('No open questions').waitFor()
    await page.locator('tr', { hasText: 'use the package instead' }).waitFor()
    expect(opened.complaints).toEqual([])
  })

  test('sees the whole fleet, and answers the question of another machine', {
    timeout: 240_000,
  }, async () => {
    await using opened = await loggedIn()
    const { page } = opened
    await page.keyboard.press('g')
    await page.keyboard.press('f')
    const row = (text: string) => page.getByRole('row').filter({ hasText: text })
    await row('build-7').filter({ hasText: '3 of 4 in use' }).getByText('$11.40 of $40.00').waitFor()
    await row('desk (this one)').getByText('0 of 3 in use').waitFor()
    await row('web-shop #209').getByText('Baton proves it together with main').waitFor()
    await row('Sort the cart').getByText('asks in its terminal').waitFor()
    await page.getByText('change the same files and may conflict').waitFor()
    const failed = page.getByRole('listitem').filter({ hasText: 'payments-api #79' })
    await failed.getByText('the same test failed three times').waitFor()
    await page.getByRole('button', { name: 'Show the figures of: 34 issues' }).waitFor({ state: 'detached' })
    await page.getByLabel('Period').selectOption('30 days')
    await page.getByRole('button', { name: 'Show the figures of: 34 issues merged' }).click()
    await page.getByRole('table').filter({ hasText: 'Day' }).first().waitFor()
    await page.getByRole('link', { name: 'Answer' }).click()
    const card = page.locator('.ask', { hasText: 'npm install left-pad' })
    await card.getByText('on build-7').waitFor()
    expect(opened.complaints).toEqual([])
  })

  test('without a fleet, reads how to begin one', { timeout: 240_000 }, async () => {
    await using other = await dashboardWorld()
    await using opened = await browser.open()
    const { page } = opened
    await page.goto(await other.link())
    await page.getByRole('link', { name: 'Fleet' }).click()
    await page.getByText('baton fleet up --slots 3').waitFor()
    expect(await opened.barriers()).toEqual([])
    expect(opened.complaints).toEqual([])
  })

  test('reads the output of each check of a run', { timeout: 240_000 }, async () => {
    await using opened = await loggedIn()
    const { page } = opened
    await page.goto(`${world.url}/sessions/${filled.proven.id}`)
    const proof = page.locator('.proof')
    await proof.getByText('Proof of commit').click()
    await proof.getByText('npm test').click()
    await proof.locator('pre').getByText('214 tests passed⟨U+202E⟩ <b>in 12 s</b>').waitFor()
    await proof.getByText('3 s, known').waitFor()
    await proof.getByText('there is no issue #99').waitFor()
    expect(opened.complaints).toEqual([])
  })

  test('finds a word anywhere in the journal and opens the whole entry', { timeout: 240_000 }, async () => {
    await using opened = await loggedIn()
    const { page } = opened
    await page.keyboard.press('/')
    await page.getByRole('searchbox', { name: 'Search the journal' }).fill('force-push issue-')
    await page.getByText('0 found').waitFor()
    await page.getByRole('searchbox', { name: 'Search the journal' }).fill('force-push')
    const row = page.locator('.entry', { hasText: 'force-push' }).first()
    await row.getByRole('button').click()
    await row.locator('pre').getByText('git push --force origin main').waitFor()
    expect(opened.complaints).toEqual([])
  })

  test('sees a restarted daemon by itself: what happened meanwhile, and what happens next; and changes a setting', {
    timeout: 240_000,
  }, async () => {
    await using other = await dashboardWorld('handsoff:\n  # mine\n  enabled: false # for now\n')
    await fillWorld(other)
    await using opened = await browser.open()
    const { page } = opened
    await page.goto(await other.link())
    await page.locator('.card').first().waitFor()
    await page.locator('.link-state', { hasText: 'live' }).waitFor()
    await other.stop()
    await page.getByText('The daemon does not answer right now').waitFor()
    expect(await page.locator('.card').count()).toBe(5)
    await other.start()
    await page.locator('.link-state', { hasText: 'live' }).waitFor()
    await page.getByText('The daemon does not answer right now').waitFor({ state: 'detached' })
    const [session] = await other.baton.store.sessions({ live: true, limit: 1 })
    if (!session) throw new Error('no session')
    await other.baton.store.record(
      [],
      [{ ...session, endedAt: new Date().toISOString(), endReason: 'other' }],
    )
    await other.baton.note({ kind: 'config', what: 'loaded' })
    await page.locator('.card').nth(4).waitFor({ state: 'detached' })
    expect(await page.locator('.card').count()).toBe(4)

    const file = join(other.home, '.baton.yaml')
    await page.goto(`${other.url}/settings`)
    const row = page.getByRole('row').filter({ has: page.getByText('handsoff.enabled', { exact: true }) })
    await row.getByText(/\.baton\.yaml:7/).waitFor()
    await row.getByRole('button', { name: 'Edit handsoff.enabled' }).click()
    await row.getByRole('combobox', { name: 'handsoff.enabled' }).selectOption('true')
    await opened.picture('setting')
    expect(await opened.barriers()).toEqual([])
    await row.getByRole('button', { name: 'Save' }).click()
    await row.getByText('Saved in ~/.baton.yaml, line 7.').waitFor()
    expect(readFileSync(file, 'utf8')).toContain('  # mine\n  enabled: true # for now\n')
    await row.locator('code', { hasText: /^true$/ }).waitFor()
    // What is not valid is not saved.
    const before = readFileSync(file, 'utf8')
    const rules = page.getByRole('row').filter({ has: page.getByText('permissions.deny', { exact: true }) })
    await rules.getByRole('button', { name: 'Edit permissions.deny' }).click()
    await rules.getByRole('textbox').fill('- {progam: rm}')
    await rules.getByRole('button', { name: 'Save' }).click()
    await rules.getByText('Did you mean').waitFor()
    expect(readFileSync(file, 'utf8')).toBe(before)
    await rules.getByRole('textbox').fill('- {program: shred}')
    await rules.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('row').filter({ hasText: 'permissions.deny[0]' }).getByText('shred').waitFor()
    await row.getByRole('button', { name: 'Edit handsoff.enabled' }).click()
    await row.getByRole('button', { name: 'Use the default' }).click()
    await row.getByText('Removed from ~/.baton.yaml').waitFor()
    expect(readFileSync(file, 'utf8')).not.toContain('enabled')
  })
})
