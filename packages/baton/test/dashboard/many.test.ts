import type { Session } from '@batonpass/contract/session'
import { expect, test } from 'vitest'
import { sessionId } from '../../src/session/id.ts'
import { startBrowser } from '../world/browser.ts'
import { dashboardWorld } from './world.ts'

const COUNT = 60

/** Sessions as a busy machine has them: every third one of Codex, each in a project of its own. */
const sessions = (): Session[] =>
  Array.from({ length: COUNT }, (_, n): Session => {
    const agent = n % 3 === 0 ? 'codex' : 'claude-code'
    const nativeSession = `native-${n}`
    const at = new Date(Date.now() - n * 60_000).toISOString()
    const project = `/srv/${n === 41 ? 'Payments' : 'shop'}-${n}`
    return {
      id: sessionId(agent, nativeSession),
      agent,
      nativeSession,
      project,
      cwd: project,
      startedAt: at,
      lastSeenAt: at,
      lastEvent: 'TurnEnded',
      events: 1,
    }
  })

test('among many sessions one is found by project, agent or id, and the way back to all is short', {
  timeout: 120_000,
}, async () => {
  await using world = await dashboardWorld()
  await world.baton.store.record([], sessions())
  await using browser = await startBrowser()
  await using opened = await browser.open()
  const { page } = opened
  await page.goto(await world.link())
  const cards = page.locator('.card')
  await page.getByRole('button', { name: 'Show 12 more' }).waitFor()
  expect(await cards.count()).toBe(48)
  await page.getByRole('button', { name: 'Show 12 more' }).click()
  await cards.nth(COUNT - 1).waitFor()

  const box = page.getByRole('searchbox', { name: 'Find a session' })
  const status = page.getByRole('status').filter({ hasText: 'found' })
  // As people type it, whatever the case.
  await box.fill('payments')
  await status.getByText('1 found').waitFor()
  expect(await cards.allInnerTexts()).toEqual([expect.stringContaining('Payments-41')])
  await box.fill('codex')
  await status.getByText('20 found').waitFor()
  await box.fill('NATIVE-59')
  await cards.filter({ hasText: 'shop-59' }).waitFor()
  await box.fill('no such thing')
  await page.getByText('No live session matches').waitFor()
  expect(await opened.barriers()).toEqual([])
  await box.press('Escape')
  await cards.nth(COUNT - 1).waitFor()
  await box.fill('payments')
  await cards.getByRole('link', { name: 'Payments-41' }).click()
  await page.getByRole('heading', { name: 'Payments-41' }).waitFor()
  expect(opened.complaints).toEqual([])
})
