import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Config } from '@batonpass/contract/config'
import { NoticeKind } from '@batonpass/contract/notice'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { bellNotifier } from '../../src/adapters/notify/bell.ts'
import { desktopNotifier } from '../../src/adapters/notify/desktop.ts'
import { webhookNotifier } from '../../src/adapters/notify/webhook.ts'
import { systemPrograms } from '../../src/adapters/system/programs.ts'
import { noticeOfEntry } from '../../src/ask/journal-notices.ts'
import { type Notice, type Notifier, notifierChannel } from '../../src/ask/notifier.ts'
import { isQuiet, mayTell, withQuietHours } from '../../src/ask/quiet-hours.ts'
import { makeRedactor } from '../../src/journal/redact.ts'
import type { News } from '../../src/ports/channel.ts'
import { openSqlite } from '../../src/store/sqlite.ts'
import { startTerminal } from '../world/agents/tmux.ts'
import { anEntry, aPrompt, sessionId } from '../world/journal.ts'
import { scratch } from '../world/scratch.ts'
import { fakeTime } from '../world/time.ts'
import { until } from '../world/wait.ts'
import { listChannel, sampleAsk } from './sample.ts'

const run = promisify(execFile)
const notify = (more: object = {}) => Config.parse({ notify: more }).notify
const signal = new AbortController().signal
const isAway = async () => false

describe('quiet hours', () => {
  test.each([
    ['22:00-07:00', '21:59', false],
    ['22:00-07:00', '22:00', true],
    ['22:00-07:00', '03:00', true],
    ['22:00-07:00', '07:00', false],
    ['12:00-13:00', '12:30', true],
    ['12:00-13:00', '13:00', false],
    ['00:00-00:00', '05:00', true],
    ['', '05:00', false],
  ])('%s at %s: %s', (span, time, quiet) => {
    const [hours = 0, minutes = 0] = time.split(':').map(Number)
    expect(isQuiet(span, hours * 60 + minutes)).toBe(quiet)
  })

  test('a span and its other half cover the day once', () => {
    const clock = fc.integer({ min: 0, max: 1439 })
    const text = (m: number) =>
      `${String(Math.floor(m / 60)).padStart(2, '0')}:${String(m % 60).padStart(2, '0')}`
    fc.assert(
      fc.property(clock, clock, clock, (from, to, at) => {
        fc.pre(from !== to)
        expect(isQuiet(`${text(from)}-${text(to)}`, at)).toBe(!isQuiet(`${text(to)}-${text(from)}`, at))
      }),
    )
  })
})

describe('what a person is told', () => {
  test('is what they want to hear, once in a while', () => {
    const moment = { now: 1e9, minutes: 600, lastSent: undefined }
    expect(mayTell('ended', notify(), moment)).toBe(true)
    expect(mayTell('ended', notify({ about: ['pr-ready'] }), moment)).toBe(false)
    expect(mayTell('ended', notify(), { ...moment, lastSent: 1e9 - 60_000 })).toBe(false)
    expect(mayTell('ended', notify({ repeat_minutes: 0 }), { ...moment, lastSent: 1e9 })).toBe(true)
    expect(
      NoticeKind.options.every(kind => mayTell(kind, notify({ quiet_hours: '09:00-11:00' }), moment)),
    ).toBe(false)
  })

  test('comes once by each channel, a restart and a second daemon notwithstanding; questions come as ever', async () => {
    const store = await openSqlite(':memory:')
    const time = fakeTime()
    const told: News[] = []
    const make = () =>
      withQuietHours(
        { ...listChannel('list'), tell: async news => told.push(news) > 0 },
        { settingsFor: async () => notify(), isAway, memory: store.asks.memory('notify'), clock: time.clock },
      )
    const news: News = { project: '/p', text: 'done', kind: 'ended', session: sessionId(1) }
    expect(await make().tell?.(news)).toBe(true)
    expect(await make().tell?.(news)).toBe(false)
    expect(await make().tell?.({ ...news, session: sessionId(2) })).toBe(true)
    expect(await make().tell?.({ ...news, text: 'other' })).toBe(true)
    await time.advance(16 * 60_000)
    expect(await make().tell?.(news)).toBe(true)
    expect(await make().show(sampleAsk(), signal)).toBe(true)
    await store.close()
  })

  test('comes in quiet hours only to a person who is away, and an open question then, too', async () => {
    const store = await openSqlite(':memory:')
    let away = false
    const sent: Notice[] = []
    const notifier: Notifier = {
      name: 'webhook',
      reaches: false,
      send: async notice => sent.push(notice) > 0,
    }
    const channel = notifierChannel(notifier, {
      settingsFor: async () => notify({ webhook: 'https://example.com', quiet_hours: '00:00-00:00' }),
      isAway: async () => away,
      memory: store.asks.memory('notify'),
      clock: fakeTime().clock,
    })
    const news: News = { project: '/p', text: 'done', kind: 'ended', session: sessionId(1) }
    await channel.tell?.(news)
    await channel.show(sampleAsk(), signal)
    expect(sent).toEqual([])
    away = true
    await channel.tell?.(news)
    await channel.show(sampleAsk(), signal)
    await channel.show(sampleAsk(), signal)
    expect(sent.map(({ kind }) => kind)).toEqual(['ended', 'needs-input'])
    await store.close()
  })

  test('a question is announced by a notifier that is on, and once', async () => {
    const store = await openSqlite(':memory:')
    const sent: Notice[] = []
    const notifier: Notifier = { name: 'desktop', reaches: true, send: async notice => sent.push(notice) > 0 }
    const make = (on: boolean) =>
      notifierChannel(notifier, {
        settingsFor: async () => notify({ desktop: on }),
        isAway,
        memory: store.asks.memory('notify'),
        clock: fakeTime().clock,
      })
    expect(await make(false).show(sampleAsk(), signal)).toBe(false)
    expect(await make(true).show(sampleAsk(), signal)).toBe(true)
    expect(await make(true).show(sampleAsk(), signal)).toBe(false)
    expect(sent).toMatchObject([{ kind: 'needs-input', text: expect.stringContaining('rm -rf build') }])
    await store.close()
  })

  test('an idle session and a finished handoff are news; a tool call is none', () => {
    const { prompt: _, ...common } = { ...aPrompt(''), prompt: '' }
    const entry = (body: object) => ({ ...anEntry(''), seq: 1, body: body as never })
    const idle = { kind: 'event', source: 'user', event: { ...common, type: 'Idle', kind: 'idle' } }
    expect(noticeOfEntry(entry(idle))).toMatchObject({ kind: 'needs-input' })
    const cycle = { kind: 'cycle', what: 'completed', cycle: 'cyc_1', step: 'done' }
    expect(noticeOfEntry(entry(cycle))).toMatchObject({ kind: 'handoff' })
    expect(noticeOfEntry({ ...anEntry('x'), seq: 1 })).toBeUndefined()
  })
})

