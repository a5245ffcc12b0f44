import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type HealthReport, PsList, type PsRow, Spawn } from '@batonpass/contract/watch'
import { describe, expect, it } from 'vitest'
import { type ClaudeHome, claudeHome } from '../world/agents/claude.ts'
import { claudeInTmux } from '../world/agents/claude-tmux.ts'
import { installAgent } from '../world/agents/install.ts'
import { startTerminal } from '../world/agents/tmux.ts'
import { type BatonHere, batonFor } from '../world/baton.ts'
import { type Model, startModel } from '../world/model.ts'
import { say } from '../world/turn.ts'
import { until } from '../world/wait.ts'

const CLI = join(import.meta.dirname, '../../dist/cli.js')

interface Journey extends AsyncDisposable {
  home: ClaudeHome
  model: Model
  baton: BatonHere
  env: Record<string, string>
  socket: string
  rows(): Promise<PsRow[]>
  comes(what: string, fits: (row: PsRow) => boolean): Promise<PsRow>
}

/** A person's home with hooks, a `claude` on the PATH and a tmux server of its own. */
async function journey(): Promise<Journey> {
  const home = claudeHome()
  const model = await startModel()
  const bin = join(home.path, 'bin')
  mkdirSync(bin)
  symlinkSync(await installAgent('claude-code'), join(bin, 'claude'))
  const baton = await batonFor(home)
  const env: Record<string, string> = { ...home.env(model), TMUX_TMPDIR: home.tmp }
  env.PATH = `${bin}:${dirname(process.execPath)}:${env.PATH}`
  const socket = join(home.tmp, `tmux-${process.getuid?.()}`, 'default')
  const rows = async () => PsList.parse(await baton.read('/api/ps')).sessions
  return {
    home,
    model,
    baton,
    env,
    socket,
    rows,
    comes: (what, fits) =>
      until(async () => (await rows()).find(fits), {
        what,
        timeout: 120_000,
        every: 200,
        evidence: async () => JSON.stringify(await rows(), null, 1),
      }),
    async [Symbol.asyncDispose]() {
      await baton[Symbol.asyncDispose]()
      try {
        execFileSync('tmux', ['-S', socket, 'kill-server'], { stdio: 'ignore' })
      } catch {
        // Gone already.
      }
      await model.close()
      home.remove()
    },
  }
}

const begin = async ({ baton, env }: Journey, ...words: string[]): Promise<Spawn> => {
  const ran = await baton.run(['run', '--json', '--arg=--permission-mode', '--arg=default', ...words], {
    env,
  })
  if (ran.code !== 0) throw new Error(`${ran.stdout}${ran.stderr}`)
  return Spawn.parse(JSON.parse(ran.stdout))
}

