import { describe, expect, it } from 'vitest'
import { aSession, at, sessionId } from '../../world/journal.ts'
import { PLACE, type WatchWorld, watchWorld, workingSession } from './world.ts'

const alive = (w: WatchWorld, ...pids: number[]) => {
  w.processes = pids.map(pid => ({ pid, parent: 1, born: `b${pid}`, command: `p${pid}` }))
}
const found = (w: WatchWorld) =>
  w.store.watch
    .currentChecks()
    .flatMap(({ check_type, status }) => (status === 'ok' ? [] : `${check_type} ${status}`))

describe('A session that works', () => {
  it('has stalled after 15 minutes without output, whatever its spinner does, and is told of once', async () => {
    await using w = await watchWorld()
    w.sessions = [workingSession()]
    for (let minute = 0; minute < 14; minute++) {
      w.show(
        PLACE,
        'working',
        'reading files',
        `✻ ${minute % 2 ? 'Pondering' : 'Cooking'}… (${minute * 60}s · esc to interrupt)`,
      )
      await w.pass(60)
    }
    expect(found(w)).toEqual([])
    w.show(PLACE, 'working', 'reading files', '✶ Musing… (900s)')
    await w.pass(130)
    await w.pass(600)
    expect(found(w)).toEqual(['stall warning'])
    expect((await w.watch.look())[0]?.state).toBe('stalled')
    expect(w.store.watch.session(sessionId(1))?.status).toBe('stalled')
    expect(w.news).toHaveLength(1)
    expect(w.news[0]).toContain('no output for 1')
    // It was told already, also after a restart.
    w.restart()
    await w.pass(60)
    await w.pass(16 * 60)
    expect(w.news).toHaveLength(1)
    w.show(PLACE, 'working', 'reading files', 'found it')
    await w.pass(5)
    expect(found(w)).toEqual([])
    expect(w.entries.map(entry => entry.kind === 'health' && entry.status)).toEqual(['warning', 'ok'])
  })

  it('has not stalled while it waits for a person, nor while its hooks speak', async () => {
    await using w = await watchWorld({ health: { stall_minutes: 5 } })
    w.sessions = [workingSession(), aSession(2, { pane: '%2 /tmp/s', lastEvent: 'ToolFinished' })]
    w.show(PLACE, 'waiting', 'done')
    w.show('%2 /tmp/s', 'working', 'building')
    await w.pass(1)
    for (let minute = 1; minute < 20; minute++) {
      w.sessions[1] = aSession(2, {
        pane: '%2 /tmp/s',
        lastEvent: 'ToolFinished',
        lastSeenAt: at(minute * 60),
      })
      await w.pass(60)
    }
    expect(found(w)).toEqual([])
  })

  it('asks as long as a question of it is open, with and without a screen, and has not stalled then', async () => {
    await using world = await watchWorld()
    const [seen, unseen] = [workingSession(), aSession(2, { lastEvent: 'ToolRequested', lastSeenAt: at(0) })]
    world.sessions = [seen, unseen]
    world.show(PLACE, 'working', 'Running hook')
    const states = async () => (await world.watch.look(0)).map(({ state }) => state)
    expect(await states()).toEqual(['working', 'working'])
    for (const { id } of world.sessions) world.asking.add(id)
    expect(await states()).toEqual(['dialog', 'dialog'])
    await world.pass(20 * 60)
    expect(await states()).toEqual(['dialog', 'dialog'])
    world.asking.clear()
    expect(await states()).not.toContain('dialog')
  })

  it('has not stalled because the machine slept or its clock was set', async () => {
    await using w = await watchWorld()
    w.sessions = [workingSession({ lastSeenAt: at(-60) })]
    w.show(PLACE, 'working', 'thinking')
    await w.pass(5)
    await w.pass(8 * 3600)
    await w.pass(5)
    expect(found(w)).toEqual([])
    await w.pass(120)
    for (let i = 0; i < 4; i++) await w.pass(240)
    expect(found(w)).toEqual(['stall warning'])
  })
})

describe('Words on the screen', () => {
  it('that look like errors are stored without secrets and not announced', async () => {
    await using w = await watchWorld()
    w.sessions = [workingSession()]
    w.show(PLACE, 'working', 'ok', 'TypeError: hunter2 is not a function', 'fatal: no such ref', 'fine')
    await w.pass(5)
    expect(found(w)).toEqual(['errors warning'])
    const [check] = w.store.watch.checks()
    expect(check?.details).toEqual({
      message: 'fatal: no such ref',
      count: 2,
      lines: ['TypeError: [redacted] is not a function', 'fatal: no such ref'],
    })
    expect(w.news).toEqual([])
    w.show(PLACE, 'working', ...Array.from({ length: 50 }, (_, i) => `line ${i}`))
    // They scroll in and out: not every change is written.
    await w.pass(5)
    expect(found(w)).toEqual(['errors warning'])
    await w.pass(60)
    expect(found(w)).toEqual([])
  })

  it('are not kept where only digests are wanted, and the words are the user’s to choose', async () => {
    await using w = await watchWorld({ journal: { content: 'digest' }, health: { error_words: ['BOOM'] } })
    w.sessions = [workingSession()]
    w.show(PLACE, 'working', 'Error: not mine', 'a BOOM here')
    await w.pass(5)
    expect(w.store.watch.checks()[0]?.details).toEqual({ count: 1 })
  })
})

