import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { answerIn } from '../../../src/adapters/tmux/control-client.ts'
import { bestSession, isOurs } from '../../../src/adapters/tmux/server.ts'
import { onlyShells } from '../../../src/adapters/tmux/type-text.ts'
import { until } from '../../world/wait.ts'
import { type TmuxWorld, tmuxWorld } from './world.ts'

const AGENT = 'claude-code'
const idOf = (place: string) => place.split(' ')[0] ?? ''

async function comes(world: TmuxWorld, place: string, state: string): Promise<void> {
  await until(async () => (await world.driver.readScreen(place, AGENT)).state === state, {
    what: `${place} to be ${state}`,
    evidence: async () => JSON.stringify(await world.driver.readScreen(place, AGENT)),
  })
}

async function waiting(world: TmuxWorld, title?: string): Promise<string> {
  const place = await world.agent(title)
  await comes(world, place, 'waiting')
  return place
}

describe('Words that a killed daemon left on the prompt line', () => {
  it('are removed and typed again; a person’s are left alone', async () => {
    await using world = tmuxWorld()
    const place = await waiting(world)
    const id = idOf(place)
    world.tmux('send-keys', '-t', id, '-l', 'half a')
    await comes(world, place, 'person')
    expect(await world.driver.type(place, 'the whole', AGENT)).toBe('busy')
    const now = world.tmux('display-message', '-p', '%s').trim()
    world.tmux('set-option', '-p', '-t', id, '@baton_typing', now)
    expect(await world.driver.type(place, 'the whole', AGENT)).toBe('taken')
    expect(JSON.stringify(world.told(place))).toContain('the whole')
    expect(JSON.stringify(world.told(place))).not.toContain('half a')
    // The note goes with the Enter: what stands there next is a person's again.
    expect(world.tmux('show-options', '-p', '-t', id)).not.toContain('@baton_typing')
  })

  it('are a person’s again after a while', async () => {
    await using world = tmuxWorld()
    const place = await waiting(world)
    const id = idOf(place)
    world.tmux('send-keys', '-t', id, '-l', 'half a')
    const now = Number(world.tmux('display-message', '-p', '%s').trim())
    world.tmux('set-option', '-p', '-t', id, '@baton_typing', String(now - 3600))
    await comes(world, place, 'person')
    expect(await world.driver.type(place, 'the whole', AGENT)).toBe('busy')
  })
})

it('A window too small for a prompt line is not called a dialog; at its old size it is read again', async () => {
  await using world = tmuxWorld()
  const place = await waiting(world)
  world.tmux('resize-window', '-t', idOf(place), '-x', '20', '-y', '5')
  await comes(world, place, 'unknown')
  world.tmux('resize-window', '-t', idOf(place), '-x', '80', '-y', '24')
  await comes(world, place, 'waiting')
  expect(await world.driver.type(place, 'dialog', AGENT)).toBe('taken')
  await comes(world, place, 'dialog')
})

it('An option of a dialog is chosen by keys, and only while exactly this dialog is shown', async () => {
  await using world = tmuxWorld()
  const place = await waiting(world)
  expect(await world.driver.type(place, 'choose', AGENT)).toBe('taken')
  const dialog = await until(async () => (await world.driver.readScreen(place, AGENT)).dialog, {
    what: 'a list',
  })
  expect(dialog).toMatchObject({ question: 'Which one?', options: ['Yes', 'Yes, always', 'No'] })
  const other = { ...dialog, options: ['Yes', 'No'] }
  expect(await world.driver.choose?.(place, AGENT, other, 0)).toBe('changed')
  expect(await world.driver.choose?.(place, AGENT, dialog, 2)).toBe('taken')
  expect(world.told(place)).toContainEqual({ chosen: 2 })
  await comes(world, place, 'waiting')
  expect(await world.driver.choose?.(place, AGENT, dialog, 0)).toBe('changed')
  expect(await world.driver.choose?.('%99 /nowhere', AGENT, dialog, 0)).toBe('gone')
})

