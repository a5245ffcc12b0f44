import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTerminal } from '../world/agents/tmux.ts'
import { type BrowserHere, startBrowser } from '../world/browser.ts'
import { gitRepo } from '../world/scratch.ts'
import { type DashboardWorld, dashboardWorld } from './world.ts'

const CLI = join(import.meta.dirname, '../../dist/cli.js')

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

/** A repository, and a PATH on which Claude Code is a small agent that speaks ACP. */
async function placeFor(name: string) {
  const bin = join(world.scratch.path, 'bin')
  const agent = join(import.meta.dirname, '../world/agents/acp-agent.ts')
  mkdirSync(bin, { recursive: true })
  const script = `#!/bin/sh\nexec '${process.execPath}' '${agent}' "$@"\n`
  writeFileSync(join(bin, 'claude-agent-acp'), script, { mode: 0o755 })
  const cwd = join(world.scratch.path, name)
  await gitRepo(cwd)
  return { cwd, env: { PATH: `${bin}:${process.env.PATH}` } }
}

/** Hosted by the daemon, as `baton run --hosted` would. */
async function hosted(name: string, prompt: string) {
  const { cwd, env } = await placeFor(name)
  return world.baton.sessions.run({ agent: 'claude', driver: 'acp', cwd, prompt, args: [], env, title: name })
}

describe('a hosted session in the dashboard', () => {
  test('says which step its handoff is in and what it waits for, and lets it be called off', {
    timeout: 120_000,
  }, async () => {
    await using opened = await browser.open()
    const { page } = opened
    await page.goto(await world.link())
    await page.getByText('No agent is running').waitFor()
    for (const [name, text] of [
      ['Claims', 'No claimed issues'],
      ['Work', 'No work items yet'],
      ['History', 'Nothing was decided in this time'],
      ['Overview', 'No agent is running'],
    ] as const) {
      await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name }).click()
      await page.getByText(text).waitFor()
    }
    await hosted('filling', 'usage 900\nsay I am **half** way\nwait')
    const card = page.locator('.card', { hasText: 'filling' })
    await card.getByText('handoff: due').waitFor()
    // It is called after its first prompt.
    await card.getByRole('link', { name: 'usage 900 say I am **half** way wait' }).click()
    await page.getByRole('heading', { name: 'usage 900 say I am' }).waitFor()

    const steps = page.getByRole('list', { name: 'Steps of the handoff' })
    await steps.locator('[aria-current=step]', { hasText: 'Due' }).waitFor()
    await page.getByText('the context is full (90 %)').waitFor()
    await page.getByText('waiting for the turn to end').waitFor()
    await page.locator('[data-who=agent] b', { hasText: 'half' }).waitFor()
    await opened.picture('cycle', { full: true })
    expect(await opened.barriers()).toEqual([])
    await page.getByRole('button', { name: 'Cancel the handoff' }).click()
    await steps.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Hand off now' }).waitFor()
    expect(opened.complaints).toEqual([])
  })

  test('shows a call that waits for a yes as such, and who stays away from the page has not lost a word', {
    timeout: 120_000,
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

  test('a turn without an end is stopped from the page', { timeout: 240_000 }, async () => {
    await using opened = await browser.open({ width: 390, height: 844 })
    const { page } = opened
    await page.goto(await world.link())
    await hosted('endless', 'wait')
    await page.locator('.card', { hasText: 'endless' }).getByRole('link').click()
    await page.getByRole('button', { name: 'Interrupt' }).click()
    await page.getByText('Turn stopped.').waitFor()
    await page.getByLabel('Write to the agent').fill('say line one\nsay and two')
    await page.getByRole('button', { name: 'Send' }).click()
    await page.locator('[data-who=agent]', { hasText: 'line oneand two' }).waitFor()
    expect(await opened.barriers()).toEqual([])
  })

  test('words to a busy agent wait for it; changed or called off meanwhile, they are not said', {
    timeout: 120_000,
  }, async () => {
    await using opened = await browser.open()
    const { page } = opened
    await page.goto(await world.link())
    await hosted('busy', 'wait')
    const posted: string[] = []
    page.on('request', request => {
      if (request.url().endsWith('/say')) posted.push(request.postDataJSON().text)
    })
    await page.locator('.card', { hasText: 'busy' }).getByRole('link').click()
    const box = page.getByLabel('Write to the agent')
    await box.fill('say one')
    await box.press('Enter')
    await page.getByText('The agent is busy. Baton sends this as soon as it waits').waitFor()
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByText('Not sent.').waitFor()
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByRole('button', { name: 'Cancel' }).waitFor()
    await box.fill('say two')
    await page.getByText('The agent is busy').waitFor({ state: 'detached' })
    // A look at the timeline does not lose what was written.
    await page.getByRole('link', { name: 'Timeline' }).click()
    await page.getByRole('link', { name: 'Conversation' }).click()
    expect(await box.inputValue()).toBe('say two')
    await box.press('Enter')
    await page.getByText('The agent is busy').waitFor()
    const before = posted.filter(text => text === 'say one').length
    await page.getByRole('button', { name: 'Interrupt' }).click()
    await page.locator('[data-who=agent]', { hasText: 'two' }).waitFor()
    await page.getByText('The agent received it.').waitFor()
    expect(await box.inputValue()).toBe('')
    expect(posted.filter(text => text === 'say one')).toHaveLength(before)
    expect(await page.locator('[data-who=prompt]', { hasText: 'say one' }).count()).toBe(0)
    expect(opened.complaints).toEqual([])
  })
})

describe('a conversation that `baton chat` holds in a terminal', () => {
  test('is joined from the browser: what is said there is said in the terminal, too, and it can be stopped', {
    timeout: 120_000,
  }, async () => {
    const { cwd, env } = await placeFor('chatting')
    const HOME = world.home
    await using terminal = await startTerminal({
      command: [process.execPath, CLI, 'chat'],
      cwd,
      env: { ...env, HOME, BATON_HOME: world.folder.dir, LC_ALL: 'C.UTF-8', TERM: 'xterm' },
    })
    await terminal.waitForScreen(/\/help shows the commands/, { timeout: 120_000 })
    await using opened = await browser.open()
    const { page } = opened
    await page.goto(await world.link())
    await page.locator('.card', { hasText: 'chatting' }).getByRole('link').click()
    await page.getByRole('link', { name: 'Conversation' }).click()
    const box = page.getByLabel('Write to the agent')
    await box.fill('say from afar\nwait')
    await terminal.type('half a lin')
    await page.getByRole('button', { name: 'Send' }).click()
    await page.locator('[data-who=agent]', { hasText: 'from afar' }).waitFor()
    await terminal.waitForScreen(/> say from afar.*\(sent from elsewhere\)/s)
    await page.getByRole('button', { name: 'Interrupt' }).click()
    await terminal.waitForScreen(/Stopped/)
    // Who sits there goes on with the line that was begun.
    await terminal.waitForScreen(/> half a lin/)
    expect(await opened.barriers()).toEqual([])
    await opened.picture('chat-in-terminal')
    await terminal.press('C-u')
    await terminal.press('C-d')
    await terminal.waitForExit()
    await box.waitFor({ state: 'detached' })
    expect(opened.complaints).toEqual([])
  })
})
