import { execFile, spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { claudeCode } from '../../../src/adapters/agents/claude-code/adapter.ts'
import { type ClaudeHome, claudeHome } from '../../world/agents/claude.ts'
import { runClaude } from '../../world/agents/claude-headless.ts'
import { installAgent } from '../../world/agents/install.ts'
import { type Model, startModel, textOf } from '../../world/model.ts'
import { scratch } from '../../world/scratch.ts'
import { call, say } from '../../world/turn.ts'

const repository = join(import.meta.dirname, '../../../../..')
const plugin = join(repository, 'plugin')
const hook = join(plugin, 'bin', 'baton-hook')
const WHOLE_TURN = ['SessionStart', 'UserPromptSubmit', 'PreToolUse', 'PostToolUse', 'Stop', 'SessionEnd']

test("the plugin's hooks are what the hook table says", () => {
  const check = spawnSync(process.execPath, [join(repository, 'scripts/generate-plugin.ts'), '--check'])
  expect(check.stderr.toString()).toBe('')
  expect(check.status).toBe(0)
})

describe('the hook of the plugin', () => {
  const run = (args: string[], input: string | Buffer, env: Record<string, string>) =>
    spawnSync(hook, args, { input, env: { PATH: process.env.PATH ?? '', ...env } })

  test.each(claudeCode.hooks.map(({ event }) => event))(
    '%s without a launcher gets the safe answer',
    async event => {
      await using folder = scratch('bp-')
      for (const [native, mode] of Object.entries(claudeCode.modes)) {
        const input = JSON.stringify({ hook_event_name: event, permission_mode: native })
        const answered = run(['claude-code', event, '--source', 'plugin'], input, { HOME: folder.path })
        expect(answered.status).toBe(0)
        const answer = JSON.parse(answered.stdout.toString())
        const decision = claudeCode.safe(event, mode).permission?.decision
        expect(answer.hookSpecificOutput?.permissionDecision).toBe(decision)
        if (event !== 'PreToolUse' && event !== 'SessionStart') expect(answer).toEqual({})
        if (event === 'SessionStart') expect(answer.systemMessage).toContain('npx batonpass init')
      }
    },
  )

  test.each([
    ['nothing', ''],
    ['binary bytes', Buffer.from([0, 255, 254, 10, 0])],
    ['megabytes', 'x'.repeat(10_000_000)],
  ])('%s on stdin does not break it', async (_, input) => {
    await using folder = scratch('bp-')
    const answered = run(['claude-code', 'PreToolUse'], input, { HOME: folder.path })
    expect(answered.status).toBe(0)
    expect(JSON.parse(answered.stdout.toString())).toHaveProperty(
      'hookSpecificOutput.permissionDecision',
      'ask',
    )
  })

  test.each([
    ['BATON_HOME', '', { BATON_HOME: 'X', AGENTIZE_HOME: '/nowhere' }],
    ['AGENTIZE_HOME', '', { AGENTIZE_HOME: 'X' }],
    ['XDG_STATE_HOME', 'baton', { XDG_STATE_HOME: 'X' }],
    ['HOME', '.local/state/baton', { HOME: 'X' }],
  ])('the launcher is found by %s and gets the whole call', async (_, below, places) => {
    await using folder = scratch("b p'-")
    const bin = join(folder.path, below, 'bin')
    mkdirSync(bin, { recursive: true })
    writeFileSync(join(bin, 'baton-hook'), '#!/bin/sh\nprintf "%s|" "$@"\ncat\n')
    chmodSync(join(bin, 'baton-hook'), 0o755)
    const env = Object.fromEntries(
      Object.entries(places).map(([name, value]) => [name, value === 'X' ? folder.path : value]),
    )
    const answered = run(['claude-code', 'Stop', '--source', 'plugin'], '{"a":1}', {
      HOME: '/nowhere',
      ...env,
    })
    expect(answered.stdout.toString()).toBe('claude-code|Stop|--source|plugin|{"a":1}')
  })
})

describe('the real Claude Code', () => {
  const claude = async (home: ClaudeHome, model: Model, args: string[]) =>
    promisify(execFile)(await installAgent('claude-code'), args, { env: home.env(model), cwd: home.project })

  const turn = (home: ClaudeHome, model: Model) =>
    model.script({ key: home.key }, [call('Bash', { command: 'echo hi' }), say('Done.')])

  test('finds nothing wrong with the plugin and its marketplace', async () => {
    await using model = await startModel()
    await using home = claudeHome()
    for (const path of [plugin, join(plugin, '.claude-plugin/plugin.json')]) {
      await claude(home, model, ['plugin', 'validate', path, '--strict', '--json'])
    }
  })

  test('runs the hooks of the plugin folder', async () => {
    await using model = await startModel()
    await using home = claudeHome()
    const launcher = recordingLauncher(join(home.path, '.local/state/baton'))
    turn(home, model)
    const args = ['--allowedTools', 'Bash']
    const run = await runClaude({ home, model, prompt: 'go', args, pluginDir: plugin })
    expect(run).toMatchObject({ exitCode: 0, result: 'Done.' })
    expect(launcher.calls()).toEqual(WHOLE_TURN.map(event => `claude-code ${event} --source plugin`))
  })

  test('runs the hooks of the plugin installed from the folder as a marketplace', async () => {
    await using model = await startModel()
    await using home = claudeHome()
    const launcher = recordingLauncher(join(home.path, '.local/state/baton'))
    await claude(home, model, ['plugin', 'marketplace', 'add', plugin])
    await claude(home, model, ['plugin', 'install', 'baton@batonpass'])
    turn(home, model)
    await runClaude({ home, model, prompt: 'go', args: ['--allowedTools', 'Bash'] })
    expect(launcher.calls()).toEqual(WHOLE_TURN.map(event => `claude-code ${event} --source plugin`))
  })

  test('runs nothing unseen while the plugin is on and Baton is not set up', async () => {
    await using model = await startModel()
    await using home = claudeHome()
    turn(home, model)
    const args = ['--permission-mode', 'bypassPermissions']
    await runClaude({ home, model, prompt: 'go', args, pluginDir: plugin })
    expect(model.mainRequests()[1]?.toolResults).toMatchObject([
      { isError: true, text: expect.stringContaining('npx batonpass init') },
    ])
  })

  test.each(['user', 'project', 'local'] as const)('runs the hooks that %s settings got', async scope => {
    await using model = await startModel()
    await using home = claudeHome()
    const launcher = recordingLauncher(join(home.path, "my state's"))
    const target = { scope, project: home.project, home: home.path, launcher: launcher.path, waitSeconds: 60 }
    const [change] = claudeCode.install(target, () => undefined)
    mkdirSync(join(change?.path ?? '', '..'), { recursive: true })
    writeFileSync(change?.path ?? '', change?.after ?? '')
    turn(home, model)
    await runClaude({ home, model, prompt: 'go', args: ['--allowedTools', 'Bash'] })
    expect(launcher.calls()).toEqual(WHOLE_TURN.map(event => `claude-code ${event} --source ${scope}`))
  })

  test('runs the launcher for subagents, failures and the end of a session', async () => {
    await using model = await startModel()
    await using home = claudeHome()
    const launcher = recordingLauncher(join(home.path, 'state'))
    const place = { scope: 'local', project: home.project, home: home.path } as const
    const target = { ...place, launcher: launcher.path, waitSeconds: 60 }
    const [change] = claudeCode.install(target, () => undefined)
    mkdirSync(join(change?.path ?? '', '..'), { recursive: true })
    writeFileSync(change?.path ?? '', change?.after ?? '')
    const task = { description: 'Look', prompt: 'look around', subagent_type: 'general-purpose' }
    model.script('look around', [say('Looked.')])
    model.script({ key: home.key }, [
      call('Agent', { ...task, run_in_background: false }),
      call('Bash', { command: 'false' }),
      // An error of the model would end it, perhaps before it has started that hook: world/claude.test.ts has it in a terminal.
      say('Done.'),
    ])
    await runClaude({ home, model, prompt: 'go', args: ['--allowedTools', 'Bash'] })
    const called = [
      ...['SessionStart', 'UserPromptSubmit', 'PreToolUse', 'SubagentStart', 'SubagentStop', 'PostToolUse'],
      ...['PreToolUse', 'PostToolUseFailure', 'Stop', 'SessionEnd'],
    ]
    expect(launcher.calls()).toEqual(called.map(event => `claude-code ${event} --source local`))
  })

  test('shows `baton status` to the model for /baton:status', async () => {
    await using model = await startModel()
    await using home = claudeHome()
    const bin = join(home.path, 'bin')
    mkdirSync(bin)
    writeFileSync(join(bin, 'baton'), '#!/bin/sh\necho "daemon of $1: up"\n')
    chmodSync(join(bin, 'baton'), 0o755)
    model.script({ key: home.key }, [say('Told.')])
    const env = { PATH: `${bin}:${process.env.PATH}` }
    const run = await runClaude({ home, model, prompt: '/baton:status', pluginDir: plugin, env })
    expect(run).toMatchObject({ exitCode: 0, result: 'Told.' })
    const [request] = model.mainRequests()
    expect(request && textOf(request)).toContain('daemon of status: up')
  })
})

/** A launcher that keeps the arguments of its calls, in order, and answers nothing. */
function recordingLauncher(state: string): { path: string; calls: () => string[] } {
  const path = join(state, 'bin', 'baton-hook')
  mkdirSync(join(state, 'bin'), { recursive: true })
  const lines = ['#!/bin/sh', 'echo "$*" >>"${0%/bin/*}/calls"', 'cat >/dev/null', "echo '{}'", '']
  writeFileSync(path, lines.join('\n'))
  chmodSync(path, 0o755)
  return { path, calls: () => readFileSync(join(state, 'calls'), 'utf8').trimEnd().split('\n') }
}
