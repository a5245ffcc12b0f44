import { PassThrough } from 'node:stream'
import { describe, expect, test } from 'vitest'
import type { Io } from '../../src/cli/io.ts'
import { readHidden } from '../../src/cli/questions.ts'
import { runCommand } from './run.ts'

/** What a person types at a terminal, or what a pipe holds; `modes` are the changes of the terminal's raw mode. */
async function read(input: string, isTTY: boolean) {
  const modes: boolean[] = []
  const shown: string[] = []
  const stdin = Object.assign(new PassThrough(), {
    isTTY,
    setRawMode: (raw: boolean) => void modes.push(raw),
  })
  stdin.end(input)
  const stdout = { write: (text: string) => void shown.push(text) }
  const io = { stdin, stdout, isTTY, signal: new AbortController().signal }
  const line = await readHidden(io as unknown as Io, 'The token:').catch(({ code }) => ({ code }))
  return { line, modes, shown: shown.join('') }
}

describe('a secret that a command reads', () => {
  test('is not shown at a terminal, which can delete letters and cancel', async () => {
    expect(await read('sekrex\u007ft\rmore', true)).toEqual({
      line: 'sekret',
      modes: [true, false],
      shown: 'The token: \n',
    })
    for (const cancel of ['sek\u0003', '\u0004', '\r'])
      expect(await read(cancel, true)).toMatchObject({ line: { code: 'usage' }, modes: [true, false] })
  })

  test('is the first line of a pipe, with or without its end, and not endless', async () => {
    for (const input of ['sekret\n', ' sekret', 'sekret\r\nmore'])
      expect(await read(input, false)).toEqual({ line: 'sekret', modes: [], shown: '' })
    for (const input of ['', 'x'.repeat(501)])
      expect(await read(input, false)).toMatchObject({ line: { code: 'usage' } })
  })

  test('is refused on the command line of `baton fleet join`, and not repeated', async () => {
    const { code, stdout, stderr } = await runCommand(['fleet', 'join', 'batonfleet_sekret'])
    expect([code, stdout + stderr]).toEqual([2, expect.stringContaining('paste it')])
    expect(stdout + stderr).not.toContain('sekret')
  })
})
