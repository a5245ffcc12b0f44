import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type BrowserHere, type BrowserPage, startBrowser } from '../world/browser.ts'
import { type Filled, fillWorld } from './sample.ts'
import { type DashboardWorld, dashboardWorld } from './world.ts'

let world: DashboardWorld
let browser: BrowserHere
let filled: Filled

beforeAll(async () => {
  world = await dashboardWorld()
  filled = await fillWorld(world)
  browser = await startBrowser()
})
afterAll(async () => {
  await browser[Symbol.asyncDispose]()
  await world[Symbol.asyncDispose]()
})

/** A browser that followed a fresh link. */
async function loggedIn(options: Parameters<BrowserHere['open']>[0] = {}): Promise<BrowserPage> {
  const opened = await browser.open(options)
  await opened.page.goto(await world.link())
  await opened.page.getByRole('heading', { name: 'Overview' }).waitFor()
  return opened
}

const PAGES: [name: string, path: () => string, sign: string][] = [
  ['overview', () => '/', 'issue-to-impl'],
  ['asks', () => '/asks', 'Deny and say why'],
  ['session', () => `/sessions/${filled.handedOff.id}`, 'Handoff written'],
  ['decisions', () => `/sessions/${filled.handedOff.id}/decisions`, 'how it was decided'],
  ['handoffs', () => `/sessions/${filled.handedOff.id}/handoffs`, 'Evidence'],
  ['terminal', () => `/sessions/${filled.asking.id}/terminal`, 'in no terminal'],
  ['claims', () => '/claims', 'claimed'],
  ['history', () => '/history', 'Questions spared'],
  ['journal', () => '/journal', 'looked at'],
  ['settings', () => '/settings', 'handsoff.enabled'],
]

describe('the pages of the dashboard', () => {
  test.each(PAGES)(
    '%s shows what is there, in both colours and on a phone, and bars nobody',
    async (name, path, sign) => {
      for (const [suffix, options] of [
        ['', {}],
        ['-dark', { dark: true }],
        ['-phone', { width: 390, height: 844 }],
      ] as const) {
        await using opened = await loggedIn(options)
        const { page } = opened
        await page.goto(`${world.url}${path()}`)
        await page.getByText(sign).first().waitFor()
        if (name === 'history') await page.locator('.plot canvas').nth(2).waitFor()
        await opened.picture(`${name}${suffix}`, { full: true })
        expect(await opened.barriers()).toEqual([])
        // Nothing may stick out to the side.
        const [wide, window] = (await page.evaluate(
          '[document.documentElement.scrollWidth, innerWidth]',
        )) as number[]
        expect(wide).toBeLessThanOrEqual(window ?? 0)
        expect(opened.complaints).toEqual([])
      }
    },
    60_000,
  )
})