describe('A session whose process is gone', () => {
  it('is reported, but not before its goodbye had time to come', async () => {
    await using w = await watchWorld()
    w.sessions = [
      workingSession({ pane: undefined, ownPid: true, pid: 42 } as never),
      aSession(2, { ownPid: true, pid: 43, pane: '%2 /tmp/s' }),
    ]
    w.show('%2 /tmp/s', 'waiting', 'ready')
    alive(w, 42, 43)
    await w.pass(5)
    alive(w)
    w.screens.clear()
    await w.pass(5)
    expect(found(w)).toEqual([])
    // One of them said goodbye.
    w.sessions[0] = { ...workingSession(), endedAt: at(10) }
    await w.pass(11)
    expect(found(w)).toEqual(['process critical'])
    expect(w.store.watch.session(sessionId(2))?.status).toBe('gone')
    expect(w.news[0]).toContain('🛑')
  })

  it('is not announced for a session never seen alive: it ran elsewhere, or before the machine restarted', async () => {
    await using w = await watchWorld()
    w.sessions = [
      aSession(1, { ownPid: true, pid: 42 }),
      aSession(2, { ownPid: true, pid: 43, pane: '%2 /tmp/s' }),
    ]
    for (let i = 0; i < 4; i++) await w.pass(10)
    expect((await w.watch.look()).map(({ state }) => state)).toEqual(['unknown', 'gone'])
    expect(found(w)).toEqual(['process critical'])
    expect(w.news).toEqual([])
  })

  it('may leave processes behind, which are named until they are gone', async () => {
    await using w = await watchWorld()
    w.sessions = [aSession(1, { ownPid: true, pid: 42 })]
    const child = (pid: number, parent: number) => ({
      pid,
      parent,
      born: `b${pid}`,
      command: `server-${pid}`,
    })
    const all = [child(42, 1), child(100, 42), child(101, 100), child(7, 1)]
    w.processes = all
    for (let i = 0; i < 4; i++) await w.pass(31)
    expect(w.store.watch.spawns({ kinds: ['child'] }).map(({ pid }) => pid)).toEqual([100, 101])
    w.sessions = []
    // The system reused pid 101 for another process.
    w.processes = [{ ...child(101, 1), born: 'later' }, { ...child(100, 1) }, child(7, 1)]
    await w.pass(31)
    expect(found(w)).toEqual(['children warning'])
    expect(w.store.watch.spawns({ status: ['abandoned'] }).map(({ pid }) => pid)).toEqual([100])
    expect(w.store.watch.currentChecks()[0]?.details.message).toBe('left a process running: 100 server-100')
    w.processes = [child(7, 1)]
    await w.pass(31)
    expect(found(w)).toEqual([])
    expect(w.store.watch.spawns({ kinds: ['child'] }).map(({ status }) => status)).toEqual([
      'completed',
      'completed',
    ])
  })
})

