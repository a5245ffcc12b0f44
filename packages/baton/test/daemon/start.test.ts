import { spawn } from 'node:child_process'
import { chmodSync, chownSync, existsSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, test } from 'vitest'
import { openStateFolder } from '../../src/config/state-folder.ts'
import { claimStart, startFailure } from '../../src/hook/start-mark.ts'
import { takeLock } from '../../src/store/lock.ts'
import { hookWorld, standIn, toolCall } from '../hook/world.ts'
import { scratch } from '../world/scratch.ts'
import { until } from '../world/wait.ts'
import { baton, health, hookCaller, startedDaemon, startProgram } from './process-world.ts'

describe('a daemon', () => {
  test.each([2, 20])('is left alone when %i start at once', { timeout: 240_000 }, async count => {
    await using world = hookWorld()
    const all = Array.from({ length: count }, () => startProgram(world))
    const { pid } = await until(() => health(world.folder), { what: 'one to answer', timeout: 120_000 })
    const others = all.filter(({ child }) => child.pid !== pid)
    expect(others).toHaveLength(count - 1)
    expect(new Set(await Promise.all(others.map(({ ended }) => ended)))).toEqual(new Set([0]))
    expect(world.daemons()).toEqual([pid])
    const started = (await world.entries({ kind: 'daemon' })).map(({ body }) => body)
    expect(started).toMatchObject([{ what: 'started', pid }])
    expect(existsSync(join(world.folder.dir, 'daemon.start'))).toBe(false)
  })

  test('does not report a failed start while another holds the folder', { timeout: 240_000 }, async () => {
    await using world = hookWorld()
    const lock = takeLock(world.folder.lock, 0)
    expect(claimStart(world.folder.dir)).toBe('mine')
    const surplus = startProgram(world)
    expect(await surplus.ended).toBe(1)
    expect(surplus.said()).toContain('Another daemon holds this folder')
    // Hooks that wait for the first one are not told to give up.
    expect(startFailure(world.folder.dir)).toBeUndefined()
    lock?.release()
  })

  test('takes the place of one that was killed and left its socket', async () => {
    await using world = hookWorld()
    const first = await startedDaemon(world)
    first.child.kill('SIGKILL')
    await first.ended
    expect(statSync(world.folder.socket).isSocket()).toBe(true)
    const { code, stdout } = await baton(world, ['up'])
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('The daemon is running') })
  })

  test('does not take a socket on which another program listens', async () => {
    await using world = hookWorld()
    await using _ = await standIn(world.folder, connection => connection.end('I am not Baton\n'))
    const started = startProgram(world)
    expect(await started.ended).toBe(1)
    expect(started.said()).toContain(`Another program listens on ${world.folder.socket}`)
    expect((await baton(world, ['up'])).stderr).toContain('Another program listens on')
    expect(statSync(world.folder.socket).isSocket()).toBe(true)
  })

  test('does not remove what stands in place of its socket', async () => {
    await using world = hookWorld()
    writeFileSync(world.folder.socket, 'mine')
    const { code, stderr } = await baton(world, ['up'])
    expect(code).toBe(3)
    expect(stderr).toContain('exists and is not a socket')
    expect(stderr).toContain('Move it away')
    expect(statSync(world.folder.socket).size).toBe(4)
  })

  test('is refused by a database of a newer Baton, and `baton up`, `status` and `doctor` say so', async () => {
    await using world = hookWorld()
    expect((await baton(world, ['up'])).code).toBe(0)
    expect((await baton(world, ['down'])).code).toBe(0)
    const database = new Database(world.folder.database)
    const [{ name: table = '' } = {}] = database
      .prepare<[], { name: string }>(
        "select name from sqlite_master where name like '%migration%' and name not like '%lock%'",
      )
      .all()
    database.prepare(`insert into "${table}" (name, timestamp) values ('9999-from-the-future', '2040')`).run()
    database.close()
    const { code, stderr } = await baton(world, ['up'])
    expect(code).toBe(3)
    expect(stderr).toContain('was written by a newer version of Baton (9999-from-the-future)')
    expect(stderr).toContain('Install the newer version again')
    for (const word of ['status', 'doctor']) {
      const { code, stdout } = await baton(world, [word])
      expect(code, word).not.toBe(0)
      expect(stdout, word).toMatch(/could not be started|cannot be started/)
      expect(stdout.replaceAll(/\s+/g, ' '), word).toMatch(
        /newer version of Baton.*Install the newer version again/,
      )
      expect(stdout, word).not.toContain('the first hook of an agent starts it')
    }
  })

  test('keeps its socket, keys and journal for its owner alone', async () => {
    await using world = hookWorld()
    chmodSync(world.folder.dir, 0o777)
    await startedDaemon(world)
    const { socket, token, mcpKey, endpoint, database, dir } = world.folder
    const modes = [socket, token, mcpKey, endpoint, database].map(path => statSync(path).mode & 0o777)
    expect(modes).toEqual([0o600, 0o600, 0o600, 0o600, 0o600])
    expect(statSync(dir).mode & 0o022).toBe(0)
  })

  test('stops on SIGTERM when what is under way has been answered', async () => {
    await using world = hookWorld()
    const { child, ended } = await startedDaemon(world)
    const caller = hookCaller(world.folder)
    const calls = Array.from({ length: 30 }, (_, i) => caller.call(toolCall(`last-${i}`)))
    await Promise.race(calls)
    child.kill('SIGTERM')
    expect(await ended).toBe(0)
    const answered = (await Promise.allSettled(calls)).filter(result => result.status === 'fulfilled')
    caller.close()
    expect(existsSync(world.folder.socket)).toBe(false)
    await startedDaemon(world)
    const kept = (await world.entries({ kind: 'event' })).length
    expect(kept).toBeGreaterThanOrEqual(answered.length)
    const last = (await world.entries({ kind: 'daemon' })).map(({ body }) => body)
    expect(last).toMatchObject([{ what: 'started' }, { what: 'stopped' }, { what: 'started' }])
  })

  test('survives a task that fails unheard and an exception from nowhere', async () => {
    await using world = hookWorld()
    const plant = `process.on('SIGUSR2', () => {
      Promise.reject(new Error('planted rejection'))
      setTimeout(() => { throw new Error('planted exception') })
    })`
    const flags = ['--import', `data:text/javascript,${encodeURIComponent(plant)}`]
    const { child } = await startedDaemon(world, { flags })
    child.kill('SIGUSR2')
    const faults = await until(
      async () => {
        const found = (await world.entries({ kind: 'fault' })).map(({ body }) => JSON.stringify(body))
        return found.length === 2 && found.join()
      },
      { what: 'both faults in the journal' },
    )
    expect(faults).toContain('planted rejection')
    expect(faults).toContain('planted exception')
    expect((await health(world.folder)).pid).toBe(child.pid)
  })
})

