import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sampleQuestion } from '../ask/sample.ts'
import { type BrowserHere, type BrowserPage, startBrowser } from '../world/browser.ts'
import { type DashboardWorld, dashboardWorld } from './world.ts'

const never = { signal: new AbortController().signal, withinMs: 600_000, unreached: 'wait' } as const
let world: DashboardWorld
let browser: BrowserHere

beforeAll(async () => {
  world = await dashboardWorld()
  browser = await startBrowser()
})
afterAll(async () => {
  await browser[Symbol.asyncDispose]()
  await world[Symbol.asyncDispose]()
})

async function onPhone(): Promise<BrowserPage> {
  const opened = await browser.open({ width: 390, height: 844 })
  await opened.page.goto(await world.link())
  await opened.page.getByRole('heading', { name: 'Overview' }).waitFor()
  await opened.page.goto(`${world.url}/asks`)
  return opened
}

describe('what an agent asks, on a phone', () => {
  test('several questions are a form, and a missing answer is named', { timeout: 240_000 }, async () => {
    const waiting = world.baton.asks.ask(
      sampleQuestion('questions', {
        kind: 'question',
        title: '3 questions',
        detail: '',
        questions: [
          {
            id: 'db',
            kind: 'choice',
            text: 'Which database?',
            choices: [
              { value: 'pg', label: 'Postgres (Recommended)', description: 'Shared', recommended: true },
              { value: 'lite', label: 'SQLite' },
            ],
            ownWords: true,
          },
          {
            id: 'extras',
            kind: 'multi-choice',
            text: 'Which extras?',
            choices: [
              { value: 'cache', label: 'Cache' },
              { value: 'queue', label: 'Queue' },
            ],
          },
          { id: 'age', kind: 'number', text: 'How old?', whole: true, optional: true },
        ],
      }),
      never,
    )
    await using opened = await onPhone()
    const { page } = opened
    const card = page.locator('.ask', { hasText: 'Which database?' })
    await card.getByLabel('Postgres').check()
    // Own words replace the choice.
    await card.getByLabel('Or in your own words').fill('a text file')
    await card.getByRole('button', { name: 'Answer', exact: true }).click()
    await card.getByRole('alert').getByText('Question 2: an answer is missing').waitFor()
    expect(opened.complaints).toEqual([])
    expect(await opened.barriers()).toEqual([])
    await opened.picture('questions-phone')
    await card.getByLabel('Queue').check()
    await card.getByLabel('Cache').check()
    await card.getByLabel('How old?').fill('36')
    await card.getByRole('button', { name: 'Answer', exact: true }).click()
    expect((await waiting).ask.answer?.replies).toEqual([
      { question: 'db', words: 'a text file' },
      { question: 'extras', chosen: ['cache', 'queue'] },
      { question: 'age', words: '36' },
    ])
    await page.getByText('Answered: a text file; Cache, Queue; 36').waitFor()
  })

  test('a plan is read, and goes back with a comment', { timeout: 240_000 }, async () => {
    const text = `# Move the shop\n\n${'1. Do it well\n'.repeat(200)}`
    const waiting = world.baton.asks.ask(
      sampleQuestion('plan', {
        kind: 'plan',
        title: 'Plan in /work',
        detail: '',
        attachments: [{ title: 'Plan', text }],
      }),
      never,
    )
    await using opened = await onPhone()
    const { page } = opened
    const card = page.locator('.ask', { hasText: 'Plan in /work' })
    await card.getByText('Move the shop').waitFor()
    expect(opened.complaints).toEqual([])
    expect(await opened.barriers()).toEqual([])
    await card.getByRole('button', { name: 'Send back with a comment' }).click()
    await card.getByLabel('Tell the agent what to change').fill('add a rollback step')
    await card.getByRole('button', { name: 'Send back with this comment' }).click()
    expect((await waiting).ask.answer).toMatchObject({ option: 'send-back', reason: 'add a rollback step' })
  })
})
