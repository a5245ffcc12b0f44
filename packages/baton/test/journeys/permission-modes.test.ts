import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { runClaude } from '../world/agents/claude-headless.ts'
import { claudeInTmux } from '../world/agents/claude-tmux.ts'
import type { BatonHere } from '../world/baton.ts'
import { type ClaudeWorldOptions, claudeWorld } from '../world/claude-world.ts'
import { lastRequestOf } from '../world/model.ts'
import { call, say } from '../world/turn.ts'

/** The whole task, on a machine that has other things to do. */
const LONG = { timeout: 240_000 }
const DIALOG = /Do you want to (proceed|create|make)/

/** Claude Code with Baton's default settings and no key for a judge, in a project whose tests leave a trace. */
async function ordinaryProject(options: Pick<ClaudeWorldOptions, 'claudeSettings' | 'settings'> = {}) {
  const here = await claudeWorld(options)
  const { project } = here.home
  const scripts = { test: "node -e \"require('fs').appendFileSync('tested.txt', 'x')\"" }
  writeFileSync(join(project, 'package.json'), JSON.stringify({ name: 'p', scripts }))
  return { here, tested: () => readFileSync(join(project, 'tested.txt'), 'utf8').length }
}

const ordinaryTask = (project: string) => [
  call('Bash', { command: 'git status --short' }),
  call('Bash', { command: 'git checkout -b feature' }),
  call('Write', { file_path: join(project, 'made.txt'), content: 'made' }),
  call('Bash', { command: 'npm test' }),
  call('Bash', { command: 'git add made.txt && git commit -m made' }),
  say('the end of it'),
]

const NO_SANDBOX = { settings: 'sandbox:\n  mode: off\n' }

/** Dialogs that waited for a person: each has its hook. Baton itself closes those about its sandbox. */
const dialogs = async (baton: BatonHere): Promise<number> =>
  (await baton.events()).filter(event => event.type === 'PermissionAsked' && !event.sandbox).length

const decisionsOf = async (baton: BatonHere) =>
  (await baton.entries({ kind: 'decision' })).flatMap(({ body }) => (body.kind === 'decision' ? body : []))