describe('baton run with the real Claude Code', () => {
  it('starts a session that is watched, attached to, survives the daemon, and dies with a report', {
    timeout: 240_000,
  }, async () => {
    await using j = await journey()
    j.model.script({ key: j.home.key }, () =>
      say('Done, all green.', { usage: { input: 120_000, output: 50 } }),
    )
    const spawn = await begin(j, 'fix', 'the', 'tests')
    expect(spawn).toMatchObject({ kind: 'run', status: 'running', project: j.home.project })
    // Its own hooks tell who it is, and its own figures how full it is.
    const row = await j.comes(
      'its session',
      ({ nativeSession, state, context }) => !!nativeSession && state === 'waiting' && !!context,
    )
    expect(row).toMatchObject({ by: 'run', title: spawn.title, agent: 'claude-code', problems: [] })
    expect(row.context?.used).toBeGreaterThan(100_000)
    expect(j.model.mainRequests()[0]?.lastText).toContain('fix the tests')

    const table = await j.baton.must('ps')
    expect(table).toMatch(new RegExp(`${spawn.title} +.*fix the tests.* +claude +waiting +█`))

    await using person = await startTerminal({
      // The terminal of the test is a tmux itself, which must not show.
      command: ['env', '-u', 'TMUX', '-u', 'TMUX_PANE', process.execPath, CLI, 'attach', spawn.title],
      cwd: j.home.project,
      env: { ...j.env },
    })
    await person.waitForScreen(/Done, all green/)
    await person.kill()

    // The daemon goes and comes back: what it started is remembered.
    await j.baton.must('up', '--restart')
    const again = await j.comes('it, still there', ({ spawn: id }) => id === spawn.id)
    expect(again.nativeSession).toBe(row.nativeSession)

    if (!row.pid) throw new Error('no process')
    process.kill(row.pid, 'SIGKILL')
    const dead = await j.comes(
      'its death',
      ({ spawn: id, problems }) => id === spawn.id && problems.length > 0,
    )
    expect(dead).toMatchObject({ state: 'dead', problems: [{ check: 'process', status: 'critical' }] })
    const health = await j.baton.run(['health', '--json'])
    expect(health.code).toBe(1)
    const report = JSON.parse(health.stdout) as HealthReport
    expect(report.checks[0]).toMatchObject({
      check_type: 'process',
      status: 'critical',
      session: row.session,
      action_taken: 'notified the user',
    })
    expect(await j.baton.must('kill', spawn.title)).toBe(`Ended ${spawn.title}.\n`)
    expect(await j.rows()).toEqual([])
  })

  it('works in a worktree of its own, and is ended with its terminal', { timeout: 240_000 }, async () => {
    await using j = await journey()
    await j.home.git()
    j.home.trust(`${j.home.project}-issue-7`)
    j.model.script({ key: j.home.key }, () => say('On it.'))
    const spawn = await begin(j, '--worktree=issue-7', '--title', 'seven', 'hello')
    const row = await j.comes(
      'its session',
      ({ nativeSession, state }) => !!nativeSession && state === 'waiting',
    )
    expect(row.project).toBe(`${j.home.project}-issue-7`)
    expect(
      execFileSync('git', ['branch', '--show-current'], { cwd: row.project ?? '', encoding: 'utf8' }),
    ).toBe('issue-7\n')
    await j.baton.must('kill', 'seven')
    await until(
      () => {
        try {
          return !process.kill(spawn.pid ?? 0, 0)
        } catch {
          return true
        }
      },
      { what: 'the process to end' },
    )
    expect((await j.baton.run(['kill', 'seven'])).stderr).toContain('No watched session is named seven')
  })
})

describe('baton watch', () => {
  it('adopts a pane that a person opened, never ends it, and lets it go', { timeout: 240_000 }, async () => {
    await using j = await journey()
    j.model.script({ key: j.home.key }, () => say('Hello.'))
    await using claude = await claudeInTmux({ home: j.home, model: j.model, env: { PATH: j.env.PATH ?? '' } })
    const place = `${claude.pane} ${claude.socket}`
    await claude.submit('hi')
    const row = await j.comes(
      'its session by its hooks',
      ({ place: at, nativeSession }) => at === place && !!nativeSession,
    )
    expect(row.by).toBe('hooks')
    expect(await j.baton.must('watch', place)).toContain(row.session)
    expect((await j.comes('it, adopted', ({ by }) => by === 'watch')).nativeSession).toBe(row.nativeSession)
    expect(await j.baton.must('watch', '--list')).toContain(place)
    const refused = await j.baton.run(['kill', row.id])
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('Baton did not start') })
    await j.baton.must('watch', place, '--stop')
    expect(await j.baton.must('watch', '--list')).toContain('No pane was adopted')
    expect(await claude.hasExited()).toBe(false)
  })
})

it('From inside the same tmux, attaching switches the person’s own client', {
  timeout: 240_000,
}, async () => {
  await using j = await journey()
  const program = join(j.home.path, 'bin/claude')
  const tui = join(import.meta.dirname, '../world/agents/scripted-tui.mjs')
  rmSync(program)
  writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${tui}' '${j.home.tmp}/told'\n`, {
    mode: 0o755,
  })
  for (const title of ['first', 'second'])
    expect(await j.baton.run(['run', '--title', title], { env: j.env })).toMatchObject({
      code: 0,
      stderr: '',
    })
  const tmux = (...args: string[]) => execFileSync('tmux', ['-S', j.socket, ...args], { encoding: 'utf8' })
  await using person = await startTerminal({
    command: ['env', '-u', 'TMUX', '-u', 'TMUX_PANE', 'tmux', '-S', j.socket, 'attach', '-t', '=first:'],
    cwd: j.home.project,
    env: j.env,
  })
  await person.waitForScreen(/\[first\]/)
  await j.rows()
  tmux(
    'new-window',
    '-t',
    '=first:',
    '-e',
    `PATH=${j.env.PATH}`,
    '--',
    process.execPath,
    CLI,
    'attach',
    'second',
  )
  await person.waitForScreen(/\[second\]/)
  for (const title of ['first', 'second']) await j.baton.must('kill', title)
})

