import { BatonError } from '@batonpass/contract/errors'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { prepareUndo, snapshotBefore } from '../../src/compose/undo.ts'
import { SnapshotRefresher } from '../../src/undo/refresher.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

function world() {
  const time = { now: 0 }
  const began: string[] = []
  const faults: unknown[] = []
  const running: PromiseWithResolvers<void>[] = []
  const refresher = new SnapshotRefresher({
    refresh: worktree => {
      began.push(worktree)
      const run = Promise.withResolvers<void>()
      running.push(run)
      return run.promise
    },
    clock: { elapsed: () => time.now },
    fault: cause => faults.push(cause),
  })
  const pass = (ms: number) => {
    time.now += ms
    return vi.advanceTimersByTimeAsync(ms)
  }
  return { refresher, began, faults, running, pass }
}

test('many changes soon after each other are one refresh', async () => {
  const { refresher, began } = world()
  for (let i = 0; i < 10; i++) {
    refresher.request('/a')
    await vi.advanceTimersByTimeAsync(100)
  }
  expect(began).toEqual([])
  await vi.advanceTimersByTimeAsync(100)
  expect(began).toEqual(['/a'])
  await vi.advanceTimersByTimeAsync(100_000)
  // Nothing happens while nothing happens.
  expect(began).toEqual(['/a'])
})

test('a command that takes a snapshot itself makes the refresh unnecessary', async () => {
  const { refresher, began, running } = world()
  refresher.request('/a')
  refresher.request('/b')
  refresher.cancel('/a')
  await vi.advanceTimersByTimeAsync(1000)
  expect(began).toEqual(['/b'])
  // Also one that waits for another.
  refresher.request('/a')
  await vi.advanceTimersByTimeAsync(1000)
  refresher.cancel('/a')
  running[0]?.resolve()
  await vi.advanceTimersByTimeAsync(1000)
  expect(began).toEqual(['/b'])
})

test('worktrees are refreshed one after another, each once, and a failure stops none', async () => {
  const { refresher, began, faults, running } = world()
  for (const name of ['/a', '/b', '/a']) refresher.request(name)
  await vi.advanceTimersByTimeAsync(1000)
  expect(began).toEqual(['/b'])
  running[0]?.reject(new Error('gone'))
  await vi.advanceTimersByTimeAsync(0)
  expect(began).toEqual(['/b', '/a'])
  expect(faults).toHaveLength(1)
})

test.each([400, 60_000])('after a refresh of %i ms, ten times as long passes before the next', async took => {
  const { refresher, began, running, pass } = world()
  refresher.request('/a')
  await pass(150)
  await pass(took)
  running[0]?.resolve()
  await pass(0)
  refresher.request('/a')
  await pass(10 * took - 1)
  expect(began).toHaveLength(1)
  await pass(1)
  expect(began).toHaveLength(2)
})

test('the rest counts from the end of a refresh, also for a request that came during it', async () => {
  const { refresher, began, running, pass } = world()
  refresher.request('/a')
  await pass(150)
  refresher.request('/a')
  await pass(1000)
  running[0]?.resolve()
  await pass(0)
  await pass(9999)
  expect(began).toHaveLength(1)
  await pass(1)
  expect(began).toHaveLength(2)
  running[1]?.resolve()
  await pass(0)
  await pass(100_000)
  refresher.request('/a')
  await pass(150)
  // The rest was over long ago.
  expect(began).toHaveLength(3)
})

test('where no snapshot is possible, nothing is read until a command has taken one', async () => {
  const { refresher, began, running, pass } = world()
  refresher.request('/a')
  await pass(150)
  refresher.request('/a')
  running[0]?.reject(new BatonError('undo_unavailable', 'too many files'))
  await pass(1_000_000)
  refresher.request('/a')
  await pass(1_000_000)
  expect(began).toEqual(['/a'])
  refresher.taken('/a')
  refresher.request('/a')
  await pass(150)
  expect(began).toEqual(['/a', '/a'])
})

test('a worktree is read when its first session starts, and again after what may have changed it', async () => {
  const prepared: string[] = []
  const requested: string[] = []
  const reactor = prepareUndo(
    { prepare: async project => void prepared.push(project) },
    { request: project => requested.push(project) },
    () => expect.fail(),
  )
  const react = (event: object, isOn = true) =>
    reactor.react(
      event as Parameters<typeof reactor.react>[0],
      { project: '/a', config: { permission: { undo: isOn } } } as Parameters<typeof reactor.react>[1],
    )
  const finished = (kind: string) => ({ type: 'ToolFinished', action: { kind } })
  await react({ type: 'SessionStarted' }, false)
  await react(finished('read'))
  await react({ type: 'ToolRequested', action: { kind: 'shell' } })
  expect([prepared, requested]).toEqual([[], []])
  await react({ type: 'SessionStarted' })
  expect([prepared, requested]).toEqual([['/a'], []])
  for (const kind of ['read', 'search', 'web', 'question', 'plan']) await react(finished(kind))
  expect(requested).toEqual([])
  for (const kind of ['shell', 'write', 'mcp', 'agent', 'other']) await react(finished(kind))
  await react({ type: 'PromptSubmitted' })
  await react({ type: 'SessionStarted' })
  expect([prepared, requested.length]).toEqual([['/a'], 7])
})

test('a snapshot before a command says how long the command waited', async () => {
  const calls: string[] = []
  const before = snapshotBefore(
    {
      take: async () => {
        calls.push('take')
        return undefined
      },
    },
    { cancel: project => calls.push(`cancel ${project}`), taken: project => calls.push(`taken ${project}`) },
    { text: (words: string) => words } as Parameters<typeof snapshotBefore>[2],
  )
  const event = { id: 'e', nativeSession: 's', tool: 'Bash', action: { kind: 'shell', command: 'ls' } }
  const taken = await before(event as Parameters<typeof before>[0], '/a', {
    effects: { writes: [] },
  } as unknown as Parameters<typeof before>[2])
  expect(taken).toEqual({ noUndo: expect.any(String), snapshotMs: expect.any(Number) })
  expect(calls).toEqual(['cancel /a', 'take', 'taken /a'])
})