describe('A session that never said goodbye', () => {
  it('is over when its process went under watch, and is shown for an hour more', async () => {
    await using w = await watchWorld()
    w.sessions = [aSession(1, { ownPid: true, pid: 42, lastSeenAt: at(0) })]
    alive(w, 42)
    await w.pass(5)
    alive(w)
    await w.pass(5)
    expect(w.lost).toEqual([])
    await w.pass(11)
    expect(w.lost).toEqual([`${sessionId(1)} its process is gone`])
    w.sessions = []
    await w.pass(60)
    expect((await w.watch.look()).map(({ state }) => state)).toEqual(['dead'])
    await w.pass(3600)
    expect(await w.watch.look()).toEqual([])
  })

  it('is one line with what Baton started, and gone with it', async () => {
    await using w = await watchWorld()
    const launch = { program: 'claude', args: [] }
    const started = {
      agent: 'claude-code',
      driver: 'tmux',
      launch,
      cwd: '/w',
      project: '/w',
      env: {},
    } as const
    const { place, title, pid } = await w.spawns.start(started)
    w.sessions = [aSession(1, { ownPid: true, pid: 42, lastSeenAt: at(0), pane: place ?? '' })]
    alive(w, 42)
    await w.pass(5)
    alive(w)
    w.screens.set(place ?? '', { state: 'dead', lines: [], pid: pid ?? 0 })
    await w.pass(5)
    await w.pass(11)
    expect(w.lost).toHaveLength(1)
    w.sessions = []
    await w.pass(60)
    expect((await w.watch.look()).map(({ state, session }) => [state, session?.id])).toEqual([
      ['dead', sessionId(1)],
    ])
    expect(w.lost).toHaveLength(1)
    await w.spawns.kill(title)
    await w.pass(5)
    expect(await w.watch.look()).toEqual([])
  })

  it('is over when it went while no daemon ran: an earlier one had seen it', async () => {
    await using w = await watchWorld()
    w.sessions = [
      aSession(1, { ownPid: true, pid: 42, lastSeenAt: at(0) }),
      aSession(2, { ownPid: true, pid: 77, lastSeenAt: at(0) }),
    ]
    alive(w, 42)
    await w.pass(5)
    alive(w)
    w.restart()
    await w.pass(5)
    await w.pass(11)
    expect(w.lost).toEqual([`${sessionId(1)} its process is gone`])
    expect(w.news).toEqual([])
  })

  it('may live while its process does, even where its terminal cannot be seen', async () => {
    await using w = await watchWorld()
    w.sessions = [workingSession({ ownPid: true, pid: 42 })]
    w.show(PLACE, 'waiting', 'ready')
    alive(w, 42)
    await w.pass(5)
    w.screens.clear()
    for (let i = 0; i < 4; i++) await w.pass(10)
    expect(w.lost).toEqual([])
  })

  it('is over after a day of silence, unless its process or its screen is there', async () => {
    await using w = await watchWorld()
    w.sessions = [
      aSession(1, { lastSeenAt: at(0) }),
      aSession(2, { lastSeenAt: at(0), ownPid: true, pid: 42 }),
      aSession(3, { lastSeenAt: at(0), pane: PLACE }),
      aSession(4, { lastSeenAt: at(0), ownPid: true, pid: 43 }),
      // Its number is another program's since the machine was restarted.
      aSession(5, { lastSeenAt: at(0), ownPid: true, pid: 44 }),
    ]
    w.show(PLACE, 'waiting', 'ready')
    alive(w, 42, 44)
    w.began.set(42, Date.parse(at(-100))).set(44, Date.parse(at(3600 * 3)))
    await w.pass(5)
    await w.pass(3600 * 23)
    const before = [...w.lost]
    await w.pass(3600 * 2)
    for (let i = 0; i < 3; i++) await w.pass(10)
    expect(before).toEqual([])
    expect([...new Set(w.lost)]).toEqual([
      `${sessionId(1)} silent for a day`,
      `${sessionId(4)} silent for a day`,
      `${sessionId(5)} its process is gone`,
    ])
  })

  it('is over when another began at its place, unless it only went to the background', async () => {
    await using w = await watchWorld()
    w.show(PLACE, 'waiting', 'ready')
    w.sessions = [
      aSession(1, { lastSeenAt: at(-60), pane: PLACE, ownPid: true, pid: 42 }),
      aSession(2, { lastSeenAt: at(-50), pane: PLACE, ownPid: true, pid: 43 }),
      aSession(3, { startedAt: at(-40), lastSeenAt: at(0), pane: PLACE, ownPid: true, pid: 44 }),
    ]
    alive(w, 43, 44)
    await w.pass(5)
    expect(w.lost).toEqual([`${sessionId(1)} another session started in its terminal`])
  })
})

