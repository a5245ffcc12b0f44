import { describe, expect, it } from 'vitest'
import { aSession, at, sessionId } from '../../world/journal.ts'
import { watchWorld } from './world.ts'

describe('With thousands of sessions', () => {
  const many = (count: number) =>
    Array.from({ length: count }, (_, n) =>
      aSession(n + 1, { pid: 1000 + n, ownPid: true, lastEvent: 'TurnEnded', lastSeenAt: at(0) }),
    )

  it('every one is watched, and a round scans the processes once', async () => {
    await using w = await watchWorld()
    let scans = 0
    let asked = 0
    w.parts.processes.pids = async () => {
      scans++
      return new Set(w.sessions.map(({ pid = 0 }) => pid))
    }
    w.parts.processes.alive = () => {
      asked++
      return true
    }
    w.sessions = many(3000)
    expect(await w.watch.look(0)).toHaveLength(3000)
    expect(scans).toBe(1)
    expect(asked).toBe(0)
  })

  it('the children of all are found in one table, built once', async () => {
    await using w = await watchWorld()
    w.sessions = many(50)
    const parentOf: number[] = []
    const child = (pid: number) => ({
      pid: 9000 + pid,
      get parent() {
        parentOf.push(pid)
        return pid
      },
      born: 'b',
      command: 'npm',
    })
    w.processes = w.sessions.flatMap(({ pid = 0 }) => [
      { pid, parent: 1, born: 'b', command: 'claude' },
      child(pid),
    ])
    await w.pass(5)
    expect(parentOf).toHaveLength(50)
    await w.pass(31)
    expect(w.store.watch.spawns({ kinds: ['child'] })).toHaveLength(50)
  })

  it('one that is quiet is not examined again, until it reports, stalls or its process ends', async () => {
    await using w = await watchWorld({ health: { stall_minutes: 5 } })
    const running = new Set([1000, 1001, 1002])
    w.parts.processes.pids = async () => running
    w.sessions = many(3)
    const [first, second] = await w.watch.look(0)
    await w.pass(5)
    const again = await w.watch.look()
    expect(again[0]).toBe(first)
    expect(again[1]).toBe(second)

    // The first one works now and then says nothing more.
    w.sessions[0] = aSession(1, { pid: 1000, ownPid: true, lastEvent: 'ToolRequested', lastSeenAt: at(5) })
    await w.pass(5)
    expect((await w.watch.look())[0]?.state).toBe('working')
    await w.pass(301)
    expect((await w.watch.look())[0]?.state).toBe('stalled')

    running.delete(1001)
    await w.pass(5)
    await w.pass(11)
    expect(w.lost).toEqual([`${sessionId(2)} its process is gone`])

    // After a day of silence, one whose process is unknown counts as over.
    w.sessions[2] = aSession(3, { lastEvent: 'TurnEnded', lastSeenAt: at(0) })
    await w.pass(5)
    await w.pass(24 * 3600)
    expect(w.lost).toContain(`${sessionId(3)} silent for a day`)
  })
})
