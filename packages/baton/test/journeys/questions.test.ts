import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { AskList } from '@batonpass/contract/ask'
import { describe, expect, test } from 'vitest'
import { claudeInTmux } from '../world/agents/claude-tmux.ts'
import type { BatonHere } from '../world/baton.ts'
import { claudeWorld } from '../world/claude-world.ts'
import { lastRequestOf } from '../world/model.ts'
import { asPerson } from '../world/person.ts'
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
  until(
    async () =>
      AskList.parse(JSON.parse(await baton.must('asks', '--json'))).asks.find(({ detail }) =>
        detail.includes(words),
      ),
    { what: `an open ask with ${words}`, timeout: 120_000 },
  )

const outcomesOf = async (baton: BatonHere) =>
  AskList.parse(JSON.parse(await baton.must('asks', '--all', '--json')))
    .asks.toReversed()
    .map(({ state, answer, withdrawn }) => answer?.option ?? withdrawn ?? state)

describe('what the real Claude Code asks', () => {
  test('is answered at a terminal although the daemon was killed, on its own screen, and a form elsewhere', {
    timeout: 360_000,
  }, async () => {
    await using telegram = await startTelegram()
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
    const form = await openAsk(baton, 'Please sign up')
    expect(lastRequestOf(model, home)).toContain('"Which database?"="SQLite"')
    expect(lastRequestOf(model, home)).toContain('"Which others?"="Postgres (Recommended), SQLite"')
    expect(lastRequestOf(model, home)).toContain('"Which cache?"="SQLite"')
    await asPerson(baton, 'answer', form.id, 'Ada', '36', 'yes', 'pro')
    await terminal.waitForScreen(/all is asked/, { timeout: 120_000 })
    expect(lastRequestOf(model, home)).toMatch(/got .*name\W+Ada\W+age\W+36\W+news\W+true\W+plan\W+pro/)
    expect(await outcomesOf(baton)).toEqual(['reply', 'settled-elsewhere', 'reply'])
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
})
