import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { PsList } from '@batonpass/contract/watch'
import { describe, expect, test } from 'vitest'
import { claudeInTmux } from '../world/agents/claude-tmux.ts'
import type { BatonHere } from '../world/baton.ts'
import { startBrowser } from '../world/browser.ts'
import { claudeWorld } from '../world/claude-world.ts'
import { claudePayload } from '../world/hook-payload.ts'
import { lastRequestOf } from '../world/model.ts'
import { asPerson, loginLink } from '../world/person.ts'
import { startTelegram, telegramSettings } from '../world/telegram.ts'
import { call, hold, say } from '../world/turn.ts'
import { until } from '../world/wait.ts'

const QUIET = 'handsoff:\n  auto_permission: false\n  max_continuations: 1\npermission:\n  undecided: defer\n'
const FORMS = join(import.meta.dirname, '../world/agents/mcp-form.mjs')

const question = (text: string, multiSelect = false) => ({
  question: text,
  header: 'Choice',
  multiSelect,
  options: [
    { label: 'Postgres (Recommended)', description: 'Shared by several machines' },
    { label: 'SQLite', description: 'One file' },
  ],
})

const openAsk = (baton: BatonHere, words: string) =>
  until(async () => (await baton.asks()).find(({ detail }) => detail.includes(words)), {
    what: `an open ask with ${words}`,
    timeout: 120_000,
  })

const outcomesOf = async (baton: BatonHere) =>
  (await baton.asks({ all: true }))
    .toReversed()
    .map(({ state, answer, withdrawn }) => answer?.option ?? withdrawn ?? state)

/** Where the asks were answered, oldest first. */
const channelsOf = async (baton: BatonHere) =>
  (await baton.asks({ all: true })).toReversed().flatMap(({ answer }) => answer?.by.channel ?? [])

/** A question of another session, which no agent shows. Resolves when its hook is answered. */
const askElsewhere = (baton: BatonHere, cwd: string) =>
  baton.run(['hook', 'claude-code', 'PermissionRequest'], {
    cwd,
    input: claudePayload('PermissionRequest', cwd, '', {
      tool_name: 'AskUserQuestion',
      tool_input: { questions: [question('Which witness?')] },
    }),
  })

/** Waits until the daemon denies a program that only the new settings deny: it looks for changes every 250 ms. */
const inForce = (baton: BatonHere, cwd: string, program: string) =>
  until(
    async () => {
      const input = claudePayload('PreToolUse', cwd, program)
      return (await baton.run(['hook', 'claude-code', 'PreToolUse'], { cwd, input })).stdout.includes(
        '"deny"',
      )
    },
    { what: `settings that deny ${program}`, timeout: 120_000 },
  )