describe('What is typed', () => {
  it('arrives as it is, whatever it is made of, and runs nothing', async () => {
    await using world = tmuxWorld()
    const place = await waiting(world)
    const nasty = fc.constantFrom(
      ...[
        ';',
        '\\',
        '"',
        "'",
        '$HOME',
        '$(touch hit)',
        '`touch hit`',
        '#{pane_pid}',
        '#(touch hit)',
        '\n',
        '\r\n',
      ],
      ...[
        '\x1b[201~',
        '\x03',
        '\x1b',
        '%end 1 2 1',
        '~',
        '{',
        '}',
        '-t',
        '--',
        'é',
        '🎉',
        '\u202e',
        '\ud800',
        '\0',
        ' ',
      ],
      ...['\x9b31m', '%begin', 'Enter', 'C-c', '\t', '*', '!', '@', '\\n', '\\033', '%if', '# c'],
    )
    const text = fc.array(fc.oneof(nasty, fc.string({ unit: 'grapheme', maxLength: 8 })), {
      minLength: 1,
      maxLength: 12,
    })
    await fc.assert(
      fc.asyncProperty(text, async parts => {
        // A word of its own in front: some prompts mean something to the small agent, and an empty one is none.
        const given = `p${parts.join('')}`
        const before = world.told(place).length
        expect(await world.driver.type(place, given, AGENT)).toBe('taken')
        await comes(world, place, 'waiting')
        expect(world.told(place).slice(before)).toEqual([shown(given)])
      }),
      { numRuns: 40 },
    )
    expect(existsSync(join(world.folder, 'hit'))).toBe(false)
  }, 120_000)

  it('may be long', async () => {
    await using world = tmuxWorld()
    const place = await waiting(world)
    const long = Array.from({ length: 3000 }, (_, i) => `line ${i} "quoted" $x`).join('\n')
    expect(await world.driver.type(place, long, AGENT)).toBe('taken')
    expect(world.told(place)).toContain(long)
  })

  it('is submitted again when an Enter was lost, and not claimed when it never goes', async () => {
    await using world = tmuxWorld()
    const place = await waiting(world)
    await world.driver.type(place, 'swallow', AGENT)
    expect(await world.driver.type(place, 'twice', AGENT)).toBe('taken')
    expect(world.told(place).slice(-2)).toEqual(['swallow', 'twice'])
    await world.driver.type(place, 'hold', AGENT)
    expect(await world.driver.type(place, 'stuck', AGENT)).toBe('not-taken')
  }, 40_000)
})

