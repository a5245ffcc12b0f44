import { describe, expect, test } from 'vitest'
import { claudeHome } from '../world/agents/claude.ts'
import { runClaude } from '../world/agents/claude-headless.ts'
import { claudeInTmux } from '../world/agents/claude-tmux.ts'
import { claudeAcp } from '../world/agents/hostable.ts'
import { batonIn } from '../world/baton.ts'
import { startBrowser } from '../world/browser.ts'
import { claudeWorld } from '../world/claude-world.ts'
import { startModel, textOf } from '../world/model.ts'
import { loginLink } from '../world/person.ts'
import { call, say, type Turn } from '../world/turn.ts'

const ASK_DATE =
  'handsoff:\n  auto_permission: false\n  max_continuations: 1\npermissions:\n  ask:\n    - program: date\n'

describe('the dashboard beside the real Claude Code', () => {
  test('a question is answered in the browser while Claude Code waits for it', {
    timeout: 240_000,
  }, async () => {
    await using here = await claudeWorld({ git: false, settings: ASK_DATE })
    const { model, home, baton } = here
    await using browser = await startBrowser()
    await using opened = await browser.open()
    const { page } = opened
    await page.goto(await loginLink(baton))
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    await page.locator('.link-state', { hasText: 'live' }).waitFor()
    model.script({ key: home.key }, [
      call('Bash', { command: 'date +browser-%Y' }),
      call('Bash', { command: 'date +refused-%Y' }),
      say('done'),
    ])
    const running = runClaude({ home, model, prompt: 'what time is it' })

    await page.getByRole('link', { name: 'Answer' }).click()
    const first = page.locator('.ask', { hasText: 'browser-%Y' })
    await first.getByRole('button', { name: 'Allow once' }).click()
    const second = page.locator('.ask', { hasText: 'refused-%Y' })
    await second.waitFor()
    await opened.picture('ask-of-claude')
    await second.getByRole('button', { name: 'Deny and say why' }).click()
    await second.getByLabel('Tell the agent why').fill('once is enough')
    await second.getByRole('button', { name: 'Deny with this reason' }).click()

    expect((await running).isError).toBe(false)
    const last = model.mainRequests({ key: home.key }).at(-1)
    const told = last ? textOf(last) : ''
    expect(told).toMatch(/browser-20\d\d/)
    expect(told).not.toMatch(/refused-20\d\d/)
    expect(told).toContain('once is enough')
    const decisions = (await baton.entries({ kind: 'decision' })).flatMap(({ body }) =>
      body.kind === 'decision' ? `${body.decision} by ${body.by}` : [],
    )
    expect(decisions).toEqual(['allow by person', 'deny by person'])

    // The session's own page tells the same story.
    await page.getByRole('link', { name: 'Overview' }).click()
    await page.getByRole('link', { name: 'what time is it' }).first().click()
    await page.locator('.entry', { hasText: 'date +browser-%Y' }).getByText('allowed by you').waitFor()
    await page.locator('.entry', { hasText: 'date +refused-%Y' }).getByText('denied by you').waitFor()
    expect(opened.complaints).toEqual([])
    model.assertClean()
  })

  test('the session page shows its terminal as it is', { timeout: 240_000 }, async () => {
    await using here = await claudeWorld({ git: false })
    const { model, home, baton } = here
    await using browser = await startBrowser()
    await using opened = await browser.open()
    const { page } = opened
    model.script({ key: home.key }, [say('the answer on the screen'), say('heard from the browser')])
    await using terminal = await claudeInTmux({ home, model })
    await terminal.submit('show yourself')
    await terminal.waitForScreen(/the answer on the screen/)
    await page.goto(await loginLink(baton))
    await page.locator('.card a').first().click()
    // Above the timeline: its last lines, to read only.
    await page.locator('.terminal.tail', { hasText: 'the answer on the screen' }).waitFor()
    expect(await page.getByLabel('Write to the agent').count()).toBe(0)
    expect(await opened.barriers()).toEqual([])
    await page.getByRole('link', { name: 'Terminal' }).click()
    await page.locator('.terminal:not(.tail)', { hasText: 'the answer on the screen' }).waitFor()
    await page.getByLabel('Write to the agent').fill('and now from here')
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByText('The agent received it.').waitFor()
    await page.locator('.terminal', { hasText: 'heard from the browser' }).waitFor()
    await opened.picture('terminal-of-claude')
    expect(await opened.barriers()).toEqual([])
  })

  test('a hosted agent is talked to in the browser: its words, its calls, a question in place, and a stop', {
    timeout: 360_000,
  }, async () => {
    await using here = await claudeWorld({ settings: ASK_DATE })
    const { model, home, baton } = here
    await using browser = await startBrowser()
    await using opened = await browser.open()
    const { page } = opened
    await page.goto(await loginLink(baton))
    await page.locator('.link-state', { hasText: 'live' }).waitFor()
    const stopped = new Promise<void>(() => {})
    const slow = Promise.withResolvers<void>()
    const todos = [
      { content: 'Look at the clock', status: 'completed', activeForm: 'Looking' },
      { content: 'Say the year', status: 'pending', activeForm: 'Saying' },
    ]
    const answers: [RegExp, () => Turn][] = [
      [/what year$/, () => call('Bash', { command: 'date +year-%Y' }, { text: 'I look at **the clock**.' })],
      [/for ever$/, () => say('never', { gate: stopped })],
      [/slowly$/, () => say('There it is.', { gate: slow.promise })],
      [/make a plan$/, () => call('TodoWrite', { todos })],
      [/./, () => say('It is done.\n\n- one\n- two')],
    ]
    model.script({ key: home.key }, request => answers.find(([words]) => words.test(request.lastText))?.[1]())
    const env = { ...home.env(model), ...(await claudeAcp()) }
    await baton.run(['run', '--hosted', '--title', 'inside', 'what year'], { env })

    await page.locator('.card a').first().click()
    const talk = page.getByRole('region', { name: 'Conversation' })
    await talk.locator('[data-who=prompt]', { hasText: 'what year' }).waitFor()
    await talk.locator('[data-who=agent] b', { hasText: 'the clock' }).waitFor()
    await talk.locator('.call', { hasText: 'date +year-%Y' }).getByText('asks', { exact: true }).waitFor()
    const ask = page.locator('.ask', { hasText: 'date +year-%Y' })
    await ask.waitFor()
    await opened.picture('hosted-asks')
    expect(await opened.barriers()).toEqual([])
    await ask.getByRole('button', { name: 'Allow once' }).click()
    const done = talk.locator('.call', { hasText: 'date +year-%Y' })
    await done.getByText('done', { exact: true }).waitFor()
    await done.getByRole('button').click()
    await done.getByText(/year-20\d\d/).waitFor()
    await talk.locator('[data-who=agent]', { hasText: 'It is done.' }).waitFor()

    await page.getByLabel('Write to the agent').fill('slowly')
    await page.keyboard.press('Enter')
    await model.waitForRequest(request => /slowly$/.test(request.lastText))
    await page.getByText('The agent received it.').waitFor()
    // Words to a busy agent wait for its turn to end.
    await page.getByLabel('Write to the agent').fill('make a plan')
    await page.keyboard.press('Enter')
    await page.getByText('Baton sends this as soon as it waits').waitFor()
    slow.resolve()
    await page.getByText('Plan, 1 of 2 done').waitFor()
    await page.getByText('The agent received it.').waitFor()
    await talk.locator('[data-who=prompt]', { hasText: 'make a plan' }).waitFor()
    await opened.picture('hosted')

    await page.getByLabel('Write to the agent').fill('for ever')
    await page.getByRole('button', { name: 'Send' }).click()
    await model.waitForRequest(request => /for ever$/.test(request.lastText))
    await page.getByText('The agent received it.').waitFor()
    await page.getByRole('button', { name: 'Interrupt' }).click()
    await talk.locator('.note', { hasText: 'cancelled' }).waitFor()
    await page.getByText('Turn stopped.').waitFor()
    expect(opened.complaints).toEqual([])

    // A new daemon continues it: what was said before is in the journal.
    await baton.must('up', '--restart')
    await page.locator('.link-state', { hasText: 'live' }).waitFor()
    await page.reload()
    await talk.locator('[data-who=prompt]', { hasText: 'what year' }).waitFor()
    await baton.must('kill', 'inside')
  })

  test('a chat in a terminal is followed word for word', { timeout: 240_000 }, async () => {
    await using model = await startModel()
    await using home = claudeHome()
    await home.git()
    await using baton = batonIn(home.path, home.project)
    await using browser = await startBrowser()
    await using opened = await browser.open()
    const { page } = opened
    await baton.must('up')
    await page.goto(await loginLink(baton))
    await page.locator('.link-state', { hasText: 'live' }).waitFor()
    const heard = Promise.withResolvers<void>()
    model.script({ key: home.key }, [say('These are **all** the words.', { gate: heard.promise })])
    const env = { ...home.env(model), ...(await claudeAcp()) }
    const chat = baton.run(['chat', '--json', '-p', 'speak'], { env })
    await page.locator('.card a').first().click()
    await page.getByRole('link', { name: 'Conversation' }).click()
    const talk = page.getByRole('region', { name: 'Conversation' })
    await talk.locator('[data-who=prompt]', { hasText: 'speak' }).waitFor()
    await talk.getByText('Claude Code is working').waitFor()
    await page.getByText('answer it there').waitFor()
    heard.resolve()
    await talk.locator('[data-who=agent]', { hasText: 'These are all the words.' }).waitFor()
    expect(JSON.parse((await chat).stdout)).toMatchObject({ end: 'ended' })
    await talk.getByText('Claude Code is working').waitFor({ state: 'detached' })
    expect(opened.complaints).toEqual([])
  })
})