describe('a daemon that does not answer', () => {
  test('is called slow, and waited for instead of doubled', { timeout: 240_000 }, async () => {
    await using world = hookWorld()
    const { child } = await startedDaemon(world)
    child.kill('SIGSTOP')
    const silent = await baton(world, ['status'])
    expect(silent).toMatchObject({ stdout: expect.stringMatching(/^The daemon is slow: /) })
    expect(JSON.parse((await baton(world, ['status', '--json'])).stdout)).toMatchObject({ daemon: 'silent' })
    expect((await baton(world, ['doctor'])).stdout).toMatch(/slow: it did not answer within 2 seconds/)
    const waiting = baton(world, ['up'])
    child.kill('SIGCONT')
    expect((await waiting).stdout).toContain(`The daemon is already running (pid ${child.pid})`)
    expect(world.daemons()).toEqual([child.pid])
  })
})

describe('baton down --force', () => {
  test('never signals a program that has the number of a daemon that died', async () => {
    await using world = hookWorld()
    const stranger = spawn('sleep', ['60'])
    writeFileSync(world.folder.endpoint, JSON.stringify({ pid: stranger.pid, url: 'http://127.0.0.1:1' }))
    const { code, stdout } = await baton(world, ['down', '--force'])
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'No daemon is running.\n' })
    expect(stranger.kill(0)).toBe(true)
    stranger.kill('SIGKILL')
  })

  test('ends a daemon that hangs, which `baton down` only reports', async () => {
    await using world = hookWorld()
    const { child, ended } = await startedDaemon(world)
    child.kill('SIGSTOP')
    const gently = await baton(world, ['down'])
    expect(gently).toMatchObject({ code: 1, stderr: expect.stringContaining('baton down --force') })
    expect((await baton(world, ['down', '--force'])).code).toBe(0)
    await ended
    expect(world.daemons()).toEqual([])
  })
})

describe('the state folder', () => {
  test('may not be a link or belong to somebody else', () => {
    const dir = scratch()
    mkdirSync(join(dir.path, 'real'))
    symlinkSync(join(dir.path, 'real'), join(dir.path, 'link'))
    expect(() => openStateFolder(join(dir.path, 'link'))).toThrow('Not a regular folder')
    // Only root can give a folder away; for anyone else the root folder is somebody else's.
    if (process.getuid?.() === 0) chownSync(join(dir.path, 'real'), 65534, 65534)
    const foreign = process.getuid?.() === 0 ? join(dir.path, 'real') : '/'
    expect(() => openStateFolder(foreign)).toThrow('belongs to another user')
    dir.remove()
  })
})
