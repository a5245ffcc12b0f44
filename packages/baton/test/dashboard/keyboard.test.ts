import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { EntryBody } from '@batonpass/contract/journal'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fingerprintOf } from '../../src/ask/fingerprint.ts'
import { undoIn } from '../../src/compose/undo.ts'
import { type BrowserHere, type BrowserPage, startBrowser } from '../world/browser.ts'
import { anEntry, aSession, eventId } from '../world/journal.ts'
import { gitRepo } from '../world/scratch.ts'
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

async function open(path: string): Promise<BrowserPage> {
  const opened = await browser.open()
  await opened.page.goto(await world.link())
  await opened.page.locator('.card').first().waitFor()
  await opened.page.goto(`${world.url}${path}`)
  await opened.page.locator('.link-state', { hasText: 'live' }).waitFor()
  return opened
}

// What is waited for is named by a selector: the page's policy lets a script be evaluated only once, by the debugger.
const FOCUSED = 'document.activeElement?.id || document.activeElement?.textContent || ""'
/** Where focus stands among everything that can have it, in the order of the page. */
const PLACE = `[...document.querySelectorAll('a[href], button:not(:disabled), input, select, textarea, summary, [tabindex="0"]')].indexOf(document.activeElement)`

const PAGES = [
  '/',
  '/asks',
  '/recap',
  '/claims',
  '/work/migration-guide',
  '/history',
  '/journal',
  '/settings',
]

