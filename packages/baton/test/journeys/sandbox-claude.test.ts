import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { runClaude } from '../world/agents/claude-headless.ts'
import type { BatonHere } from '../world/baton.ts'
import { claudeWorld } from '../world/claude-world.ts'
import { lastRequestOf } from '../world/model.ts'
import { call, say } from '../world/turn.ts'

const ON = 'sandbox:\n  mode: on\n'

const bodiesOf = async (baton: BatonHere) => (await baton.entries({})).map(({ body }) => body)
const bash = (command: string) => call('Bash', { command })

const SERVER = `require('node:http').createServer((_, r) => r.end('hello from the server')).listen(3456)`
const READS_HOME = `try { console.log(require('node:fs').readFileSync(process.argv[2], 'utf8')) } catch (e) { console.log('got ' + e.code) }`
const MAKES_TASKS = `const fs = require('node:fs'); fs.mkdirSync('.vscode'); fs.writeFileSync('.vscode/tasks.json', '{}')`
const SERVED = 'for i in $(seq 60); do curl -sf http://localhost:3456 && break; sleep 0.5; done'
const COMMIT = `git add -A && git commit -q -m "$(cat <<'EOT'\nadd notes\n\nwith a body\nEOT\n)" && git log -1 --format=subject:%s`

describe('the sandbox, with the real Claude Code', () => {
  test('edit, test, serve, curl and commit run without a question; secrets stay out of reach; what is denied stays denied', {
    timeout: 480_000,
  }, async () => {
    await using here = await claudeWorld({ settings: ON })
    const { model, home, baton } = here
    const { project } = home
    home.writeSettings('project', { permissions: { deny: ['Bash(touch denied*)'] } })
    const secret = join(home.path, 'my-secret.txt')
    writeFileSync(secret, 'the-secret-of-the-home')
    mkdirSync(join(project, 'sub'))
    const files = { 'server.js': SERVER, 'read.js': READS_HOME, 'make.js': MAKES_TASKS }
    for (const [name, text] of Object.entries(files)) writeFileSync(join(project, name), text)
    writeFileSync(join(project, 'sum.test.js'), "require('node:test')('adds', () => {})\n")
    const commands = [
      'node --test 2>&1 | grep "pass 1" && echo tested-inside',
      'node server.js >server.log 2>&1 & echo started',
      SERVED,
      'cd sub && touch here.txt',
      'echo "now in $(basename "$PWD")"; cd ..',
      COMMIT,
      `node read.js ${JSON.stringify(secret)}`,
      'node make.js',
    ]
    model.script({ key: home.key }, [
      call('Write', { file_path: join(project, 'notes.md'), content: 'first line\n' }),
      ...commands.map(bash),
      bash('touch denied.txt'),
      say('all done'),
    ])
    const ran = await runClaude({ home, model, prompt: 'work', timeout: 360_000 })
    expect(ran.isError).toBe(false)

    const told = lastRequestOf(model, home)
    for (const word of [
      'tested-inside',
      'hello from the server',
      'now in sub',
      'subject:add notes',
      'got ENOENT',
    ])
      expect(told).toContain(word)
    expect(told).not.toContain('the-secret-of-the-home')
    expect(told).toContain('.vscode (tasks and settings of an editor)')
    expect(existsSync(join(project, '.vscode'))).toBe(false)
    expect(existsSync(join(project, 'sub/here.txt'))).toBe(true)
    expect(existsSync(join(project, 'denied.txt'))).toBe(false)
    const author = execFileSync('git', ['log', '-1', '--format=%an'], { cwd: project, encoding: 'utf8' })
    expect(author.trim()).not.toBe('')

    // The journal knows the commands, not what ran in their place, and no one was asked.
    const bodies = await bodiesOf(baton)
    const decisions = bodies.flatMap(body => (body.kind === 'decision' && body.tool === 'Bash' ? body : []))
    expect(
      decisions.map(({ decision, by, subject }) => [decision, by, subject]).slice(0, commands.length),
    ).toEqual(commands.map(command => ['allow', 'sandbox', command]))
    expect(bodies.filter(({ kind }) => kind === 'ask' || kind === 'fault')).toEqual([])
    const finished = bodies.flatMap(body =>
      body.kind === 'event' && body.event.type === 'ToolFinished' && body.event.action.kind === 'shell'
        ? body.event.action.command
        : [],
    )
    expect(finished).toEqual(commands)
    expect(JSON.stringify(bodies)).not.toContain('/sandbox/box')
    expect(bodies).toContainEqual(
      expect.objectContaining({ kind: 'sandbox', moved: [expect.objectContaining({ path: '.vscode' })] }),
    )
    // A rule of Claude Code's own settings is applied by Claude Code, to the command itself.
    expect(decisions.at(-1)).toMatchObject({ subject: 'touch denied.txt', by: 'undo' })
    model.assertClean()
  })

  test('bypassPermissions is contained too; the sandbox survives the daemon and ends with the session', {
    timeout: 480_000,
  }, async () => {
    await using here = await claudeWorld({ settings: ON })
    const { model, home, baton } = here
    const secret = join(home.path, 'my-secret.txt')
    writeFileSync(secret, 'the-secret-of-the-home')
    writeFileSync(join(home.project, 'read.js'), READS_HOME)
    writeFileSync(join(home.project, 'server.js'), SERVER)
    model.script({ key: home.key }, [
      bash('node server.js >server.log 2>&1 & echo started'),
      bash(`node read.js ${JSON.stringify(secret)}`),
      call('Bash', { command: 'sleep 1; echo from-behind', run_in_background: true }),
      bash(SERVED),
      // The end of the background command starts another turn, if it comes before the end of this one.
      say('all done', { times: 9 }),
    ])
    const args = ['--permission-mode', 'bypassPermissions']
    const running = runClaude({ home, model, prompt: 'go', args, timeout: 360_000 })
    await baton.waitFor('event', ({ event }) => event.type === 'ToolFinished')
    await baton.must('up', '--restart')
    expect((await running).isError).toBe(false)
    const told = lastRequestOf(model, home)
    expect(told).toContain('got ENOENT')
    expect(told).toContain('hello from the server')
    const sessions = () => readdirSync(join(baton.stateDir, 'sandbox/sessions'))
    await expect.poll(sessions, { timeout: 120_000 }).toEqual([])
    expect(await baton.must('status')).toContain('Sandbox bubblewrap')
  })
})