describe('the ways to be told', () => {
  const notice = {
    kind: 'ended' as const,
    title: 'Baton: Ended',
    text: '-x <b>bold</b> $(id)',
    project: '/p',
  }

  test('the desktop program gets the text as one argument, without markup', async () => {
    await using here = scratch()
    const out = join(here.path, 'said')
    here.write('bin/notify-send', `#!/bin/sh\nprintf '%s\\n' "$@" > ${out}\n`, 0o755)
    const make = (path: string) =>
      desktopNotifier({
        programs: systemPrograms,
        env: { PATH: path },
        platform: 'linux',
        uid: undefined,
        onPath: () => path !== '',
      })
    expect(await make(`${here.path}/bin:/usr/bin:/bin`).send(notice)).toBe(true)
    expect(readFileSync(out, 'utf8').split('\n')).toEqual([
      '--app-name=Baton',
      '--urgency=normal',
      '--',
      'Baton: Ended',
      '-x &lt;b&gt;bold&lt;/b&gt; $(id)',
      '',
    ])
    expect(await make('').send(notice)).toBe(false)
  })

  test('on a Mac the text is data to the script', async () => {
    const calls: { program: string; args: readonly string[] }[] = []
    const mac = desktopNotifier({
      programs: {
        async run(call) {
          calls.push(call)
          return { why: 'itself', code: 0, stdout: '', stderr: '' }
        },
      },
      env: {},
      platform: 'darwin',
      uid: 501,
      onPath: () => true,
    })
    await mac.send({ ...notice, text: '" & (do shell script "id") & "' })
    expect(calls[0]?.program).toBe('osascript')
    expect(calls[0]?.args.slice(-2)).toEqual(['Baton: Ended', '" & (do shell script "id") & "'])
  })

  test('a webhook gets JSON without secrets, and a redirect is not followed', async () => {
    const bodies: unknown[] = []
    const server = createServer(async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk)
      bodies.push([request.url, JSON.parse(Buffer.concat(chunks).toString())])
      if (request.url === '/moved') response.writeHead(302, { location: '/elsewhere' })
      response.end()
    })
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const { text } = makeRedactor(() => ['the-secret-word'])
    const hook = webhookNotifier({ now: () => 0, redact: text })
    expect(await hook.send({ ...notice, text: 'the-secret-word' }, { webhook: `${url}/hook` })).toBe(true)
    expect(await hook.send(notice, { webhook: `${url}/moved` })).toBe(false)
    expect(await hook.send(notice, { webhook: 'http://127.0.0.1:1/none' })).toBe(false)
    expect(bodies).toMatchObject([
      ['/hook', { kind: 'ended', text: '[redacted]', project: '/p', at: '1970-01-01T00:00:00.000Z' }],
      ['/moved', {}],
    ])
    await new Promise(resolve => server.close(resolve))
  })

  test('the bell rings in the terminal of the session, and nowhere else', async () => {
    await using terminal = await startTerminal({
      command: ['sh', '-c', 'echo here; read x'],
      cwd: '/',
      env: { PATH: process.env.PATH ?? '', LC_ALL: 'C.UTF-8' },
    })
    await terminal.waitForScreen(/here/)
    const tmux = async (...args: string[]) =>
      (await run('tmux', ['-S', terminal.socket, ...args])).stdout.trim()
    await tmux('set-option', '-g', 'bell-action', 'any')
    await tmux('set-hook', '-g', 'alert-bell', 'set-option -g @rang yes')
    const pids = new Map([['mine', terminal.pid]])
    const bell = bellNotifier({ programs: systemPrograms, pidOf: async session => pids.get(session) })
    expect(await bell.send({ session: 'other' })).toBe(false)
    expect(await tmux('show-options', '-gqv', '@rang')).toBe('')
    expect(await bell.send({ session: 'mine' })).toBe(true)
    await until(async () => (await tmux('show-options', '-gqv', '@rang')) === 'yes', { what: 'the bell' })
  })
})