it('A hosted session is watched and ended by the same commands, and has no terminal', {
  timeout: 120_000,
}, async () => {
  await using j = await journey()
  const agent = join(import.meta.dirname, '../world/agents/acp-agent.ts')
  writeFileSync(
    join(j.home.path, 'bin/claude-agent-acp'),
    `#!/bin/sh\nexec '${process.execPath}' '${agent}' "$@"\n`,
    { mode: 0o755 },
  )
  const ran = await j.baton.run(['run', '--hosted', '--title', 'inside', 'say hello'], { env: j.env })
  expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining('Started inside (claude)') })
  const row = await j.comes(
    'its session',
    ({ nativeSession, state }) => !!nativeSession && state === 'waiting',
  )
  expect(row).toMatchObject({ by: 'run', title: 'inside', place: expect.stringMatching(/^hosted /) })
  expect((await j.baton.run(['attach', 'inside'])).stderr).toContain('A hosted session has no terminal')
  await j.baton.must('kill', 'inside')
  expect(await j.rows()).toEqual([])
})

it('A hosted session of a killed daemon whose agent cannot go back to it begins afresh with a document of what there was', {
  timeout: 180_000,
}, async () => {
  await using j = await journey()
  const agent = join(import.meta.dirname, '../world/agents/acp-agent.ts')
  const log = join(j.home.path, 'acp.log')
  writeFileSync(
    join(j.home.path, 'bin/claude-agent-acp'),
    `#!/bin/sh\nACP_LOG='${log}' exec '${process.execPath}' '${agent}' "$@"\n`,
    { mode: 0o755 },
  )
  await j.home.git()
  await j.baton.run(['run', '--hosted', '--title', 'inside', 'wait'], { env: j.env })
  const { nativeSession: before } = await j.comes(
    'its turn',
    ({ nativeSession, state }) => !!nativeSession && state === 'working',
  )
  const { daemon } = JSON.parse(await j.baton.must('status', '--json'))
  process.kill(daemon.pid, 'SIGKILL')
  await until(() => !existsSync(`/proc/${daemon.pid}`), { what: 'the daemon to be gone' })
  await j.baton.must('up')
  const row = await j.comes(
    'the fresh session',
    ({ nativeSession }) => nativeSession !== undefined && nativeSession !== before,
  )
  expect(row).toMatchObject({ by: 'run', title: 'inside' })
  await j.baton.waitFor('cycle', ({ what }) => what === 'resumed')
  const told = await until(
    () =>
      readFileSync(log, 'utf8')
        .trim()
        .split('\n')
        .map(line => JSON.parse(line))
        .find(({ session, prompt }) => session === row.nativeSession && prompt),
    { what: 'its first prompt' },
  )
  expect(told.prompt).toContain('<handoff-context>')
  expect(told.prompt).toContain('and resume work')
  const cycles = (await j.baton.entries({ kind: 'cycle' })).map(({ body }) => body)
  expect(cycles[0]).toMatchObject({
    what: 'due',
    reason: expect.stringContaining('the agent was restarted'),
    from: before,
  })
  await j.baton.must('kill', 'inside')
})

it('What cannot be started says why, and what to do', { timeout: 240_000 }, async () => {
  await using j = await journey()
  const odd = async (...words: string[]) =>
    (await j.baton.run(['run', ...words], { env: { ...j.env, PATH: '/usr/bin:/bin' } })).stderr
  expect(await odd('hello')).toContain('claude is not installed')
  expect(await odd('--agent', 'nobody')).toMatch(/must be one of claude,.*, not 'nobody'/)
  expect(await odd('--hosted', '--tmux')).toContain('Either --tmux or --hosted')
  expect(await odd('--worktree=../x')).toContain('cannot be the name of a worktree')
  expect(await odd('--worktree')).toContain('A worktree needs a git repository')
  expect(await odd('--workflow', '../../x')).toContain('Not a workflow: ../../x')
  expect((await j.baton.run(['attach'])).stderr).toContain('No session that Baton started is still running')
})
