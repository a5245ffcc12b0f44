import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { History } from '@batonpass/contract/dashboard'
import type { Entry } from '@batonpass/contract/journal'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type BrowserHere, startBrowser } from '../world/browser.ts'
import { fillWorld } from './sample.ts'
import { type DashboardWorld, dashboardWorld } from './world.ts'

const CLI = join(import.meta.dirname, '../../dist/cli.js')

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

const hourOf = (at: string) => `${at.slice(0, 13)}:00:00.000Z`

/** Counted once more, as plainly as can be. */
function count(entries: readonly Entry[], fits: (body: Entry['body']) => boolean): number {
  return entries.filter(({ body }) => fits(body)).length
}

const decision = (of: string[], by?: string) => (body: Entry['body']) =>
  body.kind === 'decision' && of.includes(body.decision) && (by === undefined || body.by === by)

describe('the figures of the dashboard', () => {
  test('are those of the journal, hour by hour and in sum', { timeout: 240_000 }, async () => {
    const entries = await world.baton.store.entries({ limit: 5000 })
    const { hours } = (await world.baton.dashboard.history(48)) as History
    expect(hours).toHaveLength(48)
    for (const tally of hours) {
      const then = entries.filter(({ at }) => hourOf(at) === tally.hour)
      expect(tally).toEqual({
        hour: tally.hour,
        allowed: count(then, decision(['allow'])),
        denied: count(then, decision(['deny'])),
        asked: count(then, decision(['ask'])),
        byRules: count(then, decision(['allow'], 'rules')),
        bySandbox: count(then, decision(['allow'], 'sandbox')),
        byUndo: count(then, decision(['allow'], 'undo')),
        byModel: count(then, decision(['allow'], 'model')),
        bySession: count(then, decision(['allow'], 'session')),
        byPerson: count(then, decision(['allow', 'deny', 'ask', 'defer'], 'person')),
        continued: count(then, body => body.kind === 'workflow' && /continued|supervised/.test(body.what)),
        ended: count(then, body => body.kind === 'workflow' && body.what === 'ended'),
        handoffs: count(then, body => body.kind === 'handoff' && body.what === 'written'),
        modelCalls: count(then, body => body.kind === 'model'),
        modelTokens: then.reduce((sum, { body }) => sum + (body.kind === 'model' ? 1250 : 0), 0),
        modelUsd: then.reduce((sum, { body }) => sum + (body.kind === 'model' ? 0.0125 : 0), 0),
      })
    }
    const counted = (body: (body: Entry['body']) => boolean) =>
      count(
        entries.filter(({ at }) => hourOf(at) >= (hours[0]?.hour ?? '')),
        body,
      )

    await using opened = await browser.open()
    const { page } = opened
    await page.goto(await world.link())
    await page.locator('.card').first().waitFor()
    // What Baton's own model calls used, in the browser and in the terminal.
    const cost = page.locator('.figures > div', { hasText: 'model calls' })
    expect(await cost.textContent()).toBe('model calls in 24\u00a0h (3,750 tokens, $0.04), from your quota3')
    const env = { PATH: process.env.PATH ?? '', HOME: world.home, BATON_HOME: world.folder.dir }
    const { stdout } = await promisify(execFile)(process.execPath, [CLI, 'status'], { env, cwd: world.home })
    expect(stdout).toContain('Model 3 calls in 24 hours, 3,750 tokens, $0.04 (your quota)\n')
    await page.goto(`${world.url}/history`)
    const shown = async (name: string) =>
      Number(
        await page
          .locator('.figures > div')
          .filter({ has: page.getByText(name, { exact: true }) })
          .locator('dd')
          .textContent(),
      )
    await page.getByText('allowed by rules').waitFor()
    expect(await shown('allowed by rules')).toBe(counted(decision(['allow'], 'rules')))
    expect(await shown('in the sandbox')).toBe(counted(decision(['allow'], 'sandbox')))
    expect(await shown('by undo')).toBe(counted(decision(['allow'], 'undo')))
    expect(await shown('denied')).toBe(counted(decision(['deny'])))

    // The table behind the plot holds the same.
    await page.getByRole('button', { name: /^Show the figures of: Decisions by the hour/ }).click()
    const table = page.getByRole('region', { name: /^Figures: Decisions by the hour/ }).getByRole('table')
    const rows = await table.locator('tbody tr').all()
    const sums = [0, 0, 0]
    for (const row of rows)
      for (const [index, cell] of (await row.locator('td').allInnerTexts()).entries())
        sums[index] = (sums[index] ?? 0) + Number(cell || 0)
    expect(sums).toEqual([
      counted(decision(['ask'])),
      counted(decision(['deny'])),
      counted(decision(['allow'])),
    ])
    for (const name of [/Questions avoided/, /Context in percent/])
      await page.getByRole('button', { name }).click()
    expect(await opened.barriers()).toEqual([])
    await opened.picture('history-figures', { full: true })
    expect(opened.complaints).toEqual([])
  })
})
