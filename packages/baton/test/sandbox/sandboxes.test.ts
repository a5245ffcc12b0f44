import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Config } from '@batonpass/contract/config'
import type { AgentEvent } from '@batonpass/contract/event'
import { describe, expect, test } from 'vitest'
import { hostFiles } from '../../src/adapters/bubblewrap/files.ts'
import { sandboxReactor, UntoldReports } from '../../src/sandbox/reactor.ts'
import { Sandboxes } from '../../src/sandbox/sandboxes.ts'
import type { Report } from '../../src/sandbox/session-sandbox.ts'
import { aSession, at, eventId, sessionId } from '../world/journal.ts'
import { type SandboxWorld, sandboxWorld, testSandbox } from '../world/sandbox.ts'
import { until } from '../world/wait.ts'

const SESSION = sessionId(1)

function sandboxesIn(world: SandboxWorld) {
  const untold = new UntoldReports()
  const reported: Report[] = []
  let nowMs = 1_000_000
  const sandboxes = new Sandboxes({
    sandbox: world.sandbox,
    files: hostFiles(),
    home: world.home,
    state: world.state,
    identityOf: async () => ({ name: 'Me', email: 'me@example.com' }),
    async report(session, reports) {
      untold.add(session, reports)
      reported.push(...reports)
    },
    fault: () => {},
    clock: { now: () => nowMs, elapsed: () => nowMs },
  })
  const call = (text: string) => ({
    session: SESSION,
    worktree: world.project.path,
    cwd: world.project.path,
    text,
    shell: 'bash' as const,
    path: process.env.PATH ?? '',
    settings: { ...Config.parse({}).sandbox, requestedHosts: [] },
  })
  const prepare = async (text: string) => {
    const result = await sandboxes.prepare(call(text))
    if (!result.ok) throw new Error(result.reason)
    return result.prepared
  }
  const requests = () => readdirSync(join(world.state, 'sandbox/requests'))
  const pass = (ms: number) => {
    nowMs += ms
  }
  return { sandboxes, untold, reported, prepare, requests, pass }
}

const finished = (more: object): AgentEvent => ({
  id: eventId(1),
  at: at(),
  agent: 'claude-code',
  session: SESSION,
  nativeSession: 'native-1',
  type: 'ToolFinished',
  tool: 'Bash',
  input: { command: 'x' },
  action: { kind: 'shell', command: 'x' },
  failed: false,
  response: null,
  ...more,
})

const context = (world: SandboxWorld) => ({
  session: aSession(1),
  project: world.project.path,
  config: Config.parse({}),
  now: 0,
})

describe('the probe of the machine', () => {
  test('is repeated only as long as bubblewrap is missing', async () => {
    await using world = await sandboxWorld()
    let installed = false
    let probes = 0
    const { sandboxes } = sandboxesIn({
      ...world,
      sandbox: {
        ...world.sandbox,
        async probe() {
          probes++
          return installed
            ? world.sandbox.probe()
            : { available: false, code: 'program-missing', reason: 'missing', remedy: 'install it' }
        },
      },
    })
    expect(await sandboxes.statusNow()).toBeUndefined()
    expect(await sandboxes.probe()).toMatchObject({ available: false })
    expect(await sandboxes.statusNow()).toMatchObject({ available: false })
    installed = true
    expect(await sandboxes.statusNow()).toMatchObject({ available: true })
    expect(await sandboxes.probe()).toMatchObject({ available: true })
    expect(probes).toBe(3)
  })
})

describe('a prepared command', () => {
  test('is found again by exactly its text, in its session, also by the next daemon', async () => {
    await using world = await sandboxWorld({ isClosed: true })
    const { sandboxes, prepare } = sandboxesIn(world)
    const { id, text } = await prepare("echo 'hello there'")
    expect(await sandboxes.find(SESSION, text)).toEqual({ id, text: "echo 'hello there'", isTaken: false })
    const next = testSandbox(world.state)
    expect(await next.findPrepared(SESSION, text)).toEqual({ id, text: "echo 'hello there'", isTaken: false })
    for (const other of [`${text} `, `${text}; rm x`, text.replace(id, `${id}0`), "echo 'hello there'", ''])
      expect(await sandboxes.find(SESSION, other)).toBeUndefined()
    expect(await sandboxes.find(sessionId(2), text)).toBeUndefined()
    await sandboxes.discard(SESSION, id)
    expect(await sandboxes.find(SESSION, text)).toBeUndefined()
  })

  test('ends with its call; one in the background when nothing runs any more; an unused one after a while', async () => {
    await using world = await sandboxWorld({ isClosed: true })
    const { sandboxes, prepare, requests, pass } = sandboxesIn(world)
    const first = await prepare('true')
    await sandboxes.finished(SESSION, first.id, false)
    expect(requests()).toEqual([])

    const behind = await prepare('true')
    await sandboxes.finished(SESSION, behind.id, true)
    await sandboxes.tick()
    expect(requests()).toHaveLength(1)
    pass(60_000)
    await sandboxes.tick()
    expect(requests()).toEqual([])

    await prepare('true')
    pass(60_000)
    await sandboxes.tick()
    expect(requests()).toHaveLength(1)
    pass(600_000)
    await sandboxes.tick()
    expect(requests()).toEqual([])
  })

  test('of several at once belongs to one sandbox, which ends with the session', async () => {
    await using world = await sandboxWorld({ isClosed: true })
    const { sandboxes, prepare, requests } = sandboxesIn(world)
    await Promise.all([prepare('true'), prepare('true'), prepare('true')])
    expect(requests()).toHaveLength(3)
    const sessions = () => readdirSync(join(world.state, 'sandbox/sessions'))
    expect(sessions()).toHaveLength(1)
    sandboxReactor(sandboxes, new UntoldReports(), () => {}).react(
      { ...finished({}), type: 'SessionEnded', reason: 'other' } as AgentEvent,
      context(world),
    )
    await until(() => sessions().length === 0 && requests().length === 0, { what: 'the end of the sandbox' })
    await sandboxes.end(SESSION)
  })

  test('may leave no protected file behind: it is moved away, reported, and the agent is told once', async () => {
    await using world = await sandboxWorld({ isClosed: true })
    const { sandboxes, untold, reported, prepare } = sandboxesIn(world)
    const reactor = sandboxReactor(sandboxes, untold, () => {})
    const { id } = await prepare('mkdir .vscode')
    // As if the command had done it.
    mkdirSync(join(world.project.path, '.vscode'))
    writeFileSync(join(world.project.path, '.vscode/tasks.json'), '{}')
    const outcome = await reactor.react(finished({ sandbox: id }), context(world))
    expect(outcome?.now?.context).toContain('.vscode (tasks and settings of an editor)')
    expect(existsSync(join(world.project.path, '.vscode'))).toBe(false)
    expect(reported).toMatchObject([{ path: '.vscode' }])
    expect(await reactor.react(finished({}), context(world))).toBeUndefined()
  })
})