describe('A shell', () => {
  it('gets nothing typed, even below the picture that a killed agent left', async () => {
    await using world = tmuxWorld()
    const rule = '─'.repeat(40)
    const picture = `printf '%s\\n' '${rule}' '❯ ' '${rule}' '  ? for shortcuts'; PS1='$ ' exec sh -i`
    const id = world.tmux(
      'new-session',
      '-d',
      '-P',
      '-F',
      '#{pane_id}',
      '-x',
      '80',
      '-y',
      '24',
      'sh',
      '-c',
      picture,
    )
    const place = `${id.trim()} ${world.socket}`
    await until(
      async () => (await world.driver.readScreen(place, AGENT)).lines.some(line => line.startsWith('$')),
      { what: 'the shell' },
    )
    expect((await world.driver.readScreen(place, AGENT)).state).toBe('waiting')
    expect(await world.driver.type(place, `touch ${world.folder}/hit`, AGENT)).toBe('busy')
    expect(existsSync(join(world.folder, 'hit'))).toBe(false)
    expect(onlyShells('  10 10 -bash\n 12 10 node\n')).toBe(true)
    expect(onlyShells('  10 10 sh\n 10 10 node\n')).toBe(false)
  })

  it.each([
    ['codex', 'idle-80', 'waiting'],
    ['gemini', 'cleared-80', 'waiting'],
    ['copilot', 'idle-80', 'waiting'],
    ['opencode', 'interrupted-80', 'waiting'],
    ['pi', 'idle-80', 'dialog'],
  ] as const)('below the picture of a killed %s gets nothing either', async (agent, name, seen) => {
    await using world = tmuxWorld()
    const picture = join(import.meta.dirname, `../../fixtures/screens/${agent}/${name}.txt`)
    const id = world.tmux(
      ...['new-session', '-d', '-P', '-F', '#{pane_id}', '-x', '80', '-y', '30'],
      ...['sh', '-c', `cat '${picture}'; PS1='$ ' exec sh -i`],
    )
    const place = `${id.trim()} ${world.socket}`
    await until(
      async () => (await world.driver.readScreen(place, agent)).lines.some(line => line.startsWith('$')),
      { what: 'the shell' },
    )
    expect((await world.driver.readScreen(place, agent)).state).toBe(seen)
    expect(await world.driver.type(place, `touch ${world.folder}/hit`, agent)).toBe('busy')
    expect(await world.driver.clear(place, agent)).toBe('busy')
    expect(existsSync(join(world.folder, 'hit'))).toBe(false)
  })

  it('shows no screen of an agent, and an agent does, even while a person reads back', async () => {
    await using world = tmuxWorld()
    const id = world.tmux('new-session', '-d', '-P', '-F', '#{pane_id}', 'sh', '-c', 'echo hello; cat')
    expect(await world.driver.showsAgent?.(`${id.trim()} ${world.socket}`, AGENT)).toBe(false)
    const place = await waiting(world)
    expect(await world.driver.showsAgent?.(place, AGENT)).toBe(true)
    world.tmux('copy-mode', '-t', idOf(place))
    expect(await world.driver.showsAgent?.(place, AGENT)).toBe(true)
    expect(await world.driver.showsAgent?.(`%999 ${world.socket}`, AGENT)).toBe(false)
  })

  it('around an agent does no harm', async () => {
    await using world = tmuxWorld()
    const { launch, ...order } = world.order('wrapped')
    const args = ['-c', '"$@"; true', 'sh', launch.program, ...launch.args]
    const { place } = await world.driver.start({ ...order, launch: { program: 'sh', args } })
    await comes(world, place, 'waiting')
    expect(await world.driver.type(place, 'hello', AGENT)).toBe('taken')
  })
})

describe('A person', () => {
  it('who reads back in copy mode is not disturbed', async () => {
    await using world = tmuxWorld()
    const place = await waiting(world)
    world.tmux('copy-mode', '-t', idOf(place))
    expect((await world.driver.readScreen(place, AGENT)).state).toBe('person')
    expect(await world.driver.type(place, 'not now', AGENT)).toBe('busy')
    world.tmux('send-keys', '-t', idOf(place), '-X', 'cancel')
    expect(await world.driver.type(place, 'now', AGENT)).toBe('taken')
  })

  it('who has just pressed a key is not disturbed, and one who only looks on does not matter', async () => {
    await using world = tmuxWorld()
    await using outer = tmuxWorld()
    const place = await waiting(world)
    // Somebody's terminal, as real as it gets: a tmux in a tmux.
    outer.tmux('new-session', '-d', '-x', '90', '-y', '25', 'tmux', '-S', world.socket, 'attach')
    await until(() => world.tmux('list-clients', '-F', '#{client_control_mode}').includes('0'), {
      what: 'the person',
    })
    await until(async () => (await world.driver.readScreen(place, AGENT)).state === 'waiting', {
      what: 'the attaching to be past',
      timeout: 120_000,
    })
    outer.tmux('send-keys', 'Left')
    await comes(world, place, 'person')
    expect(await world.driver.type(place, 'not now', AGENT)).toBe('busy')
  }, 40_000)

  it('keeps the size of the window, with the connection open', async () => {
    await using world = tmuxWorld()
    await using outer = tmuxWorld()
    const place = await waiting(world)
    outer.tmux('new-session', '-d', '-x', '97', '-y', '27', 'tmux', '-S', world.socket, 'attach')
    const size = () =>
      world.tmux('display-message', '-p', '-t', idOf(place), '#{window_width}x#{window_height}').trim()
    await until(() => size() === '97x26', { what: 'the size of the person’s terminal', evidence: size })
    await world.driver.readScreen(place, AGENT)
    expect(world.tmux('list-clients', '-F', '#{client_flags}')).toMatch(/control-mode,ignore-size,no-output/)
    expect(size()).toBe('97x26')
    world.tmux('resize-window', '-t', idOf(place), '-x', '60', '-y', '12')
    await comes(world, place, 'waiting')
    expect(await world.driver.type(place, 'in a small window', AGENT)).toBe('taken')
  }, 40_000)
})

