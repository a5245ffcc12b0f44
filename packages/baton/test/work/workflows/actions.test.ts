import { existsSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { systemSmallFiles } from '../../../src/adapters/system/small-files.ts'
import type { Handler } from '../../../src/cli/command.ts'
import { clean } from '../../../src/cli/commands/clean.ts'
import { done } from '../../../src/cli/commands/done.ts'
import { issue } from '../../../src/cli/commands/issue.ts'
import { resume } from '../../../src/cli/commands/resume.ts'
import { sessions } from '../../../src/cli/commands/sessions.ts'
import { stop } from '../../../src/cli/commands/stop.ts'
import type { Driver, TypeResult } from '../../../src/ports/driver.ts'
import { sessionId } from '../../../src/session/id.ts'
import { carryOver } from '../../../src/work/workflows/mode.ts'
import { resumeParked } from '../../../src/work/workflows/resume-run.ts'
import { filedRuns } from '../../../src/work/workflows/run.ts'
import { event, type World, world } from './world.ts'

const start = (w: World, native = 's1', prompt = '/issue-to-impl 42') =>
  w.tell(event('PromptSubmitted', native, { prompt }))

/** A world whose runs are stored where commands look for them, and a way to run commands in it. */
function commanded(config: object = {}) {
  const home = world()
  const w = world(config, { runs: filedRuns(systemSmallFiles, join(home.project, '.local/state/baton')) })
  const run = async (
    handler: Handler,
    positionals: string[] = [],
    options = {},
    env: Record<string, string> = {},
  ) => {
    let out = ''
    const write = (text: string) => {
      out += text
    }
    const io = {
      stdin: process.stdin,
      stdout: { write },
      stderr: { write },
      env,
      cwd: w.project,
      home: home.project,
      isTTY: false,
      signal: new AbortController().signal,
    }
    const code = await handler({ positionals, options }, io)
    return { code, out }
  }
  return {
    w,
    run,
    async [Symbol.asyncDispose]() {
      await w[Symbol.asyncDispose]()
      await home[Symbol.asyncDispose]()
    },
  }
}

describe('The commands of a workflow', () => {
  it('show what runs and what has ended', async () => {
    await using c = commanded()
    expect((await c.run(sessions)).out).toContain('No workflow is running')
    await start(c.w)
    await c.w.stop('s1')
    expect((await c.run(sessions)).out).toMatch(/^s1 {2}issue-to-impl #42 {2}running, 1 continuation {2}/)
    const { runs } = JSON.parse((await c.run(sessions, [], { json: true })).out)
    expect(runs).toMatchObject([{ nativeSession: 's1', count: 1, issue: 42, state: 'initial' }])
    expect((await c.run(issue, ['42'])).out).toContain('s1  issue-to-impl')
    expect((await c.run(issue, ['43'])).code).toBe(1)
    expect((await c.run(resume, ['s1'])).out).toBe(`cd ${c.w.project} && claude --resume s1\n`)
  })

  it('stop a session permanently: only a new command restarts it', async () => {
    await using c = commanded()
    await start(c.w, 'abc-1')
    await c.run(stop, ['abc'])
    expect(c.w.state('abc-1').state).toBe('stopped')
    expect((await c.w.stop('abc-1')).notice).toContain('a person stopped it')
    await start(c.w, 'abc-1', 'carry on please')
    expect((await c.w.stop('abc-1')).goOn).toBeUndefined()
    await start(c.w, 'abc-1')
    expect((await c.w.stop('abc-1')).goOn?.prompt).toContain('1/10')
    await expect(c.run(stop, ['nobody'])).rejects.toMatchObject({ code: 'not_found' })
  })

  it('end the session they are called in, and no other', async () => {
    await using c = commanded()
    await start(c.w, 'mine')
    await start(c.w, 'other')
    await c.run(done, [], {}, { CLAUDE_CODE_SESSION_ID: 'mine' })
    expect(c.w.state('mine').state).toBe('done')
    expect(c.w.state('other').state).toBe('initial')
    expect((await c.w.stop('mine')).notice).toContain('unproven')
    expect((await c.w.stop('other')).goOn).toBeDefined()
    await expect(c.run(done)).rejects.toMatchObject({ code: 'not_found' })
    await expect(c.run(done, [], {}, { CLAUDE_CODE_SESSION_ID: '../other' })).rejects.toMatchObject({
      code: 'not_found',
    })
  })

  it('show what a blocked agent needs, and a person who answers reopens the run', async () => {
    await using c = commanded()
    await start(c.w)
    await c.run(done, [], { blocked: 'the staging\npassword' }, { CLAUDE_CODE_SESSION_ID: 's1' })
    expect((await c.w.stop('s1')).notice).toContain('blocked: the staging password')
    expect(c.w.announced).toMatchObject([{ end: 'blocked', reason: 'the staging password' }])
    await start(c.w, 's1', 'It is in the vault.')
    expect((await c.w.stop('s1')).goOn?.prompt).toContain('1/10')
  })

  it('clean up only what has ended or is stale', async () => {
    await using c = commanded()
    await start(c.w, 'over')
    await start(c.w, 'running', '/issue-to-impl 7')
    await start(c.w, 'stale', '/issue-to-impl 8')
    c.w.edit('over', { ...c.w.state('over'), state: 'done' })
    utimesSync(c.w.stateFile('stale'), 1, 1)
    expect((await c.run(clean, [], { 'dry-run': true })).out.match(/Would remove/g)).toHaveLength(2)
    await c.run(clean)
    expect(['over', 'running', 'stale'].map(native => existsSync(c.w.stateFile(native)))).toEqual([
      false,
      true,
      false,
    ])
    expect(existsSync(join(c.w.project, '.tmp/hooked-sessions/by-issue/42.json'))).toBe(false)
    expect(existsSync(join(c.w.project, '.tmp/hooked-sessions/by-issue/7.json'))).toBe(true)
  })
})

/** A driver that only types. */
const typing = (type: (text: string) => Promise<TypeResult>): Driver => ({
  kind: 'tmux',
  reaches: () => true,
  readScreen: async () => ({ state: 'unknown', lines: [] }),
  type: (_, text) => type(text),
  interrupt: async () => 'idle',
  clear: async () => 'not-taken',
  start: async () => ({ place: '' }),
  kill: async () => false,
})

describe('A parked run', () => {
  const limit = (w: World, seconds: number) =>
    w.tell(
      event('TurnFailed', 's1', {
        error: 'rate_limit',
        message: `limit reached|${Math.floor(w.now / 1000) + seconds}`,
      }),
    )

  it('resumes once per reset, even after a restart of the daemon', async () => {
    const typed: string[] = []
    await using w = world(
      {},
      {
        driverAt: () =>
          typing(async text => {
            typed.push(text)
            return 'taken'
          }),
      },
    )
    await start(w)
    await limit(w, 600)
    const tick = (now: number) => resumeParked(w.ports, w.handsOff, now)
    expect(await tick(w.now + 500_000)).toBe(0)
    // Everything in memory is gone; the stored runs are enough.
    expect(await resumeParked(w.ports, world().handsOff, w.now + 630_000)).toBe(1)
    expect(await tick(w.now + 640_000)).toBe(0)
    expect(typed).toHaveLength(1)
    expect(typed[0]).toContain('auto-continuation prompt for handsoff mode')
    await start(w, 's1', typed[0] ?? '')
    expect(w.state('s1').state).toBe('initial')
    await limit(w, 600)
    expect(await tick(w.now + 700_000)).toBe(1)
  })

  it('waits while Baton is paused, and resumes once after the pause', async () => {
    const typed: string[] = []
    let paused = true
    await using w = world(
      {},
      {
        paused: () => paused,
        driverAt: () =>
          typing(async text => {
            typed.push(text)
            return 'taken'
          }),
      },
    )
    await start(w)
    await limit(w, 600)
    expect(await resumeParked(w.ports, w.handsOff, w.now + 630_000)).toBe(0)
    expect(await resumeParked(w.ports, w.handsOff, w.now + 86_400_000)).toBe(0)
    expect(typed).toEqual([])
    paused = false
    expect(await resumeParked(w.ports, w.handsOff, w.now + 86_400_000)).toBe(1)
    expect(await resumeParked(w.ports, w.handsOff, w.now + 86_500_000)).toBe(0)
    expect(typed).toHaveLength(1)
  })

  it('waits while a person uses the terminal, and ends as failed after too many limits in a row', async () => {
    const answers: ('busy' | 'taken')[] = ['busy', 'taken']
    await using w = world({}, { driverAt: () => typing(async () => answers.shift() ?? 'taken') })
    await start(w)
    await limit(w, 60)
    expect(await resumeParked(w.ports, w.handsOff, w.now + 100_000)).toBe(0)
    expect(await resumeParked(w.ports, w.handsOff, w.now + 110_000)).toBe(0)
    expect(await resumeParked(w.ports, w.handsOff, w.now + 200_000)).toBe(1)
    for (let i = 0; i < 6; i++) {
      await start(w, 's1', 'This is an auto-continuation prompt for handsoff mode: go on')
      await limit(w, 60)
    }
    expect(w.announced.at(-1)).toMatchObject({ end: 'failed', reason: expect.stringContaining('in a row') })
  })
})

it('A run moves to the session that continues it, with its count, issue and budget', async () => {
  await using w = world()
  await start(w, 'old')
  await w.stop('old')
  await w.stop('old')
  const to = { session: sessionId('claude-code', 'new'), nativeSession: 'new', agent: 'claude-code' as const }
  expect(await carryOver(w.ports, w.handsOff, sessionId('claude-code', 'old'), to, w.now)).toBe(true)
  expect(w.state('old').state).toBe('handed-off')
  expect(w.state('new')).toEqual({
    workflow: 'issue-to-impl',
    state: 'initial',
    continuation_count: 2,
    issue_no: 42,
  })
  const index = JSON.parse(readFileSync(join(w.project, '.tmp/hooked-sessions/by-issue/42.json'), 'utf8'))
  expect(index.session_id).toBe('new')
  expect((await w.stop('old')).goOn).toBeUndefined()
  expect((await w.stop('new')).goOn?.prompt).toContain('3/10')
  expect(w.journal.filter(entry => entry.end === 'handed-off')).toHaveLength(1)
  expect(await carryOver(w.ports, w.handsOff, sessionId('claude-code', 'old'), to, w.now)).toBe(false)
})

it('Links out of the state folder are neither read nor written', async () => {
  await using w = world()
  mkdirSync(join(w.project, 'in/.tmp'), { recursive: true })
  writeFileSync(join(w.project, 'secret'), 'x')
  const { symlinkSync } = await import('node:fs')
  symlinkSync(join(w.project, 'secret'), join(w.project, 'in/.tmp/link'))
  const root = join(w.project, 'in')
  expect(await systemSmallFiles.read(root, '.tmp/link')).toMatchObject({ kind: 'refused' })
  expect(await systemSmallFiles.read(root, '../secret')).toMatchObject({ kind: 'refused' })
  await expect(systemSmallFiles.write(root, '.tmp/link', 'y')).rejects.toMatchObject({ trouble: 'denied' })
  await expect(systemSmallFiles.append(root, '../secret', 'y')).rejects.toMatchObject({ trouble: 'denied' })
  expect(readFileSync(join(w.project, 'secret'), 'utf8')).toBe('x')
})