describe('What Baton started', () => {
  const order = {
    agent: 'claude-code' as const,
    driver: 'tmux' as const,
    launch: { program: 'claude', args: [] },
    cwd: '/w',
    project: '/w/shop',
    env: {},
  }

  it('is watched before its hooks report, and becomes the session that reports from its place', async () => {
    await using w = await watchWorld()
    const spawn = await w.spawns.start(order)
    expect(spawn).toMatchObject({ kind: 'run', status: 'running', session: null, title: 'shop-0000' })
    await w.pass(5)
    expect((await w.watch.look())[0]).toMatchObject({
      state: 'waiting',
      spawn: { id: spawn.id },
      session: undefined,
    })
    w.sessions = [
      aSession(1, { pane: spawn.place ?? '', lastSeenAt: at(6) }),
      aSession(2, { pane: spawn.place ?? '', lastSeenAt: at(-500) }),
    ]
    await w.pass(5)
    expect(w.store.watch.spawn(spawn.id)?.session).toBe(sessionId(1))
    // After /clear, another conversation is at the same place.
    w.sessions.push(aSession(3, { pane: spawn.place ?? '', lastSeenAt: at(20) }))
    await w.pass(5)
    expect((await w.watch.look()).map(({ id }) => id)).toEqual([sessionId(3)])
    expect(w.store.watch.spawn(spawn.id)?.session).toBe(sessionId(3))
  })

  it('ends only by its own name and only when it is still the same, and what Baton did not start does not', async () => {
    await using w = await watchWorld()
    w.sessions = [workingSession()]
    w.show(PLACE, 'waiting', 'mine')
    const one = await w.spawns.start(order)
    const two = await w.spawns.start({ ...order, title: 'second' })
    await expect(w.spawns.kill(workingSession().nativeSession)).rejects.toMatchObject({ code: 'not_allowed' })
    await expect(w.spawns.kill('nobody')).rejects.toMatchObject({ code: 'not_found' })
    await expect(w.spawns.kill('spn_')).rejects.toThrow('More than one session matches')
    await expect(w.spawns.kill('')).rejects.toMatchObject({ code: 'not_found' })
    // tmux was restarted and gave the pane number to another program.
    const place = one.place ?? ''
    w.screens.set(place, { state: 'waiting', lines: [], pid: 9999 })
    await expect(w.spawns.kill(one.id)).rejects.toMatchObject({ code: 'not_allowed' })
    expect(await w.spawns.kill('second')).toMatchObject({ id: two.id, status: 'completed' })
    expect(w.screens.has(two.place ?? '')).toBe(false)
    expect(w.screens.has(place)).toBe(true)
    await w.pass(5)
    expect(w.store.watch.spawn(one.id)?.status).toBe('completed')
  })

  it('stays to be looked at when it failed, and is over when its terminal goes', async () => {
    await using w = await watchWorld()
    const spawn = await w.spawns.start(order)
    const place = spawn.place ?? ''
    await w.pass(5)
    w.screens.set(place, {
      state: 'dead',
      lines: ['claude: not logged in'],
      pid: spawn.pid ?? 0,
      changedAt: Date.parse(at(5)),
    })
    await w.pass(5)
    expect(w.store.watch.spawn(spawn.id)).toMatchObject({ status: 'failed', ended_at: null })
    expect(w.store.watch.checks()[0]?.details).toMatchObject({ last: ['claude: not logged in'] })
    expect((await w.watch.look())[0]?.state).toBe('dead')
    await w.spawns.kill(spawn.id)
    await w.pass(5)
    expect(await w.watch.look()).toEqual([])
    expect(w.news).toHaveLength(1)
  })

  it('counts as over when it was killed, even without a goodbye', async () => {
    await using w = await watchWorld()
    const spawn = await w.spawns.start(order)
    w.sessions = [aSession(1, { pane: spawn.place ?? '', lastSeenAt: at(1) })]
    await w.pass(5)
    await w.spawns.kill(spawn.id)
    await w.pass(5)
    // Its own goodbye may still come.
    expect(w.lost).toEqual([])
    for (let i = 0; i < 5; i++) await w.pass(10)
    expect(await w.watch.look()).toEqual([])
    expect(found(w)).toEqual([])
    expect(w.lost).toEqual([`${sessionId(1)} its terminal is gone`])
  })
})

describe('A pane that a person had watched', () => {
  it('is adopted once, looked at, and let go', async () => {
    await using w = await watchWorld()
    w.show(PLACE, 'working', 'compiling')
    const spawn = await w.spawns.adopt(PLACE, undefined)
    expect((await w.spawns.adopt(PLACE, 'codex')).id).toBe(spawn.id)
    await w.pass(5)
    expect(await w.watch.look()).toMatchObject([{ state: 'working', agent: 'claude-code' }])
    await expect(w.spawns.kill('%1')).rejects.toMatchObject({ code: 'not_allowed' })
    await expect(w.spawns.adopt('%77 /tmp/s', undefined)).rejects.toMatchObject({ code: 'not_found' })
    await expect(w.spawns.adopt('elsewhere', undefined)).rejects.toMatchObject({ code: 'usage' })
    await w.spawns.release('%1')
    await w.pass(5)
    expect(await w.watch.look()).toEqual([])
  })
})

it('Looks closely only where something was printed, and writes only what changed', async () => {
  await using w = await watchWorld()
  w.sessions = Array.from({ length: 50 }, (_, i) => aSession(i + 1, { pane: `%${i} /tmp/s` }))
  for (let i = 0; i < 50; i++) w.show(`%${i} /tmp/s`, 'waiting', 'ready')
  await w.pass(5)
  await w.pass(5)
  w.looks.length = 0
  const before = new Map(w.store.watch.sessions().map(row => [row.session, row.updated_at]))
  w.show('%7 /tmp/s', 'waiting', 'news')
  await w.pass(5)
  expect(w.looks).toEqual(['%7 /tmp/s'])
  const rewritten = w.store.watch.sessions().filter(row => row.updated_at !== before.get(row.session))
  expect(rewritten.length).toBeLessThanOrEqual(1)
})
