import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { toolCall } from '../hook/world.ts'
import { type BatonHere, batonIn } from '../world/baton.ts'
import { gitRepo, type Repository, type Scratch, scratch } from '../world/scratch.ts'
import { until } from '../world/wait.ts'

const CLI = join(import.meta.dirname, '../../dist/cli.js')

interface Check {
  name: string
  state: 'ok' | 'warn' | 'fail'
  message: string
  fix?: string
}

describe('a person who uses Baton', () => {
  let dir: Scratch
  let project: Repository
  let here: BatonHere
  let env: Record<string, string>
  let launcher: string

  beforeAll(async () => {
    dir = scratch('bj-')
    project = await gitRepo()
    here = batonIn(join(dir.path, 'home'), project.path)
    dir.write('bin/claude', '#!/bin/sh\necho "9.9.9 (Claude Code)"\n', 0o755)
    dir.write('bin/cursor-agent', '#!/bin/sh\necho 2030.1.1\n', 0o755)
    env = { PATH: `${join(dir.path, 'bin')}:${process.env.PATH}`, GITHUB_TOKEN: 'ghp_notarealtokenbutsecret' }
    launcher = join(here.stateDir, 'bin/baton-hook')
  })
  afterAll(async () => {
    await here[Symbol.asyncDispose]()
    project.remove()
    dir.remove()
  })

  const run = (...words: string[]) => here.run(words, { env })
  const json = async (...words: string[]) => JSON.parse((await run(...words, '--json')).stdout)
  const doctor = async () => {
    const { ok, checks } = (await json('doctor')) as { ok: boolean; checks: Check[] }
    for (const check of checks) if (check.state !== 'ok') expect(check.fix, check.message).toBeTruthy()
    return { ok, checks, wrong: checks.filter(({ state }) => state === 'fail').map(({ name }) => name) }
  }

  test('is told that no daemon runs, with the exit code for it', async () => {
    expect(await run('status')).toMatchObject({ code: 3, stdout: expect.stringContaining('baton up') })
    expect(await json('status')).toEqual({ daemon: null, sessions: [] })
    for (const command of [['logs'], ['forget', 'x']])
      expect(await run(...command)).toEqual({
        code: 3,
        stdout: '',
        stderr: 'baton: No Baton daemon is running\nStart it: baton up\n',
      })
    expect(await run('down')).toMatchObject({ code: 0, stdout: 'No daemon is running.\n' })
  })

  test('sees what `baton init` would do, and nothing is written', async () => {
    const { code, stdout } = await run('init', '--dry-run')
    expect(code).toBe(0)
    expect(stdout).toContain('+++ ')
    expect(stdout).toContain('.claude/settings.json')
    expect(stdout).toContain('.cursor/hooks.json')
    expect(stdout).toContain('Nothing was written (--dry-run).')
    for (const path of ['.claude', '.cursor', '.local'].map(name => join(here.home, name)))
      expect(existsSync(path), path).toBe(false)
  })

  test('installs the hooks once, and again without a change', async () => {
    const first = await json('init')
    expect(first).toMatchObject({ agents: ['claude-code', 'cursor'], dryRun: false, launcher })
    expect(first.tried.at(-1)).toEqual({ transport: first.transport, ms: expect.any(Number) })
    expect(first.changed).toHaveLength(2)
    const bytes = first.changed.map((path: string) => readFileSync(path, 'utf8'))
    expect(statSync(launcher).mode & 0o777).toBe(0o755)
    const again = await run('init')
    expect(again.stdout).toContain('were already installed')
    expect(first.changed.map((path: string) => readFileSync(path, 'utf8'))).toEqual(bytes)
    for (const transport of ['perl', 'curl', 'node', first.transport])
      expect(await json('init', '--transport', transport)).toMatchObject({
        transport,
        tried: [{ transport, ms: expect.any(Number) }],
        changed: [],
      })
    expect((await run('init', '--dry-run')).stdout).toBe('Nothing would change.\n')
  })

  test('is told by the doctor that all is well', async () => {
    const { ok, checks, wrong } = await doctor()
    expect({ ok, wrong }).toEqual({ ok: true, wrong: [] })
    const about = (name: string) => checks.filter(check => check.name === name).map(({ message }) => message)
    expect(about('Claude Code')[0]).toBe('9.9.9 (Claude Code); hooks in user settings')
    expect(about('Cursor')).toEqual(
      expect.arrayContaining([
        '2030.1.1; hooks in user settings',
        'A call that needs a person is refused, because Cursor cannot ask from a hook.',
        'not offered: hosted over ACP. It does not speak the protocol.',
        'resume, with a limit: By its documented command line; not run here.',
      ]),
    )
    expect(about('hook client')[0]).toMatch(
      /^(compiled C program|Perl script|shell script with curl|Node script), answers in /,
    )
    expect(JSON.stringify(checks)).not.toContain(env.GITHUB_TOKEN)
    expect((await run('doctor')).code).toBe(0)
  })

  test('is told by the doctor how to fix each thing that is wrong', async () => {
    const settings = join(here.home, '.claude/settings.json')
    const kept = readFileSync(settings, 'utf8')
    writeFileSync(settings, '{ "hooks": ')
    here.configure('handsoff:\n  max_continuations: many\ntelegram:\n  enabled: true\n')
    chmodSync(join(here.stateDir, 'token'), 0o644)
    // The launcher may be a compiled program: its bytes are not text.
    const program = readFileSync(launcher)
    writeFileSync(launcher, '#!/bin/sh\necho no\n')
    const { ok, wrong } = await doctor()
    expect(ok).toBe(false)
    expect(wrong.sort()).toEqual(['Claude Code', 'Telegram', 'configuration', 'hook client', 'privacy'])
    const { code, stdout } = await run('doctor')
    expect(code).toBe(1)
    expect(stdout.match(/^FAIL/gm)).toHaveLength(5)
    expect(stdout).toContain('telegram.token and telegram.chat_id')
    expect(stdout.match(/fix: /g)?.length).toBeGreaterThanOrEqual(4)
    rmSync(launcher)
    expect((await doctor()).wrong).toContain('hook client')

    writeFileSync(settings, kept)
    here.configure('')
    chmodSync(join(here.stateDir, 'token'), 0o600)
    writeFileSync(launcher, program, { mode: 0o755 })
    chmodSync(launcher, 0o755)
    expect((await doctor()).wrong).toEqual([])
  })

  test('sees sessions and the journal, filtered as asked', async () => {
    for (const id of ['one', 'two'])
      expect(
        (
          await here.run(['hook', 'claude'], {
            env,
            input: toolCall(`use-${id}`, { session_id: `${id}-1234` }),
          })
        ).code,
      ).toBe(0)
    const { sessions, daemon } = await json('status', '--all')
    expect(daemon.name).toBe('baton')
    expect(sessions.map(({ nativeSession }: { nativeSession: string }) => nativeSession).sort()).toEqual([
      'one-1234',
      'two-1234',
    ])
    expect((await run('status')).stdout).toContain('one-1234  claude-code  live')

    const lines = async (...words: string[]) =>
      (await run('logs', '--json', ...words)).stdout
        .split('\n')
        .filter(Boolean)
        .map(line => JSON.parse(line))
    expect((await lines('--session', 'one')).every(entry => entry.nativeSession === 'one-1234')).toBe(true)
    expect((await lines('--session', 'one', '--kind', 'event')).map(entry => entry.toolUseId)).toEqual([
      'use-one',
    ])
    expect(await lines('--since', '1h', '--kind', 'event')).toHaveLength(2)
    expect(await lines('--since', '2099-01-01')).toEqual([])
    expect(await lines('--lines', '1')).toHaveLength(1)
    expect((await run('logs', '--kind', 'event')).stdout).toContain('wants to use Bash ls')
    expect(await run('logs', '--since', 'yesterday')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Not a valid time: yesterday'),
    })
    expect(await run('logs', '--lines', 'many')).toMatchObject({ code: 2 })
    expect(await run('logs', '--session', 'nobody')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('No session nobody'),
    })
  })

  test('follows the journal until Ctrl-C, from its very next entry', async () => {
    const words = ['logs', '--follow', '--json', '--session', 'two', '--kind', 'event', '--lines', '1']
    const following = spawn(process.execPath, [CLI, ...words], {
      cwd: project.path,
      env: { ...env, HOME: here.home },
    })
    let out = ''
    following.stdout.on('data', chunk => {
      out += chunk
    })
    await until(() => out.includes('use-two'), { what: 'what happened before' })
    for (const id of ['one', 'two'])
      await here.run(['hook', 'claude'], { env, input: toolCall(`more-${id}`, { session_id: `${id}-1234` }) })
    await until(() => out.includes('more-two'), { what: 'what happens now' })
    following.kill('SIGINT')
    expect(await once(following, 'exit')).toEqual([0, null])
    const seen = out
      .split('\n')
      .filter(Boolean)
      .map(line => JSON.parse(line).toolUseId)
    expect(seen).toEqual(['use-two', 'more-two'])
  })

  test('lets a session be forgotten', async () => {
    expect(await json('forget', 'one')).toMatchObject({ session: 'one-1234' })
    expect(await run('logs', '--session', 'one')).toMatchObject({ code: 1 })
    expect((await run('logs', '--kind', 'event')).stdout).not.toContain('one-1234')
    expect(await run('forget', 'one')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('baton status --all'),
    })
  })

  test('sees and trusts configuration', async () => {
    project.write('.baton.yaml', 'permissions:\n  allow: [make]\n')
    expect((await run('config')).stderr).toContain('baton trust')
    expect((await run('trust')).stdout).toContain('Trusted')
    expect((await run('config')).stderr).toBe('')
    expect(await json('trust', '--list')).toMatchObject([{ state: 'trusted' }])
    expect((await run('config', 'permissions.allow')).stdout).toContain('make')
    expect(JSON.parse((await run('config', '--schema')).stdout).properties).toHaveProperty('permissions')
    expect(typeof (await json('config'))).toBe('object')
    rmSync(join(project.path, '.baton.yaml'))
  })

  test('gets colours on a terminal, and nowhere else', async () => {
    const onTerminal = (more: Record<string, string> = {}) =>
      execFileSync('script', ['-qec', `'${process.execPath}' '${CLI}' status`, '/dev/null'], {
        cwd: project.path,
        env: { ...env, HOME: here.home, TERM: 'xterm', ...more },
        encoding: 'utf8',
      })
    expect(onTerminal()).toContain('\x1b[32mlive\x1b[0m')
    expect(onTerminal({ NO_COLOR: '1' })).not.toContain('\x1b[')
    expect((await run('status')).stdout).not.toContain('\x1b[')
    expect((await run('logs')).stdout).not.toContain('\x1b[')
  })

  test('starts, restarts and stops the daemon', async () => {
    const up = await json('up')
    expect(await run('up')).toMatchObject({ code: 0, stdout: expect.stringContaining('is already running') })
    const restarted = await json('up', '--restart')
    expect(restarted.pid).not.toBe(up.pid)
    expect(await run('down')).toMatchObject({
      code: 0,
      stdout: `The daemon (pid ${restarted.pid}) has stopped.\n`,
    })
    const foreground = spawn(process.execPath, [CLI, 'up', '--foreground'], {
      env: { ...env, HOME: here.home },
      cwd: project.path,
    })
    let said = ''
    foreground.stdout.on('data', chunk => {
      said += chunk
    })
    await until(() => said.includes('baton daemon'), { what: 'the daemon to say where it is' })
    expect((await run('status')).code).toBe(0)
    foreground.kill('SIGINT')
    expect(await once(foreground, 'exit')).toEqual([0, null])
  })

  test('takes everything out again, to the byte', async () => {
    mkdirSync(join(project.path, '.claude'))
    const own =
      '{\n  // mine\n  "model": "opus",\n  "hooks": {\n    "Stop": [ { "hooks": [{ "type": "command", "command": "say done" }] } ],\n  },\n}\n'
    const settings = project.write('.claude/settings.local.json', own)
    expect((await run('init', '--scope', 'local')).code).toBe(0)
    expect(readFileSync(settings, 'utf8')).toContain('baton-hook')
    expect((await doctor()).wrong).toEqual([])
    expect(await run('init', '--scope', 'local', '--agent', 'cursor')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Cursor has no private settings'),
    })
    const shown = await run('uninstall', '--dry-run')
    expect(shown.stdout).toContain('claude-code PostToolUse --source local')
    expect(readFileSync(settings, 'utf8')).toContain('baton-hook')
    expect((await run('uninstall', '--yes')).code).toBe(0)
    expect(readFileSync(settings, 'utf8')).toBe(own)
    expect(existsSync(join(here.home, '.claude/settings.json'))).toBe(false)
    expect(existsSync(join(here.home, '.cursor/hooks.json'))).toBe(false)
    expect(await run('uninstall')).toMatchObject({
      code: 0,
      stdout: 'These settings contain no Baton hooks.\n',
    })
  })
})
