import { PassThrough } from 'node:stream'
import xterm from '@xterm/headless'
import { expect, onTestFinished, test } from 'vitest'
import { complete } from '../../../src/cli/chat/slash.ts'
import { ChatTerminal } from '../../../src/cli/chat/terminal.ts'
import { until } from '../../world/wait.ts'

function open() {
  const screen = new xterm.Terminal({ cols: 80, rows: 24, allowProposedApi: true })
  const stdin = new PassThrough()
  const stdout = Object.assign(new PassThrough(), { columns: 80, rows: 24 })
  // The line discipline of a real terminal turns a line feed into a new line.
  stdout.on('data', (chunk: Buffer) => screen.write(chunk.toString('utf8').replaceAll(/(?<!\r)\n/g, '\r\n')))
  const lines: string[] = []
  const heard: string[] = []
  const terminal = new ChatTerminal({
    stdin,
    stdout,
    colour: (_, text) => text,
    complete: line => complete(line, ['abc1', 'abd2']),
    onLine: line => lines.push(line),
    onEscape: () => heard.push('escape'),
    onInterrupt: () => heard.push('interrupt'),
    onEnd: () => heard.push('end'),
  })
  onTestFinished(() => terminal.close())
  const shown = () =>
    Array.from({ length: 24 }, (_, i) => screen.buffer.active.getLine(i)?.translateToString(true) ?? '')
      .join('\n')
      .trimEnd()
  const shows = (wanted: RegExp) =>
    until(() => wanted.test(shown()), { what: String(wanted), evidence: shown })
  return { terminal, stdin, lines, heard, shown, shows }
}

test('a line is typed, edited and taken', async () => {
  const { terminal, stdin, lines, shows } = open()
  terminal.ready()
  stdin.write('helo')
  stdin.write('\x1b[D')
  stdin.write('l')
  await shows(/^> hello$/m)
  stdin.write('\r')
  await until(() => lines.length > 0, { what: 'the line' })
  expect(lines).toEqual(['hello'])
})

test('what is typed while a reply comes is kept out of it, and stands there afterwards', async () => {
  const { terminal, stdin, shown, shows } = open()
  terminal.busy()
  terminal.text('The re')
  stdin.write('next')
  terminal.text('ply.')
  await shows(/The reply\./)
  expect(shown()).not.toContain('next')
  terminal.ready()
  await shows(/The reply\.\n> next$/)
})

test('lines that are pasted together are one prompt', async () => {
  const { terminal, stdin, lines } = open()
  terminal.ready()
  stdin.write('\x1b[200~first\rsecond\rthird\x1b[201~')
  stdin.write(' and more\r')
  await until(() => lines.length > 0, { what: 'the prompt' })
  expect(lines).toEqual(['first\nsecond\nthird and more'])
})

test('a slash command is completed, and Escape and Ctrl-C are told apart', async () => {
  const { terminal, stdin, shows, heard, shown } = open()
  terminal.ready()
  stdin.write('/ha\t')
  await shows(/^> \/handoff ?$/m)
  stdin.write('\x03')
  await until(() => !shown().includes('/handoff'), { what: 'an empty line', evidence: shown })
  expect(heard).toEqual([])
  stdin.write('\x03')
  stdin.write('\x1b')
  await until(() => heard.length === 2, { what: 'both', evidence: () => heard.join() })
  expect(heard).toEqual(['interrupt', 'escape'])
})

test('a progress line goes away before what comes next', async () => {
  const { terminal, shown, shows } = open()
  terminal.busy()
  terminal.progress('Writing')
  await shows(/Writing 0 s/)
  terminal.line('Handoff cancelled')
  await shows(/Handoff cancelled/)
  expect(shown()).not.toContain('Writing')
})

test('a question takes one of its keys and nothing else, Escape is no, and an abort takes it back', async () => {
  const { terminal, stdin, shows, lines } = open()
  terminal.busy()
  const never = new AbortController().signal
  const first = terminal.choose('Allow? ', 'yn', never)
  await shows(/Allow\?/)
  stdin.write('x')
  stdin.write('\r')
  stdin.write('y')
  expect(await first).toBe('y')
  const second = terminal.choose('Again? ', 'yn', never)
  stdin.write('\x1b')
  expect(await second).toBe('n')
  const gone = new AbortController()
  const third = terminal.choose('Third? ', 'yn', gone.signal)
  gone.abort()
  expect(await third).toBe(undefined)
  await shows(/Third\? \(settled elsewhere\)/)
  expect(lines).toEqual([])
  terminal.ready()
  await shows(/^> *$/m)
})

test('a reply cannot steer the terminal', async () => {
  const { terminal, shown, shows } = open()
  terminal.busy()
  terminal.text('\x1b[2J\x1b]0;owned\x07red')
  await shows(/red/)
  expect(shown()).toContain('\\x1b[2J')
})
