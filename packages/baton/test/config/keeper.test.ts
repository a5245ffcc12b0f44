import { readFileSync, rmSync, symlinkSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { systemFiles } from '../../src/adapters/system/files.ts'
import { type ConfigChange, keepConfig } from '../../src/config/keeper.ts'
import type { Files } from '../../src/ports/files.ts'
import { configWorld } from './world.ts'

function keeperWorld() {
  const world = configWorld()
  const calls = { read: 0, facts: 0 }
  const files: Files = {
    ...systemFiles,
    read: (path, limit) => {
      calls.read++
      return systemFiles.read(path, limit)
    },
    facts: path => {
      calls.facts++
      return systemFiles.facts(path)
    },
  }
  const time = { now: Date.UTC(2031, 0, 1) }
  const clock = { now: () => time.now, elapsed: () => time.now }
  const changes: ConfigChange[] = []
  const { project, ...places } = world.places
  const keeper = keepConfig(
    places,
    { files, clock },
    { checkEveryMs: 100, onChange: change => changes.push(change) },
  )
  return {
    ...world,
    calls,
    time,
    changes,
    kinds: () => changes.map(change => change.kind),
    /** The configuration after the next look. */
    next: () => {
      time.now += 100
      return keeper.get(project)
    },
    keeper,
    project,
  }
}

describe('the keeper', () => {
  test('sees a file appear, change and go away', async () => {
    await using world = keeperWorld()
    expect((await world.next()).config.handsoff.max_continuations).toBe(10)
    world.write('project/.agentize.local.yaml', 'handsoff: {max_continuations: 1}\n')
    expect((await world.next()).config.handsoff.max_continuations).toBe(1)
    const path = world.write('project/.baton.yaml', 'handsoff: {max_continuations: 2}\n')
    expect((await world.next()).config.handsoff.max_continuations).toBe(2)
    rmSync(path)
    expect((await world.next()).config.handsoff.max_continuations).toBe(1)
    world.write('home/.baton.yaml', 'handsoff: {debug: true}\n')
    expect((await world.next()).config.handsoff).toMatchObject({ max_continuations: 1, debug: true })
    expect(world.kinds()).toEqual(['loaded', 'loaded', 'loaded', 'loaded', 'loaded'])
  })

  test('keeps the last good configuration while the new one is bad, says so once, and recovers', async () => {
    await using world = keeperWorld()
    world.write('home/.baton.yaml', 'handsoff: {max_continuations: 3}\npermissions: {deny: ["^rm"]}\n')
    await world.next()
    world.write('home/.baton.yaml', 'handsoff: {max_continuations: [}\n')
    for (let look = 0; look < 5; look++) {
      const { config, problems, sources } = await world.next()
      expect(config.handsoff).toMatchObject({ max_continuations: 3, enabled: true })
      expect(config.permissions.deny).toEqual(['^rm'])
      expect(sources.get('handsoff.max_continuations')).toMatchObject({ line: 1 })
      expect(problems).toHaveLength(1)
    }
    expect(world.kinds()).toEqual(['loaded', 'broken'])
    world.write('home/.baton.yaml', 'handsoff: {max_continuations: 1001}\n')
    expect((await world.next()).config.handsoff.max_continuations).toBe(3)
    expect(world.kinds()).toEqual(['loaded', 'broken', 'broken'])
    world.write('home/.baton.yaml', 'handsoff: {max_continuations: 4}\n')
    const { config, problems } = await world.next()
    expect({ max: config.handsoff.max_continuations, problems }).toEqual({ max: 4, problems: [] })
    expect(world.kinds()).toEqual(['loaded', 'broken', 'broken', 'fixed'])
  })

  test('starts cautiously when the first configuration is bad', async () => {
    await using world = keeperWorld()
    world.write('home/.baton.yaml', 'oops: 1\n')
    expect((await world.next()).config.handsoff.enabled).toBe(false)
    world.write('home/.baton.yaml', '{}\n')
    expect((await world.next()).config.handsoff.enabled).toBe(true)
    expect(world.kinds()).toEqual(['broken', 'fixed'])
  })

  test('reads nothing while nothing changes, and does not even look between two looks', async () => {
    await using world = keeperWorld()
    world.write('home/.baton.yaml', 'handsoff: {debug: true}\n')
    await world.next()
    const { read, facts } = world.calls
    for (let call = 0; call < 50; call++) await world.keeper.get(world.project)
    expect(world.calls).toEqual({ read, facts })
    await world.next()
    expect(world.calls.read).toBe(read)
    expect(world.calls.facts).toBeGreaterThan(facts)
  })

  test('calls at the same time share one look', async () => {
    await using world = keeperWorld()
    const all = await Promise.all(Array.from({ length: 40 }, () => world.keeper.get(world.project)))
    expect(new Set(all).size).toBe(1)
    expect(world.changes).toHaveLength(1)
  })

  test('sees a second write within one tick of the file system’s clock', async () => {
    await using world = keeperWorld()
    const path = world.write('home/.baton.yaml', 'handsoff: {max_continuations: 1}\n')
    const sameStamp: Files = {
      ...systemFiles,
      facts: async name => {
        const facts = await systemFiles.facts(name)
        return facts && { ...facts, stamp: 'same', modifiedMs: world.time.now }
      },
    }
    const clock = { now: () => world.time.now, elapsed: () => world.time.now }
    const { project: _, ...places } = world.places
    const keeper = keepConfig(places, { files: sameStamp, clock }, { checkEveryMs: 0 })
    expect((await keeper.get()).config.handsoff.max_continuations).toBe(1)
    world.write('home/.baton.yaml', readFileSync(path, 'utf8').replace('1', '2'))
    world.time.now += 1
    expect((await keeper.get()).config.handsoff.max_continuations).toBe(2)
  })

  test('sees a change of equal size whose modification time was set back', async () => {
    await using world = keeperWorld()
    const path = world.write('home/.baton.yaml', 'handsoff: {max_continuations: 1}\n')
    const then = new Date('2020-01-01T00:00:00Z')
    utimesSync(path, then, then)
    expect((await world.next()).config.handsoff.max_continuations).toBe(1)
    world.write('home/.baton.yaml', 'handsoff: {max_continuations: 2}\n')
    utimesSync(path, then, then)
    expect((await world.next()).config.handsoff.max_continuations).toBe(2)
  })

  test('sees trust given and taken by an edit', async () => {
    await using world = keeperWorld()
    world.write('project/.baton.yaml', 'permissions: {allow: [ls]}\n')
    expect((await world.next()).config.permissions.allow).toEqual([])
    await world.trust('project/.baton.yaml')
    expect((await world.next()).config.permissions.allow).toEqual(['ls'])
    world.write('project/.baton.yaml', 'permissions: {allow: [ls, rm]}\n')
    const { config, notices } = await world.next()
    expect(config.permissions.allow).toEqual([])
    expect(notices).toHaveLength(1)
  })

  test('sees a link that leads nowhere take the place of a file', async () => {
    await using world = keeperWorld()
    world.write('home/.agentize.local.yaml', 'handsoff: {debug: true}\n')
    await world.next()
    symlinkSync('nowhere', join(world.path, 'home/.baton.yaml'))
    const { config, problems } = await world.next()
    expect(problems).toHaveLength(1)
    expect(config.handsoff.debug).toBe(true)
  })

  test('keeps projects apart, and reports a change without being asked', async () => {
    await using world = keeperWorld()
    const other = join(world.path, 'other')
    world.write('project/.baton.yaml', 'handsoff: {max_continuations: 1}\n')
    world.write('other/.baton.yaml', 'handsoff: {max_continuations: 2}\n')
    expect((await world.keeper.get(world.project)).config.handsoff.max_continuations).toBe(1)
    expect((await world.keeper.get(other)).config.handsoff.max_continuations).toBe(2)
    expect((await world.keeper.get()).config.handsoff.max_continuations).toBe(10)
    world.write('other/.baton.yaml', 'handsoff: nonsense\n')
    await world.keeper.refresh()
    expect(world.changes.at(-1)).toMatchObject({ project: other, kind: 'broken' })
  })

  test('forgets the project unused for longest when there are too many', async () => {
    await using world = keeperWorld()
    const { project: _, ...places } = world.places
    const clock = { now: () => world.time.now, elapsed: () => world.time.now }
    const loads: (string | undefined)[] = []
    const onChange = ({ project }: ConfigChange) => void loads.push(project)
    const keeper = keepConfig(places, { files: systemFiles, clock }, { maxProjects: 2, onChange })
    for (const project of ['/a', '/b', '/a', '/c', '/a', '/b']) await keeper.get(project)
    expect(loads).toEqual(['/a', '/b', '/c', '/b'])
  })
})