describe('The connection', () => {
  it('is one for all panes of a server', async () => {
    await using world = tmuxWorld()
    const places = [await waiting(world), await waiting(world), await waiting(world)]
    await Promise.all(places.map(place => world.driver.type(place, 'hello', AGENT)))
    expect((await world.driver.checkPlaces?.(places))?.size).toBe(3)
    expect(world.tmux('list-clients', '-F', '#{client_control_mode}').trim()).toBe('1')
  })

  it('outlives the session it was attached to, and a session that was renamed', async () => {
    await using world = tmuxWorld()
    const [first, second] = [await waiting(world), await waiting(world)]
    const held = world.tmux('list-clients', '-F', '#{session_id}').trim()
    const [gone, left] = [first, second]
      .map(place => ({
        place,
        session: world.tmux('display-message', '-p', '-t', idOf(place), '#{session_id}').trim(),
      }))
      .sort((a, b) => Number(b.session === held) - Number(a.session === held))
    if (!gone || !left) throw new Error('no sessions')
    world.tmux('kill-session', '-t', gone.session)
    expect((await world.driver.readScreen(gone.place, AGENT)).state).toBe('gone')
    world.tmux('rename-session', '-t', left.session, 'another name')
    expect((await world.driver.readScreen(left.place, AGENT)).state).toBe('waiting')
    expect(await world.driver.kill(left.place)).toBe(true)
  })

  it('says that everything is gone when the server goes, and finds a new one', async () => {
    await using world = tmuxWorld()
    const place = await waiting(world)
    world.tmux('kill-server')
    expect((await world.driver.readScreen(place, AGENT)).state).toBe('gone')
    expect(await world.driver.type(place, 'x', AGENT)).toBe('gone')
    expect((await world.driver.checkPlaces?.([place]))?.get(place)?.state).toBe('gone')
    const again = await waiting(world)
    // The same number, another program: what Baton did not start here it does not end.
    expect(again).toBe(place)
    expect(await world.driver.type(again, 'hello', AGENT)).toBe('taken')
    const id = world.tmux('split-window', '-P', '-F', '#{pane_id}', '-t', idOf(again), 'cat').trim()
    expect(await world.driver.kill(`${id} ${world.socket}`)).toBe(false)
  })

  it('does not hold a session that is to end with its last client', async () => {
    expect(bestSession(['$1 1 0 1', '$2 on 1 0'])).toBeUndefined()
    expect(bestSession(['$1 0 0 0', '$2 0 2 0', '$3 0 0 1'])).toBe('$3')
    expect(bestSession(['$1 0 0 0', '$2 off 2 0'])).toBe('$2')
    expect(bestSession(['', 'no server'])).toBeUndefined()
    await using world = tmuxWorld()
    world.tmux(
      'new-session',
      '-d',
      '-x',
      '100',
      '-y',
      '30',
      'cat',
      ';',
      'set-option',
      '-g',
      'destroy-unattached',
      'off',
    )
    const place = await waiting(world)
    world.driver.close()
    await until(() => world.tmux('list-clients').trim() === '', { what: 'the connection to be closed' })
    expect((await world.driver.readScreen(place, AGENT)).state).toBe('waiting')
  })

  it('is made only to a socket of our own: a server can make its clients run programs', async () => {
    await using world = tmuxWorld()
    expect(await isOurs(world.socket, true)).toBe(true)
    expect(await isOurs(world.socket, false)).toBe(false)
    await waiting(world)
    expect(await isOurs(world.socket, false)).toBe(true)
    expect(await isOurs('/etc/passwd', true)).toBe(false)
    expect(await isOurs('/no/such/folder/socket', true)).toBe(false)
    expect((await world.driver.readScreen('%0 /etc/passwd', AGENT)).state).toBe('gone')
    await expect(world.driver.start({ ...world.order('x'), where: '/etc/passwd' })).rejects.toMatchObject({
      code: 'missing_tool',
    })
    const order = world.order('twice')
    await world.driver.start(order)
    await expect(world.driver.start(order)).rejects.toMatchObject({ code: 'usage' })
  })

  it('reads an answer to its end, even when the screen shows what looks like one', () => {
    const screen = ['%end 1 2 1', '%begin 3 4 1', '%error 3 4 1']
    expect(
      answerIn([
        '%sessions-changed',
        '%begin 1 2 1',
        ...screen,
        '%end 1 2 1',
        '%window-add @1',
        '%begin 1 3 1',
      ]),
    ).toEqual({
      ok: true,
      lines: screen,
    })
    expect(answerIn(['%begin 1 2 1', 'no such pane', '%error 1 2 1', '%begin 1 3 1'])).toEqual({
      ok: false,
      why: 'no such pane',
    })
    expect(answerIn([])).toMatchObject({ ok: false })
  })

  it('does not take the answer to its own attaching for that to a question', () => {
    const attached = ['%begin 1 2 0', '%end 1 2 0', '%session-changed $0 x']
    expect(answerIn([...attached, '%begin 1 7 1', 'here', '%end 1 7 1', '%begin 1 8 1'])).toEqual({
      ok: true,
      lines: ['here'],
    })
  })
})

