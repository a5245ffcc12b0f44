import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type ClaudeHome, claudeHome } from '../world/agents/claude.ts'
import { runClaude } from '../world/agents/claude-headless.ts'
import { claudeInTmux } from '../world/agents/claude-tmux.ts'
import { installAgent } from '../world/agents/install.ts'
import { batonFor, batonOnPath } from '../world/baton.ts'
import { type Model, startModel, textOf } from '../world/model.ts'
import { call, rateLimited, say, type Turn } from '../world/turn.ts'
import { until } from '../world/wait.ts'

/** What the scripted agent runs; hands-off mode is looked at here, not permission. */
const ALLOWED = 'permission:\n  preset: trusting\n  undecided: defer\n'
const FREE = ['--permission-mode', 'bypassPermissions']

/** A home whose project is a git repository with the slash command, and `baton` on the PATH of the agent. */
async function workplace(options: Parameters<typeof claudeHome>[0] = {}) {
  const home = claudeHome(options)
  const { path } = await home.git()
  mkdirSync(join(path, '.claude/commands'), { recursive: true })
  writeFileSync(join(path, '.claude/commands/issue-to-impl.md'), 'Implement issue $ARGUMENTS.\n')
  const bin = batonOnPath(home.path)
  return Object.assign(home, { path: home.path, searchPath: { PATH: `${bin}:${process.env.PATH}` } })
}

const stateFile = (home: ClaudeHome, session: string) =>
  join(home.project, '.tmp/hooked-sessions', `${session}.json`)
const stateOf = (home: ClaudeHome, session: string) =>
  JSON.parse(readFileSync(stateFile(home, session), 'utf8'))

/** Works a little in each turn, and asks `then` for what comes after so many stops. */
function worker(
  model: Model,
  home: ClaudeHome,
  then: (stops: number) => Turn | undefined = () => undefined,
): { stops: () => number } {
  let stops = 0
  let steps = 0
  model.script({ key: home.key }, () => {
    const turn = then(stops)
    if (turn) {
      if (!turn.tools) stops++
      return turn
    }
    if (steps++ % 2 === 0) return call('Bash', { command: `echo ${steps} > part-${steps}.txt` })
    stops++
    return say(`Part ${steps} is there.`)
  })
  return { stops: () => stops }
}

