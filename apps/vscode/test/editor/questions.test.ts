import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { AskList } from '@batonpass/contract/ask'
import { expect, test } from 'vitest'
import { claudeInTmux } from '../../../../packages/baton/test/world/agents/claude-tmux.ts'
import { lastRequestOf, startModel } from '../../../../packages/baton/test/world/model.ts'
import { asPerson, loginLink } from '../../../../packages/baton/test/world/person.ts'
import { call, hold, say } from '../../../../packages/baton/test/world/turn.ts'
import { until } from '../../../../packages/baton/test/world/wait.ts'
import { editorWorld } from './world.ts'

const FORMS = join(import.meta.dirname, '../../../../packages/baton/test/world/agents/mcp-form.mjs')
const PATIENCE = 120_000

const question = (text: string, multiSelect = false) => ({
  question: text,
  header: 'Choice',
  multiSelect,
  options: [
    { label: 'Postgres (Recommended)', description: 'Shared by several machines' },
    { label: 'SQLite', description: 'One file' },
  ],
})
const asking = (...questions: ReturnType<typeof question>[]) => call('AskUserQuestion', { questions })

test('what the real Claude Code asks is answered in VS Code: a choice, two questions, own words, a form; and its picker closes when another channel answers', {
  timeout: 480_000,
}, async () => {
  await using model = await startModel()
  await using world = await editorWorld()
  const { home, baton, window } = world
  const { page } = window
  await window.run('Baton: Let This Editor Answer')
  await window.enter('Let this editor answer', await loginLink(baton))
  await window.notification('This editor can now answer').waitFor()

  const mcp = join(home.path, 'mcp.json')
  writeFileSync(mcp, JSON.stringify({ mcpServers: { forms: { command: process.execPath, args: [FORMS] } } }))
  model.script({ key: home.key }, [
    asking(question('Which database?')),
    asking(question('Which cache?'), question('Which others?', true)),
    asking(question('Which queue?')),
    asking(question('Which index?')),
    call('mcp__forms__sign_up', { list: 'news' }),
    say('all is asked'),
  ])
  await using terminal = await claudeInTmux({ home, model, args: ['--mcp-config', mcp] })
  await terminal.submit('Choose our storage')
  /** Waits for a notification and presses one of its buttons. */
  const press = async (words: string, button: string) => {
    const toast = window.notification(words)
    await toast.waitFor({ timeout: PATIENCE })
    await toast.getByText(button, { exact: true }).click()
  }
  const heard = (...words: string[]) =>
    until(() => words.every(each => lastRequestOf(model, home).includes(each)), {
      what: `the answers ${words.join(' and ')}`,
      timeout: PATIENCE,
      evidence: () => lastRequestOf(model, home),
    })

  // A choice. The notification names the session, and the page shows what every choice means.
  const first = window.notification('Which database?')
  await first.waitFor({ timeout: PATIENCE })
  expect(await first.textContent()).toContain('“Choose our storage”')
  await window.picture('question-notification')
  await press('Which database?', 'Answer…')
  await until(async () => (await window.editorText()).includes('2. SQLite: One file'), {
    what: 'the page with the whole question',
    evidence: () => window.editorText(),
  })
  await window.picture('question-picker')
  await window.choose('SQLite')
  await heard('"Which database?"="SQLite"')

  // Two questions in one call, the second with several answers, one of them in own words.
  await press('2 questions: Which cache? ⏎ Which others?', 'Answer…')
  await window.choose('Postgres')
  await page.locator('.quick-input-title', { hasText: 'Which others? (2 of 2)' }).waitFor()
  await window.choose('SQLite')
  await window.choose('In your own words…')
  await page.locator('.quick-input-widget').getByText('OK', { exact: true }).click()
  await window.enter('Which others?', 'plain files')
  await heard('"Which cache?"="Postgres (Recommended)"', '"Which others?"="SQLite, plain files"')

  // Own words only.
  await press('Which queue?', 'Answer…')
  await window.choose('In your own words…')
  await window.enter('Which queue?', '2 queues in Redis')
  await heard('"Which queue?"="2 queues in Redis"')

  // Another channel is first: the open picker closes, and says why.
  await press('Which index?', 'Answer…')
  await page.locator('.quick-input-title', { hasText: 'Which index?' }).waitFor()
  const { asks } = AskList.parse(JSON.parse(await baton.must('asks', '--json')))
  await asPerson(baton, 'answer', asks[0]?.id ?? '', '2')
  await window.notification('This question is no longer open').waitFor()
  expect(await page.locator('.quick-input-title', { hasText: 'Which index?' }).isVisible()).toBe(false)
  await heard('"Which index?"="SQLite"')

  // A form: free text, a number, yes or no, a choice. By default, a person allows the tool first.
  await press('mcp__forms__sign_up', 'Allow once')
  await press('forms asks you to fill in a form', 'Answer…')
  await window.enter('(1 of 4)', 'Ada')
  await window.enter('(2 of 4)', '36')
  await window.choose('Yes')
  await window.choose('pro')
  await terminal.waitForScreen(/all is asked/, { timeout: PATIENCE })
  expect(lastRequestOf(model, home)).toMatch(/got .*name\W+Ada\W+age\W+36\W+news\W+true\W+plan\W+pro/)

  const settled = AskList.parse(JSON.parse(await baton.must('asks', '--all', '--json'))).asks.toReversed()
  expect(settled.map(({ answer, state, title }) => answer?.by.channel ?? `${state}: ${title}`)).toEqual([
    'vscode',
    'vscode',
    'vscode',
    'terminal',
    'vscode',
    'vscode',
  ])
  // The session has its name in the view, too.
  await window.run('Baton: Show Open Questions')
  await until(async () => (await window.view('Sessions')).join().includes('Choose our storage'), {
    what: 'the name of the session in the view',
    evidence: async () => (await window.view('Sessions')).join('\n'),
  })
  model.assertClean()
})

