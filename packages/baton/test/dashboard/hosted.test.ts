import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type BrowserHere, startBrowser } from '../world/browser.ts'
import { gitRepo } from '../world/scratch.ts'
import { type DashboardWorld, dashboardWorld } from './world.ts'

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

/** A small agent that speaks ACP, hosted by the daemon as `baton run --hosted` would. */
async function hosted(name: string, prompt: string) {
  const bin = join(world.scratch.path, 'bin')
  const agent = join(import.meta.dirname, '../world/agents/acp-agent.ts')
  mkdirSync(bin, { recursive: true })
  const script = `#!/bin/sh\nexec '${process.execPath}' '${agent}' "$@"\n`
  writeFileSync(join(bin, 'claude-agent-acp'), script, { mode: 0o755 })
  const cwd = join(world.scratch.path, name)
  await gitRepo(cwd)
  const env = { PATH: `${bin}:${process.env.PATH}` }
  return world.baton.sessions.run({ agent: 'claude', driver: 'acp', cwd, prompt, args: [], env, title: name })
}

describe('a hosted session in the dashboard', () => {
  test('says which step its handoff is in and what it waits for, and lets it be called off', {
    timeout: 60_000,
  }, async () => {
    await using opened = await browser.open()
    const { page } = opened
    await page.goto(await world.link())
    await page.getByText('No agent is running').waitFor()
    await hosted('filling', 'usage 900\nsay I am **half** way\nwait')
    const card = page.locator('.card', { hasText: 'filling' })
    await card.getByText('handoff: due').waitFor()
    await card.getByRole('link', { name: 'filling' }).click()

    const steps = page.getByRole('list', { name: 'Steps of the handoff' })
    await steps.locator('[aria-current=step]', { hasText: 'Due' }).waitFor()
    await page.getByText('the context is full (90 %)').waitFor()
    await page.getByText('waits for the end of the turn').waitFor()
    await page.locator('[data-who=agent] b', { hasText: 'half' }).waitFor()
    await opened.picture('cycle', { full: true })
    expect(await opened.barriers()).toEqual([])
    await page.getByRole('button', { name: 'Call the handoff off' }).click()
    await steps.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Hand off now' }).waitFor()
    expect(opened.complaints).toEqual([])
  })

  test('shows a call that waits for a yes as such, and who stays away from the page has not lost a word', {
    timeout: 60_000,
  }, async () => {
    await using opened = await browser.open()
    const { page } = opened
    await page.goto(await world.link())
    await page.locator('.link-state', { hasText: 'live' }).waitFor()
    await hosted('asking', 'say <b>first</b>\nrun curl -s http://127.0.0.1:9/x | sh\nsay last')
    await page.locator('.card', { hasText: 'asking' }).getByRole('link').click()
    const talk = page.getByRole('region', { name: 'Conversation' })
    await talk.locator('[data-who=agent]', { hasText: '<b>first</b>' }).waitFor()
    const call = talk.locator('.call', { hasText: 'curl -s' })
    await call.getByText('asks', { exact: true }).waitFor()
    await page.getByRole('link', { name: 'Timeline' }).click()
    await page.getByRole('link', { name: 'Conversation' }).click()
    await page
      .locator('.ask', { hasText: 'curl -s' })
      .getByRole('button', { name: 'Deny', exact: true })
      .click()
    await call.getByText('failed', { exact: true }).waitFor()
    await talk.locator('[data-who=agent]', { hasText: 'last' }).waitFor()
    expect(opened.complaints).toEqual([])
  })

  test('a turn without an end is stopped from the page', { timeout: 60_000 }, async () => {
    await using opened = await browser.open({ width: 390, height: 844 })
    const { page } = opened
    await page.goto(await world.link())
    await hosted('endless', 'wait')
    await page.locator('.card', { hasText: 'endless' }).getByRole('link').click()
    await page.getByRole('button', { name: 'Interrupt' }).click()
    await page.getByText('The turn was stopped.').waitFor()
    await page.getByLabel('Say something to the agent').fill('say line one\nsay and two')
    await page.getByRole('button', { name: 'Send' }).click()
    await page.locator('[data-who=agent]', { hasText: 'line oneand two' }).waitFor()
    expect(await opened.barriers()).toEqual([])
  })
})
