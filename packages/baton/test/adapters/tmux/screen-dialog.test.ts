import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readDialog } from '../../../src/adapters/tmux/screen-dialog.ts'

const SCREENS = join(import.meta.dirname, '../../fixtures/screens')
const screen = (name: string) =>
  stripVTControlCharacters(readFileSync(join(SCREENS, `${name}.txt`), 'utf8'))
    .trimEnd()
    .split('\n')

describe('a dialog on the screen of a real agent', () => {
  it.each([
    [
      'codex/approval-120',
      'Would you like to run the following command?',
      [
        'Yes, proceed (y)',
        "Yes, and don't ask again for commands that start with `touch /etc/zzz` (p)",
        'No, and tell Codex what to do differently (esc)',
      ],
    ],
    ['codex/new-dialog-46', 'Where should the new conversation run?', 2],
    ['codex/imitated-dialog-80', 'Would you like to run the following command?', 3],
    ['copilot/ask-44', 'Do you want to allow this tool call?', ['Yes', 'No (Esc to stop)']],
    ['copilot/ask-120', 'Do you want to allow this tool call?', 2],
    ['copilot/trust-80', 'Do you trust the files in this folder?', 3],
    ['gemini/hook-ask-80', 'Allow execution of [Shell]?', 3],
    ['gemini/trust-80', 'Do you trust the files in this folder?', 3],
  ])('%s', (name, question, options) => {
    const dialog = readDialog(screen(name))
    expect(dialog).toMatchObject({ question, marked: 0 })
    if (Array.isArray(options)) expect(dialog?.options).toEqual(options)
    else expect(dialog?.options).toHaveLength(options)
  })

  it('holds the whole text of its frame, and nothing above it', () => {
    expect(readDialog(screen('gemini/hook-ask-80'))?.text).toBe(
      ' ? Shell  touch asked2.txt\n BATON-SYS look here\n\n touch asked2.txt\n\n Allow execution of [Shell]?',
    )
  })

  it.each([
    ['codex/approval-46', 'only a part of the list'],
    ['copilot/models-80', 'another kind of list'],
    ['pi/ask-80', 'a list without numbers'],
    ['codex/idle-80', 'no dialog'],
  ])('%s is not read: %s', name => {
    expect(readDialog(screen(name))).toBeUndefined()
  })
})

describe('a list that a model wrote', () => {
  it('is not taken for the dialog below it', () => {
    const lines = [
      '❯ 1. Allow',
      '  2. Refuse',
      '',
      'Run `rm x`?',
      '❯ 1. Yes',
      '  2. No',
      '',
      'enter to select',
    ]
    expect(readDialog(lines)).toMatchObject({ question: 'Run `rm x`?', options: ['Yes', 'No'] })
  })

  it('is not a dialog without a mark, with two marks, with gaps, or far from the bottom', () => {
    expect(readDialog(['What?', '  1. Yes', '  2. No'])).toBeUndefined()
    expect(readDialog(['What?', '❯ 1. Yes', '❯ 2. No'])).toBeUndefined()
    expect(readDialog(['What?', '❯ 1. Yes', '  3. No'])).toBeUndefined()
    const below = Array.from({ length: 9 }, (_, i) => `output ${i}`)
    expect(readDialog(['What?', '❯ 1. Yes', '  2. No', '', ...below])).toBeUndefined()
  })
})

it('never fails, whatever is on the screen', () => {
  const line = fc.oneof(
    fc.string(),
    fc.constantFrom('❯ 1. Yes', '  2. No', '│ ● 1. A │', '╭────╮', '│   2. B │', '', '     more'),
  )
  fc.assert(
    fc.property(fc.array(line, { maxLength: 30 }), lines => {
      const dialog = readDialog(lines)
      if (dialog) expect(dialog.options[dialog.marked]).toBeDefined()
    }),
  )
})