test('a plan of the real Claude Code is read in VS Code, sent back with a comment, and approved', {
  timeout: 480_000,
}, async () => {
  await using model = await startModel()
  await using world = await editorWorld()
  const { home, baton, window } = world
  await window.run('Baton: Let This Editor Answer')
  await window.enter('Let this editor answer', await loginLink(baton))
  await window.notification('This editor can now answer').waitFor()
  const held = hold()
  model.script({ key: home.key }, [
    call('ExitPlanMode', {}, { gate: held.gate }),
    call('ExitPlanMode', {}),
    say('the plan is followed'),
  ])
  await using terminal = await claudeInTmux({ home, model, permissionMode: 'plan' })
  await terminal.submit('plan it')
  // Claude Code names the file in which it wants the plan.
  const file = await until(() => /[^"\\\s`]*\/plans\/[^"\\\s`]*\.md/.exec(lastRequestOf(model, home))?.[0], {
    what: 'the name of the plan file',
    timeout: PATIENCE,
  })
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, '# The plan\n\n1. Write the parser\n2. Test it\n')
  held.release()
  const open = async () => AskList.parse(JSON.parse(await baton.must('asks', '--json'))).asks[0]?.id
  const read = async () => {
    const toast = window.notification('Plan in')
    await toast.waitFor({ timeout: PATIENCE })
    await toast.getByText('Read the Plan…', { exact: true }).click()
    await until(async () => (await window.editorText()).includes('Write the parser'), {
      what: 'the page with the plan',
      evidence: () => window.editorText(),
    })
  }

  await read()
  const first = await open()
  await window.choose('Send back with a comment…')
  await window.enter('What should change?', 'add a rollback step')
  await until(async () => ![undefined, first].includes(await open()), {
    what: 'the second ask',
    timeout: PATIENCE,
  })
  expect(lastRequestOf(model, home)).toContain('add a rollback step')
  await read()
  await window.choose('Approve the plan')
  await terminal.waitForScreen(/the plan is followed/, { timeout: PATIENCE })
  expect(lastRequestOf(model, home)).toContain('Exited Plan Mode')
  model.assertClean()
})
