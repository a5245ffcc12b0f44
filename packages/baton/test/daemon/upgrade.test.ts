import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, test } from 'vitest'
import { readConfig } from '../../src/config/read.ts'
import { sessionId } from '../../src/session/id.ts'
import { hookWorld, isSafe, toolCall } from '../hook/world.ts'
import { at, eventId } from '../world/journal.ts'
import { baton, DIST } from './process-world.ts'

/** What the code of 0.1.0 itself wrote: a database with its first five migrations, and every setting with its default. */
const fixture = (name: string) => readFileSync(join(import.meta.dirname, '../fixtures/upgrade', name), 'utf8')
const LAUNCHER = join(import.meta.dirname, '../fixtures/clients/protocol-1/perl')

describe('an upgrade from 0.1', () => {
  test('carries over journal, sessions, the open question and the settings, behind the launcher of 0.1', {
    timeout: 240_000,
  }, async () => {
    await using world = hookWorld()
    const database = new Database(world.folder.database)
    database.exec(fixture('state-0.1.sql'))
    database.close()
    chmodSync(world.folder.database, 0o600)
    // A port of its own: other tests run on this machine.
    const settings = fixture('baton-0.1.yaml').replace('port: 4747', 'port: 0')
    writeFileSync(join(world.home, '.baton.yaml'), settings, { mode: 0o600 })
    const launcher = join(world.scratch.path, 'launcher')
    const places = {
      HOME: world.folder.dir,
      NODE: process.execPath,
      CLI: join(DIST, 'cli.js'),
      DAEMON: join(DIST, 'daemon.js'),
    }
    const text = readFileSync(LAUNCHER, 'utf8').replace(
      /%([A-Z]+)%/g,
      (_, name: keyof typeof places) => places[name] ?? '',
    )
    writeFileSync(launcher, text, { mode: 0o755 })

    const input = toolCall('first', { session_id: 'native-1' })
    const { code, stdout } = await world.call(launcher, ['claude-code', 'PreToolUse', '--source', 'user'], {
      input,
    })
    expect({ code, safe: isSafe(stdout) }).toEqual({ code: 0, safe: false })

    const { asks } = JSON.parse((await baton(world, ['asks', '--json'])).stdout)
    expect(asks).toMatchObject([
      { key: eventId(3), state: 'open', detail: expect.stringContaining('npm run build') },
    ])
    const status = JSON.parse((await baton(world, ['status', '--all', '--json'])).stdout)
    expect(status.sessions).toContainEqual(
      expect.objectContaining({
        id: sessionId('claude-code', 'native-2'),
        endedAt: at(60),
        endReason: 'clear',
      }),
    )
    expect(status.daemon.config.problems).toEqual([])
    // The call went on in the session that 0.1 knew.
    expect(
      status.sessions.filter(({ id }: { id: string }) => id === sessionId('claude-code', 'native-1')),
    ).toHaveLength(1)

    const entries = await world.entries({})
    expect(entries.map(({ body }) => body)).toMatchObject([
      { kind: 'daemon', version: '0.1.0' },
      { kind: 'event', event: { type: 'SessionStarted' } },
      { kind: 'event', event: { prompt: '/issue-to-impl 42' } },
      { kind: 'workflow', what: 'started' },
      { kind: 'event', event: { type: 'ToolRequested' } },
      { kind: 'decision', decision: 'ask' },
      { kind: 'event', event: { response: 'x'.repeat(20_000) } },
      { kind: 'workflow', end: 'complete' },
      { kind: 'handoff', what: 'written' },
      { kind: 'fault' },
      ...entries.slice(10).map(() => ({})),
    ])
    expect(entries.findLast(({ toolUseId }) => toolUseId === 'first')?.session).toBe(
      sessionId('claude-code', 'native-1'),
    )
    const shown = await baton(world, ['logs'])
    expect({ code: shown.code, stdout: shown.stdout }).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('issue-to-impl ended'),
    })
  })

  test('every setting of 0.1 is still one, and means the same', () => {
    const { problems, notices = [] } = readConfig(Buffer.from(fixture('baton-0.1.yaml')), '.baton.yaml')
    expect({ problems, notices }).toEqual({ problems: [], notices: [] })
  })
})