describe('without a mouse', () => {
  test('every page is walked through in its order', { timeout: 240_000 }, async () => {
    await using opened = await open('/')
    const { page } = opened
    for (const path of PAGES) {
      await page.goto(`${world.url}${path}`)
      await page.locator('#page h1').waitFor()
      await page.keyboard.press('Tab')
      expect(await page.evaluate(FOCUSED)).toBe('Skip to the page')
      await page.keyboard.press('Enter')
      await page.locator('#page:focus').waitFor()
      let last = -1
      for (let n = 0; n < 12; n++) {
        await page.keyboard.press('Tab')
        const at = Number(await page.evaluate(PLACE))
        // After the end of the page it begins again.
        if (at <= 0) break
        expect([path, at > last]).toEqual([path, true])
        last = at
      }
    }
  })

  test('live news take the focus from nobody, and are not read aloud', { timeout: 240_000 }, async () => {
    await using opened = await open('/')
    const { page } = opened
    const link = page.locator('.card a').nth(2)
    await link.focus()
    const before = await link.getAttribute('href')
    await page.evaluate(`window.said = []; new MutationObserver(list => window.said.push(...list.map(({ target }) => target.textContent)))
      .observe(document.body, { subtree: true, childList: true, characterData: true });
      window.said.length = 0; window.aloud = () => window.said.length && [...document.querySelectorAll('[role=status], [aria-live]')].map(e => e.textContent).filter(Boolean)`)
    const [session] = await world.baton.store.sessions({ live: true, limit: 1 })
    if (!session) throw new Error('no session')
    const now = new Date().toISOString()
    await world.baton.store.record(
      [anEntry('tell me', { session: session.id, at: now })],
      [{ ...session, lastSeenAt: now }],
    )
    await world.baton.note({ kind: 'config', what: 'loaded' })
    await page.locator('.card .last', { hasText: 'tell me' }).waitFor()
    expect(await page.evaluate('document.activeElement?.getAttribute("href")')).toBe(before)
    expect(await page.evaluate('window.aloud()')).toEqual([])
  })

  test('a card opens its session, and reading continues there', { timeout: 240_000 }, async () => {
    await using opened = await open('/')
    const { page } = opened
    await page.locator('.card a').first().focus()
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: 'Timeline' }).waitFor()
    await page.locator('#page:focus').waitFor()
  })

  test('a key in the very moment that a question is drawn is meant for it, and what follows are words', {
    timeout: 120_000,
  }, async () => {
    await using opened = await open('/')
    const { page } = opened
    await page.addInitScript(`const press = key => document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }))
      const drawn = new MutationObserver(() => {
        if (!document.querySelector('.ask')) return
        drawn.disconnect()
        press('r')
        setTimeout(() => press('a'))
      })
      drawn.observe(document, { subtree: true, childList: true })`)
    await page.goto(`${world.url}/asks`)
    await page.locator('.ask textarea:focus').waitFor()
    // A question that `a` had answered would be gone.
    await page.locator('.ask').getByRole('button', { name: 'Deny with this reason' }).waitFor()
    expect(world.baton.asks.open()).toHaveLength(1)
  })

  test('after an answer comes the next question', { timeout: 240_000 }, async () => {
    const { id, nativeSession, agent } = filled.asking
    for (const n of [1, 2])
      void world.baton.asks.ask(
        {
          kind: 'permission',
          title: `Another ${n}`,
          detail: `deploy --now ${n}`,
          facts: { session: id, nativeSession, agent, tool: 'Bash' },
          key: eventId(700 + n),
          fingerprint: fingerprintOf({ session: id, tool: 'Bash', input: { n }, cwd: '/tmp' }),
        },
        { signal: new AbortController().signal, withinMs: 600_000, unreached: 'wait' },
      )
    await using opened = await open('/asks')
    const { page } = opened
    await page.locator('.ask').nth(2).waitFor()
    await page.locator('.ask').nth(1).getByRole('button', { name: 'Deny', exact: true }).focus()
    await page.keyboard.press('Enter')
    await page.locator('.ask').nth(2).waitFor({ state: 'detached' })
    await page.locator('.ask:focus, .ask :focus').waitFor()
  })

  test('the last step is taken back by u and Enter, or on the page of its session', {
    timeout: 240_000,
  }, async () => {
    await using other = await dashboardWorld()
    const project = join(other.scratch.path, 'notes')
    await gitRepo(project)
    const file = join(project, 'notes.txt')
    writeFileSync(file, 'as it was\n')
    const subject = 'sed -i s/was/is/ notes.txt'
    const taken = await undoIn(other.folder.dir).take(project, { label: subject })
    if (!taken) throw new Error('no snapshot')
    const changed = `as it is <b>now</b>\u202e\ntoken ghp_${'a1B2'.repeat(9)}\n`
    writeFileSync(file, changed)
    const now = new Date().toISOString()
    const session = aSession(1, { project, cwd: project, startedAt: now, lastSeenAt: now })
    const { id, nativeSession, agent } = session
    const about = { at: now, session: id, project }
    const call = {
      tool: 'Bash',
      input: { command: subject },
      action: { kind: 'shell', command: subject },
    } as const
    const who = { at: now, agent, session: id, nativeSession, cwd: project }
    const requested: EntryBody = {
      kind: 'event',
      source: 'user',
      event: { ...who, ...call, id: eventId(800), type: 'ToolRequested' },
    }
    const decision: EntryBody = {
      kind: 'decision',
      event: eventId(800),
      tool: 'Bash',
      subject,
      decision: 'allow',
      reason: 'can be taken back',
      by: 'undo',
      trail: [],
      undo: String(taken.step),
      tookMs: 1,
    }
    const finished: EntryBody = {
      kind: 'event',
      source: 'user',
      event: { ...who, ...call, id: eventId(801), type: 'ToolFinished', failed: false, response: 'ok' },
    }
    await other.baton.store.record(
      [requested, decision, finished].map(body => anEntry('', { ...about, body })),
      [session],
    )
    await using opened = await browser.open()
    const { page } = opened
    await page.goto(await other.link())
    await page.locator('.card a').click()

    // One line says what was asked, decided and done.
    const row = page.locator('.entry')
    await row.getByText('done').waitFor()
    expect(await row.count()).toBe(1)
    await row.locator('button.what').click()
    const diff = row.getByRole('region', { name: 'Changes of this step' })
    await diff.getByText('-as it was').waitFor()
    expect(await diff.textContent()).toContain('+as it is <b>now</b>U+202E')
    expect(await diff.textContent()).not.toContain('ghp_')
    await row.getByRole('button', { name: 'Undo this step' }).click()
    await row.getByText('This would change:').waitFor()
    await opened.picture('session-undo')
    expect(await opened.barriers()).toEqual([])
    await row.getByRole('button', { name: `Undo step ${taken.step}` }).click()
    await row.getByText(/^Done\. To revert this/).waitFor()
    expect(readFileSync(file, 'utf8')).toBe('as it was\n')

    writeFileSync(file, changed)
    await page.locator('h1').click()
    await page.keyboard.press('g')
    await page.keyboard.press('r')
    await page.getByLabel('Period').selectOption('last 8 hours')
    await page.getByRole('button', { name: /Undo the last step/ }).waitFor()
    await page.locator('h1').click()
    await page.keyboard.press('u')
    await page.getByText('This would change:').waitFor()
    await page.locator(':focus', { hasText: /^Undo step/ }).waitFor()
    await opened.picture('undo')
    expect(await opened.barriers()).toEqual([])
    await page.keyboard.press('Enter')
    await page.getByText(/^Done\. To revert this/).waitFor()
    expect(readFileSync(file, 'utf8')).toBe('as it was\n')
    expect(opened.complaints).toEqual([])
  })
})