describe('hands-off mode, with the real Claude Code', () => {
  test('a job that needs five stops runs to its end untouched', { timeout: 240_000 }, async () => {
    await using model = await startModel()
    await using home = await workplace()
    await using baton = await batonFor(home)
    baton.configure(ALLOWED)
    let done = false
    const job = worker(model, home, stops => {
      if (stops < 5 || done) return undefined
      done = true
      return call('Bash', { command: 'baton done' })
    })
    const ran = await runClaude({
      home,
      model,
      prompt: '/issue-to-impl 42',
      args: FREE,
      env: home.searchPath,
      timeout: 200_000,
    })
    expect(ran.isError).toBe(false)
    const session = ran.sessionId ?? ''
    const ended = await baton.waitFor('workflow', body => body.what === 'ended')
    expect(ended).toMatchObject({ end: 'unproven', workflow: 'issue-to-impl', count: 5 })
    expect(job.stops()).toBe(6)
    expect(stateOf(home, session)).toEqual({
      workflow: 'issue-to-impl',
      state: 'done',
      continuation_count: 5,
      issue_no: 42,
    })
    expect(await (await home.git()).git('status', '--porcelain')).not.toContain('.tmp')
    const prompts = model.mainRequests({ key: home.key }).map(textOf)
    for (let i = 1; i <= 5; i++)
      expect(prompts.some(text => text.includes(`${i}/10 continuations`))).toBe(true)
    expect(await baton.must('history', '--all')).toContain('unproven: no commit was made')
    expect(await baton.must('history', '--issue', '42')).toContain(session)
    model.assertClean()
  })

  test('max_continuations: 20 gives 20 where there is progress, and then it is capped', {
    timeout: 360_000,
  }, async () => {
    await using model = await startModel()
    await using home = await workplace()
    await using baton = await batonFor(home)
    baton.configure(`${ALLOWED}handsoff:\n  max_continuations: 20\n`)
    const job = worker(model, home)
    const ran = await runClaude({
      home,
      model,
      prompt: '/issue-to-impl 42',
      args: FREE,
      env: home.searchPath,
      timeout: 340_000,
    })
    expect(job.stops()).toBe(21)
    expect(await baton.waitFor('workflow', body => body.what === 'ended')).toMatchObject({
      end: 'capped',
      count: 20,
      max: 20,
    })
    expect(stateOf(home, ran.sessionId ?? '')).toMatchObject({ state: 'capped', continuation_count: 20 })
  })

  test('an agent that only talks is told what is stuck, and ends as stalled', {
    timeout: 180_000,
  }, async () => {
    await using model = await startModel()
    await using home = await workplace()
    await using baton = await batonFor(home)
    baton.configure(ALLOWED)
    worker(model, home, () => say('I am thinking about it.'))
    await runClaude({ home, model, prompt: '/issue-to-impl 42', args: FREE, env: home.searchPath })
    expect(await baton.waitFor('workflow', body => body.what === 'ended')).toMatchObject({
      end: 'stalled',
      count: 2,
    })
    const last = model.mainRequests({ key: home.key }).at(-1)
    expect(last && textOf(last)).toContain('no tool call and no file change')
  })

  test('a person edits the file midway and is obeyed', { timeout: 240_000 }, async () => {
    await using model = await startModel()
    await using home = await workplace()
    await using baton = await batonFor(home)
    baton.configure(ALLOWED)
    let edited = false
    const job = worker(model, home, stops => {
      if (stops === 2 && !edited) {
        const [session = ''] = home.sessions()
        writeFileSync(
          stateFile(home, session),
          JSON.stringify({ ...stateOf(home, session), continuation_count: 9, mine: true }),
        )
        edited = true
      }
      return undefined
    })
    const ran = await runClaude({
      home,
      model,
      prompt: '/issue-to-impl 42',
      args: FREE,
      env: home.searchPath,
    })
    expect(job.stops()).toBe(4)
    expect(await baton.waitFor('workflow', body => body.what === 'ended')).toMatchObject({ end: 'capped' })
    expect(stateOf(home, ran.sessionId ?? '')).toMatchObject({ continuation_count: 10, mine: true })
  })

  test('two sessions at once never touch each other', { timeout: 240_000 }, async () => {
    await using model = await startModel()
    await using home = await workplace()
    await using baton = await batonFor(home)
    baton.configure(`${ALLOWED}handsoff:\n  max_continuations: 3\n`)
    const part = (name: string) => {
      let n = 0
      model.script(name, () =>
        n++ % 2 === 0 ? call('Bash', { command: `echo ${n} > ${name}-${n}.txt` }) : say('ok'),
      )
      return runClaude({
        home,
        model,
        prompt: `/issue-to-impl ${name === 'first' ? 1 : 2} ${name}`,
        args: FREE,
        env: home.searchPath,
      })
    }
    const [first, second] = await Promise.all([part('first'), part('second')])
    expect(stateOf(home, first.sessionId ?? '')).toMatchObject({ issue_no: 1, continuation_count: 3 })
    expect(stateOf(home, second.sessionId ?? '')).toMatchObject({ issue_no: 2, continuation_count: 3 })
    const ends = (await baton.entries({ kind: 'workflow' })).flatMap(({ body, nativeSession }) =>
      body.kind === 'workflow' && body.what === 'ended' ? [`${nativeSession} ${body.end}`] : [],
    )
    expect(ends.sort()).toEqual([`${first.sessionId} capped`, `${second.sessionId} capped`].sort())
  })

  test('a session that reaches a limit is parked, and continues by itself in its terminal after the reset', {
    timeout: 240_000,
  }, async () => {
    await using model = await startModel()
    await using home = await workplace({ env: { CLAUDE_CODE_MAX_RETRIES: '0' } })
    await using baton = await batonFor(home)
    baton.configure(`${ALLOWED}handsoff:\n  max_continuations: 2\n`)
    let limited = 0
    let resumed = false
    model.script({ key: home.key }, request => {
      if (textOf(request).includes('has been reset')) resumed = true
      if (resumed) return say('Going on.')
      return limited++ === 0 ? call('Bash', { command: 'echo 1 > one.txt' }) : limitedUntil(4)
    })
    await using terminal = await claudeInTmux({
      home,
      model,
      permissionMode: 'bypassPermissions',
      env: home.searchPath,
    })
    await terminal.submit('/issue-to-impl 42')
    const parked = await baton.waitFor('workflow', body => body.end === 'limit-parked')
    expect(parked.reason).toContain('resumes at')
    await until(() => resumed, {
      what: 'the session to go on by itself',
      timeout: 120_000,
      evidence: terminal.screen,
    })
    await baton.waitFor('workflow', body => body.what === 'resumed')
    expect(
      (await baton.entries({ kind: 'workflow' })).filter(
        ({ body }) => body.kind === 'workflow' && body.what === 'resumed',
      ),
    ).toHaveLength(1)
  })

  test("the plugin's own command starts a run, and hooks that are installed twice count once", {
    timeout: 240_000,
  }, async () => {
    await using model = await startModel()
    await using home = await workplace()
    await using baton = await batonFor(home)
    baton.configure(`${ALLOWED}handsoff:\n  max_continuations: 2\n`)
    const job = worker(model, home)
    const pluginDir = join(import.meta.dirname, '../../../../plugin')
    const ran = await runClaude({
      home,
      model,
      prompt: '/baton:issue-to-impl 42',
      args: FREE,
      env: home.searchPath,
      pluginDir,
      timeout: 200_000,
    })
    expect(job.stops()).toBe(3)
    expect(stateOf(home, ran.sessionId ?? '')).toMatchObject({
      state: 'capped',
      continuation_count: 2,
      issue_no: 42,
    })
    const [first] = model.mainRequests({ key: home.key })
    expect(first && textOf(first)).toContain('plan-of-issue-N.md')
  })

  test('a supervisor writes the next prompt, and its own hooks start nothing', {
    timeout: 240_000,
  }, async () => {
    await using model = await startModel()
    await using home = await workplace()
    await using baton = await batonFor(home)
    baton.configure(
      `${ALLOWED}handsoff:\n  max_continuations: 1\n  supervisor:\n    provider: claude\n    model: opus\n`,
    )
    symlinkSync(await installAgent('claude-code'), join(home.path, 'bin/claude'))
    // The hook starts the daemon again, with the environment in which a person's agents can log in.
    await baton.must('down')
    let n = 0
    model.script({ key: home.key }, () =>
      n++ % 2 === 0 ? call('Bash', { command: `echo ${n} > part-${n}.txt` }) : say('ok'),
    )
    // It comes without tools, so the fake model takes it for a side request.
    model.answerSide('side', request =>
      textOf(request).includes('You supervise a coding agent') ? say('Look at the parser first.') : undefined,
    )
    const ran = await runClaude({
      home,
      model,
      prompt: '/issue-to-impl 42',
      args: FREE,
      env: home.searchPath,
      timeout: 200_000,
    })
    const supervised = await baton.waitFor('workflow', body => body.what === 'supervised')
    expect(supervised.prompt).toBe('Look at the parser first.')
    const counted = await baton.waitFor('model', body => body.purpose === 'supervisor')
    expect(counted).toMatchObject({ by: 'claude', model: 'opus', inputTokens: expect.any(Number) })
    const prompts = model.mainRequests({ key: home.key }).map(textOf)
    expect(prompts.some(text => /1\/1 continuations[\s\S]*Look at the parser first\./.test(text))).toBe(true)
    expect(new Set((await baton.events()).map(event => event.nativeSession))).toEqual(
      new Set([ran.sessionId]),
    )
  })

  test('a missing or garbled state file never makes it loop', { timeout: 240_000 }, async () => {
    await using model = await startModel()
    await using home = await workplace()
    await using baton = await batonFor(home)
    baton.configure(ALLOWED)
    const job = worker(model, home, stops => {
      const [session = ''] = home.sessions()
      if (stops === 1 && existsSync(stateFile(home, session)))
        writeFileSync(stateFile(home, session), '{"workflow": ')
      return undefined
    })
    await runClaude({ home, model, prompt: '/issue-to-impl 42', args: FREE, env: home.searchPath })
    expect(job.stops()).toBe(2)
    expect(await baton.waitFor('workflow', body => body.what === 'ended')).toMatchObject({ end: 'blocked' })
  })
})

/** As the service words a usage limit, with the time of its reset. */
function limitedUntil(seconds: number): Turn {
  const reset = new Date(performance.timeOrigin + performance.now() + seconds * 1000).toISOString()
  const turn = rateLimited()
  return {
    ...turn,
    error: { status: 429, type: 'rate_limit_error', message: `Usage limit reached, resets at ${reset}` },
  }
}