it('A program that outlives its terminal is ended with it', async () => {
  await using world = tmuxWorld()
  const { launch: _, ...order } = world.order('stubborn')
  const args = ['-e', 'process.on("SIGHUP", () => {}); setInterval(() => {}, 1000); console.log("up")']
  const { place, pid = 0 } = await world.driver.start({
    ...order,
    launch: { program: process.execPath, args },
  })
  await until(async () => (await world.driver.readScreen(place, AGENT)).lines.includes('up'), { what: 'it' })
  expect(await world.driver.kill(place)).toBe(true)
  expect(() => process.kill(pid, 0)).toThrow()
})

it('A program without arguments, a folder with strange letters and variables with anything in them are started as they are', async () => {
  await using world = tmuxWorld()
  const folder = join(world.folder, `it's #{pane_id} "x" $y`)
  execFileSync('mkdir', ['-p', folder])
  const script = join(world.folder, 'a; touch hit')
  execFileSync('sh', [
    '-c',
    'printf \'#!/bin/sh\\npwd > "$0.out"; printf %s "$ODD" >> "$0.out"; exec cat\\n\' > "$1"; chmod +x "$1"',
    'sh',
    script,
  ])
  const odd = `a"b'c;d $HOME #{x}\nsecond \\ line`
  const { place, pid } = await world.driver.start({
    agent: AGENT,
    launch: { program: script, args: [], env: { ODD: odd } },
    cwd: folder,
    title: 'odd: one.two',
    where: world.socket,
  })
  const { readFileSync } = await import('node:fs')
  await until(() => existsSync(`${script}.out`) && readFileSync(`${script}.out`, 'utf8').includes('line'), {
    what: 'its words',
  })
  expect(readFileSync(`${script}.out`, 'utf8')).toBe(`${folder}\n${odd}`)
  expect(existsSync(join(folder, 'hit'))).toBe(false)
  expect((await world.driver.readScreen(place, AGENT)).pid).toBe(pid)
})

/** What of a text is typed: no control characters but line breaks and tabs, whole characters only, no blank end. */
const shown = (text: string): string =>
  text
    .toWellFormed()
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/g, '')
    .trimEnd()