describe('what the real Claude Code asks', () => {
  test('is answered at a terminal although the daemon was killed, on its own screen, on Telegram, on a phone in the browser, and a form elsewhere', {
    timeout: 480_000,
  }, async () => {
    await using telegram = await startTelegram()
    await using browser = await startBrowser()
    await using here = await claudeWorld({ git: false, settings: QUIET + telegramSettings(telegram) })
    const { model, home, baton } = here
    const mcp = join(home.path, 'mcp.json')
    writeFileSync(
      mcp,
      JSON.stringify({ mcpServers: { forms: { command: process.execPath, args: [FORMS] } } }),
    )
    model.script({ key: home.key }, [
      call('AskUserQuestion', { questions: [question('Which database?'), question('Which others?', true)] }),
      call('AskUserQuestion', { questions: [question('Which cache?')] }),
      call('AskUserQuestion', { questions: [question('Which queue?')] }),
      call('AskUserQuestion', { questions: [question('Which index?')] }),
      call('mcp__forms__sign_up', { list: 'news' }),
      say('all is asked'),
    ])
    const args = ['--mcp-config', mcp, '--allowedTools', 'mcp__forms__sign_up']
    await using terminal = await claudeInTmux({ home, model, args })
    await terminal.submit('ask me')

    const first = await openAsk(baton, 'Which database?')
    await terminal.waitForScreen(/Which database\?/)
    expect(await baton.must('asks')).toContain('1. Postgres (recommended): Shared by several machines')
    process.kill(Number(JSON.parse(await baton.must('status', '--json')).daemon.pid), 'SIGKILL')
    await openAsk(baton, 'Which database?')
    const agent = await baton.run(['answer', first.id, '2', '1,2'], { env: { CLAUDECODE: '1' } })
    expect(agent.code).not.toBe(0)
    expect(await asPerson(baton, 'answer', first.id, '2', '1,2')).toContain('SQLite; Postgres, SQLite')

    // The first dialog is gone from the screen; the next one is answered there.
    await terminal.answerDialog(/Which cache\?/, '2')
    await telegram.message(
      ({ text }) => text.includes('Which cache?') && text.includes('Answered at the agent itself'),
    )

    const queue = await telegram.message(
      ({ text, buttons }) => text.includes('Which queue?') && buttons.length > 0,
    )
    await terminal.waitForScreen(/Which queue\?/)
    telegram.press(queue, 'SQLite')

    // The dialog of the third is gone from the screen, too; the fourth is answered on a phone.
    await terminal.waitForScreen(screen => /Which index\?/.test(screen) && !/Which queue\?\s*\n/.test(screen))
    await using opened = await browser.open({ width: 390, height: 844 })
    const { page } = opened
    await page.goto(await loginLink(baton))
    await page.getByRole('link', { name: 'Answer' }).click()
    const card = page.locator('.ask', { hasText: 'Which index?' })
    await card.getByLabel('SQLite').check()
    expect(await opened.barriers()).toEqual([])
    await card.getByRole('button', { name: 'Answer', exact: true }).click()
    await page.getByText('Answered: SQLite').first().waitFor()
    await telegram.message(
      ({ text }) => text.includes('Which index?') && text.includes('Answered: SQLite by'),
    )
    expect(opened.complaints).toEqual([])

    const form = await openAsk(baton, 'Please sign up')
    expect(lastRequestOf(model, home)).toContain('"Which database?"="SQLite"')
    expect(lastRequestOf(model, home)).toContain('"Which others?"="Postgres (Recommended), SQLite"')
    for (const what of ['cache', 'queue', 'index'])
      expect(lastRequestOf(model, home)).toContain(`"Which ${what}?"="SQLite"`)
    await asPerson(baton, 'answer', form.id, 'Ada', '36', 'yes', 'pro')
    await terminal.waitForScreen(/all is asked/, { timeout: 120_000 })
    expect(lastRequestOf(model, home)).toMatch(/got .*name\W+Ada\W+age\W+36\W+news\W+true\W+plan\W+pro/)
    expect(await outcomesOf(baton)).toEqual(['reply', 'settled-elsewhere', 'reply', 'reply', 'reply'])
    expect(await channelsOf(baton)).toEqual(['terminal', 'telegram', 'dashboard', 'terminal'])

    // Someone takes Baton's hooks out of the settings of the running session.
    home.writeSettings('user', {})
    await telegram.message(({ text }) => text.includes('hooks were removed from'))
    expect(telegram.refused).toEqual([])
    model.assertClean()
  })

  test('a plan goes back with a comment, and is approved when it is better', {
    timeout: 360_000,
  }, async () => {
    await using here = await claudeWorld({ git: false, settings: QUIET })
    const { model, home, baton } = here
    const held = hold()
    model.script({ key: home.key }, [
      call('ExitPlanMode', {}, { gate: held.gate }),
      call('ExitPlanMode', {}),
      say('the plan is followed'),
    ])
    await using terminal = await claudeInTmux({ home, model, permissionMode: 'plan' })
    await terminal.submit('plan it')
    // Claude Code names the file in which it wants the plan.
    const file = await until(
      () => /[^"\\\s`]*\/plans\/[^"\\\s`]*\.md/.exec(lastRequestOf(model, home))?.[0],
      { what: 'the name of the plan file', timeout: 120_000 },
    )
    mkdirSync(dirname(file), { recursive: true })
    // Longer than what Claude Code takes from a hook as one text.
    writeFileSync(file, `# The plan\n\n${'1. Do it well\n'.repeat(1500)}`)
    held.release()
    const first = await openAsk(baton, '# The plan')
    await asPerson(baton, 'answer', first.id, '--send-back', 'add a rollback step')
    const second = await until(
      async () => {
        const ask = await openAsk(baton, '# The plan')
        return ask.id === first.id ? undefined : ask
      },
      { what: 'the second ask', timeout: 120_000 },
    )
    expect(lastRequestOf(model, home)).toContain('add a rollback step')
    await asPerson(baton, 'answer', second.id, '--approve')
    await terminal.waitForScreen(/the plan is followed/, { timeout: 120_000 })
    expect(readFileSync(file, 'utf8')).toContain('# The plan')
    expect(lastRequestOf(model, home)).toContain('Exited Plan Mode')
    expect(await outcomesOf(baton)).toEqual(['send-back', 'approve'])
    model.assertClean()
  })

  test('that no one answers waits, is answered as recommended, or parks the run until it is answered', {
    timeout: 480_000,
  }, async () => {
    const policy = (unanswered: string) =>
      `${QUIET}asks:\n  unanswered: ${unanswered}\n  after_minutes: 0.1\npermissions:\n  deny: [when-${unanswered}]\n`
    await using here = await claudeWorld({ settings: policy('recommended') })
    const { model, home, baton } = here
    mkdirSync(join(home.project, '.claude/commands'), { recursive: true })
    writeFileSync(join(home.project, '.claude/commands/issue-to-impl.md'), 'Implement issue $ARGUMENTS.\n')
    const second = hold()
    const third = hold()
    const ask = (text: string, gate?: Promise<void>) =>
      call('AskUserQuestion', { questions: [question(text)] }, gate ? { gate } : {})
    model.script({ key: home.key }, [
      ask('Which database?'),
      ask('Which cache?', second.gate),
      ask('Which queue?', third.gate),
      say('I stop early'),
      say('all is asked'),
    ])
    await using terminal = await claudeInTmux({ home, model })
    await terminal.submit('/issue-to-impl 42')

    // recommended
    await until(() => lastRequestOf(model, home).includes('"Which database?"="Postgres (Recommended)"'), {
      what: 'the answer that the policy gave',
      timeout: 120_000,
    })
    expect(await channelsOf(baton)).toEqual(['policy'])
    expect(await baton.must('recap')).toContain('Which database?')

    // wait: a question that was asked later is parked, and this one still waits.
    baton.configure(policy('wait'))
    await inForce(baton, home.project, 'when-wait')
    second.release()
    const waits = await openAsk(baton, 'Which cache?')
    baton.configure(policy('park'))
    await inForce(baton, home.project, 'when-park')
    const witness = askElsewhere(baton, home.project)
    await until(async () => (await openAsk(baton, 'Which witness?')).parkedAt, {
      what: 'the parked question of another session',
      timeout: 120_000,
    })
    expect((await openAsk(baton, 'Which cache?')).parkedAt).toBeUndefined()
    const other = await openAsk(baton, 'Which witness?')
    await asPerson(baton, 'answer', other.id, '1')
    expect((await witness).stdout).toContain('Postgres')
    await asPerson(baton, 'answer', waits.id, '2')

    // park, which is the default in a run of a workflow
    baton.configure(policy('auto'))
    await inForce(baton, home.project, 'when-auto')
    third.release()
    const run = async () => PsList.parse(await baton.read('/api/ps')).sessions[0]?.workflow
    await until(async () => (await run())?.end === 'question-parked', {
      what: 'the parked run',
      timeout: 120_000,
      evidence: async () => JSON.stringify(await run()),
    })
    process.kill(Number(JSON.parse(await baton.must('status', '--json')).daemon.pid), 'SIGKILL')
    const parked = await openAsk(baton, 'Which queue?')
    // The next daemon answers before it has looked at the sessions.
    const health = await until(
      async () => {
        const looked = await baton.run(['health'])
        return looked.stdout.includes('parked question') ? looked : undefined
      },
      { what: 'the parked question in `baton health`', timeout: 120_000 },
    )
    expect(health.code).toBe(1)
    const known = await until(run, { what: 'the run in `baton ps`', timeout: 120_000 })
    expect(known).toMatchObject({ name: 'issue-to-impl', issue: 42, end: 'question-parked' })
    await asPerson(baton, 'answer', parked.id, '2')
    await terminal.waitForScreen(/all is asked/, { timeout: 120_000 })
    expect(lastRequestOf(model, home)).toContain('"Which queue?"="SQLite"')
    await baton.waitFor('workflow', ({ end }) => end === 'capped')
    const story = (await baton.entries({ kind: 'workflow' })).flatMap(({ body }) =>
      body.kind === 'workflow' ? [body.end ?? body.what] : [],
    )
    expect(story).toEqual(['started', 'question-parked', 'resumed', 'continued', 'capped'])
    // The daemon looks at screens from time to time, so `health` may show the dialog for a moment after it closed.
    await until(async () => !(await baton.run(['health'])).stdout.includes('question'), {
      what: '`baton health` without a question',
      timeout: 120_000,
      evidence: async () => (await baton.run(['health'])).stdout,
    })
    model.assertClean()
  })
})
