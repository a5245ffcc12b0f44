import { execFile } from 'node:child_process'
import { existsSync, readFileSync, utimesSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { claudeHome } from '../world/agents/claude.ts'
import { runClaude } from '../world/agents/claude-headless.ts'
import { claudeInTmux } from '../world/agents/claude-tmux.ts'
import { installAgent } from '../world/agents/install.ts'
import { batonIn } from '../world/baton.ts'
import { lastRequestOf, startModel } from '../world/model.ts'
import { npmSettings, packBaton } from '../world/packed.ts'
import { call, say } from '../world/turn.ts'

const run = promisify(execFile)
const LONG = { timeout: 240_000 }

test('a new user’s hour: npm install -g, tour, init, an ordinary task in two modes without a question, npm rm -g', {
  timeout: 600_000,
}, async () => {
  await using model = await startModel()
  await using home = claudeHome()
  const repository = await home.git()
  const prefix = join(home.path, 'npm')
  const npm = { PATH: process.env.PATH, HOME: home.path, ...(await npmSettings()), npm_config_prefix: prefix }
  const { file } = await packBaton(join(home.path, 'packed'))
  await run('npm', ['install', '-g', '--no-audit', '--no-fund', file], { env: npm, timeout: 340_000 })
  const cli = join(prefix, 'bin/baton')
  await using baton = batonIn(home.path, home.project, cli)
  // What a person has: the agent and Baton are found by their names.
  const claude = dirname(await installAgent('claude-code'))
  const env = { PATH: `${join(prefix, 'bin')}:${claude}:${process.env.PATH}` }

  const tour = await baton.run(['tour', '--yes', '--pace', '20'], { env })
  expect(tour).toMatchObject({ code: 0, stdout: expect.stringContaining('\n  baton init --dry-run') })
  expect(await baton.run(['init', '--yes'], { env })).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(
      "Started Claude Code once without a model: its commands run in Baton's sandbox",
    ),
  })

  const scripts = { test: 'node --test', lint: 'node --check add.js' }
  await repository.commit({
    'package.json': JSON.stringify({ name: 'sums', scripts }),
    'add.test.js': "require('node:assert').equal(require('./add.js')(1, 2), 3)\n",
    '.gitignore': 'node_modules/\n',
  })
  const task = (name: string) => [
    call('Bash', { command: `git checkout -b ${name}` }),
    call('Write', {
      file_path: join(home.project, 'add.js'),
      content: `module.exports = (a, b) => a - b // ${name}\n`,
    }),
    call('Bash', { command: 'npm test' }),
    call('Bash', { command: 'npm run lint' }),
    call('Edit', { file_path: join(home.project, 'add.js'), old_string: 'a - b', new_string: 'a + b' }),
    call('Bash', { command: 'npm test' }),
    call('Bash', { command: `git add -A && git commit -m "${name}: add"` }),
    say(`the end of ${name}`),
  ]
  for (const mode of ['auto', 'default']) {
    model.script({ key: home.key }, task(mode))
    await using terminal = await claudeInTmux({ home, model, permissionMode: mode })
    await terminal.submit('please add a function that adds')
    await terminal.waitForScreen(new RegExp(`the end of ${mode}`), LONG)
    expect(await repository.git('log', '-1', '--format=%s')).toContain(`${mode}: add`)
  }
  expect(readFileSync(join(home.project, 'add.js'), 'utf8')).toContain('a + b')
  expect(await baton.asks({ all: true })).toEqual([])
  expect((await baton.events()).filter(event => event.type === 'PermissionAsked' && !event.sandbox)).toEqual(
    [],
  )
  const decisions = (await baton.entries({ kind: 'decision' })).map(({ body }) => body)
  expect(decisions.filter(body => body.kind === 'decision' && body.decision !== 'allow')).toEqual([])

  // Removed without `baton uninstall`.
  await run('npm', ['rm', '-g', 'batonpass'], { env: npm })
  expect(existsSync(cli)).toBe(false)
  await end(baton.stateDir)
  const runCommand = async () => {
    model.script({ key: home.key }, [call('Bash', { command: 'date +ran-%Y' }), say('done')])
    expect((await runClaude({ home, model, prompt: 'what year is it' })).isError).toBe(false)
    return lastRequestOf(model, home)
  }
  // It may be an update: for two minutes the launcher stays careful.
  expect(await runCommand()).not.toMatch(/ran-20\d\d/)
  const old = Date.now() / 1000 - 300
  utimesSync(join(baton.stateDir, 'package-removed'), old, old)
  expect(await runCommand()).toMatch(/ran-20\d\d/)
  expect(existsSync(join(baton.stateDir, 'package-removed.told'))).toBe(true)
})

/** As a restart of the machine does. */
async function end(stateDir: string): Promise<void> {
  const { pid } = JSON.parse(readFileSync(join(stateDir, 'endpoint.json'), 'utf8'))
  process.kill(pid, 'SIGKILL')
}