describe('Baton asks no more than the mode of the real Claude Code would', () => {
  test('bypassPermissions: an ordinary task without a dialog; what must be denied is denied, a secret is asked about', {
    timeout: 240_000,
  }, async () => {
    const { here, tested } = await ordinaryProject()
    await using world = here
    const { model, home, baton } = world
    writeFileSync(join(home.project, '.env'), 'KEY=a-secret-value\n')
    model.script({ key: home.key }, [
      ...ordinaryTask(home.project),
      call('Bash', { command: 'git push --force origin main' }),
      say('the second end'),
      call('Bash', { command: 'cat .env' }),
      say('the third end'),
    ])
    await using terminal = await claudeInTmux({ home, model, permissionMode: 'bypassPermissions' })
    await terminal.submit('do the task')
    await terminal.waitForScreen(/the end of it/, LONG)
    expect(tested()).toBe(1)
    expect(await dialogs(baton)).toBe(0)

    await terminal.submit('push it')
    await terminal.waitForScreen(/the second end/)
    expect(lastRequestOf(model, home)).toContain('a forced push to main')
    expect(await dialogs(baton)).toBe(0)

    await terminal.submit('show me')
    await terminal.answerDialog(DIALOG, '1')
    await terminal.waitForScreen(/the third end/)
    expect(await dialogs(baton)).toBe(1)
    model.assertClean()
  })

  test('auto and dontAsk: an ordinary task without a dialog, in the sandbox once a harmless command ran there', {
    timeout: 360_000,
  }, async () => {
    const { here, tested } = await ordinaryProject({
      claudeSettings: { permissions: { deny: ['Bash(git tag:*)'] } },
    })
    await using world = here
    const { model, home, baton } = world
    model.script({ key: home.key }, [
      call('Bash', { command: 'npm test' }),
      ...ordinaryTask(home.project),
      call('Bash', { command: 'git tag mine' }),
      say('the second end'),
      call('Bash', { command: 'npm test && git tag -l && echo from dontAsk' }),
      call('Bash', { command: 'npm test && echo from dontAsk' }),
      say('the third end'),
    ])
    {
      await using terminal = await claudeInTmux({ home, model, permissionMode: 'auto' })
      await terminal.submit('do the task')
      await terminal.waitForScreen(/the end of it/, LONG)
      expect(tested()).toBe(1)
      expect(await dialogs(baton)).toBe(0)
      const commands = (await decisionsOf(baton)).filter(({ tool }) => tool === 'Bash')
      // Claude Code's own classifier cannot run here: whatever it was asked about would be refused.
      expect(commands.map(({ decision, by }) => `${decision} by ${by}`)).toEqual([
        'deny by sandbox',
        ...Array.from({ length: 4 }, () => 'allow by sandbox'),
      ])
      // The person's own deny rule is about the command itself.
      await terminal.submit('tag it')
      await terminal.waitForScreen(/the second end/, LONG)
      expect(lastRequestOf(model, home)).toMatch(/git tag mine.*has been denied/s)
    }
    const args = ['--permission-mode', 'dontAsk']
    await runClaude({ home, model, prompt: 'and now', args, timeout: 120_000 })
    expect(lastRequestOf(model, home)).toContain('from dontAsk')
    expect(tested()).toBe(2)
    expect((await decisionsOf(baton)).at(-1)).toMatchObject({ decision: 'allow', by: 'sandbox' })
    expect(await dialogs(baton)).toBe(0)
  })

  test('default: an ordinary task without a question, because the commands run in the sandbox', {
    timeout: 240_000,
  }, async () => {
    const { here, tested } = await ordinaryProject()
    await using world = here
    const { model, home, baton } = world
    model.script({ key: home.key }, ordinaryTask(home.project))
    await using terminal = await claudeInTmux({ home, model, permissionMode: 'default' })
    await terminal.submit('do the task')
    await terminal.waitForScreen(/the end of it/, LONG)
    expect(tested()).toBe(1)
    expect(await dialogs(baton)).toBe(0)
    expect(await baton.entries({ kind: 'ask' })).toEqual([])
    const commands = (await decisionsOf(baton)).filter(({ tool }) => tool === 'Bash')
    expect(commands.map(({ decision, by }) => `${decision} by ${by}`)).toEqual(
      Array.from({ length: 4 }, () => 'allow by sandbox'),
    )
  })

  test('default and acceptEdits without a sandbox: one dialog, about the tests, which names the cause', {
    timeout: 360_000,
  }, async () => {
    for (const permissionMode of ['default', 'acceptEdits']) {
      const { here, tested } = await ordinaryProject(NO_SANDBOX)
      await using world = here
      const { model, home, baton } = world
      model.script({ key: home.key }, ordinaryTask(home.project))
      await using terminal = await claudeInTmux({ home, model, permissionMode })
      await terminal.submit('do the task')
      const screen = await terminal.waitForScreen(DIALOG)
      expect(screen.replaceAll(/\s+/g, ' ')).toContain("`npm test` runs the project's own code")
      await terminal.answerDialog(DIALOG, '1')
      await terminal.waitForScreen(/the end of it/, LONG)
      expect(tested()).toBe(1)
      expect(await dialogs(baton)).toBe(1)
    }
  })

  test('acceptEdits: an edit outside the worktree is left to Claude Code, which asks by itself', {
    timeout: 180_000,
  }, async () => {
    const { here } = await ordinaryProject()
    await using world = here
    const { model, home, baton } = world
    model.script({ key: home.key }, [
      call('Write', { file_path: join(home.path, 'elsewhere.txt'), content: 'x' }),
      say('the end of it'),
    ])
    await using terminal = await claudeInTmux({ home, model, permissionMode: 'acceptEdits' })
    await terminal.submit('write it')
    await terminal.answerDialog(DIALOG, '1')
    await terminal.waitForScreen(/the end of it/, LONG)
    expect((await decisionsOf(baton))[0]).toMatchObject({ decision: 'defer', by: 'nobody' })
    expect(await dialogs(baton)).toBe(1)
  })

  test('-p without a sandbox: in bypassPermissions the tests run; in default a denial that the model reads, and the run goes well', {
    timeout: 240_000,
  }, async () => {
    const { here, tested } = await ordinaryProject(NO_SANDBOX)
    await using world = here
    const { model, home, baton } = world
    const script = [call('Bash', { command: 'npm test' }), say('done without them')]
    model.script({ key: home.key }, [...script, ...script])
    const free = await runClaude({
      home,
      model,
      prompt: 'run the tests',
      args: ['--permission-mode', 'bypassPermissions'],
    })
    expect([free.exitCode, free.isError, free.result]).toEqual([0, false, 'done without them'])
    expect(tested()).toBe(1)

    const plain = await runClaude({
      home,
      model,
      prompt: 'run the tests',
      args: ['--permission-mode', 'default'],
    })
    expect([plain.exitCode, plain.isError, plain.result]).toEqual([0, false, 'done without them'])
    expect(tested()).toBe(1)
    const told = lastRequestOf(model, home)
    expect(told).toContain("Baton: `npm test` runs the project's own code")
    expect(told).toContain('continue without it')
    expect(told).not.toMatch(/no channel could reach|no valid answer/i)
    expect((await decisionsOf(baton)).map(({ decision }) => decision)).toEqual(['defer', 'deny'])
    expect(await dialogs(baton)).toBe(0)
  })
})
