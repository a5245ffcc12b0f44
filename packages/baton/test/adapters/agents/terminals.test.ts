import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { codexTerminal } from '../../../src/adapters/agents/codex/terminal.ts'
import { copilotTerminal } from '../../../src/adapters/agents/copilot/terminal.ts'
import { geminiTerminal } from '../../../src/adapters/agents/gemini/terminal.ts'
import { opencodeTerminal } from '../../../src/adapters/agents/opencode/terminal.ts'
import { piTerminal } from '../../../src/adapters/agents/pi/terminal.ts'
import { readScreen } from '../../../src/adapters/agents/screen.ts'
import type { AgentTerminal } from '../../../src/ports/terminal.ts'

// Screens of the real programs as tmux printed them, colours included; only folders were renamed. The number is the width.
const SCREENS = join(import.meta.dirname, '../../fixtures/screens')
const screen = (agent: string, name: string) => readFileSync(join(SCREENS, agent, `${name}.txt`), 'utf8')
type Row = [name: string, state: string, typed?: string, title?: string]

const CODEX: Row[] = [
  ['idle-80', 'waiting'],
  ['idle-46', 'waiting'],
  ['idle-30', 'waiting'],
  ['answered-80', 'waiting'],
  ['interrupted-80', 'waiting'],
  ['shortcuts-120', 'waiting'],
  ['imitated-80', 'waiting'],
  ['typed-80', 'waiting', 'hello there'],
  ['multi-120', 'waiting', 'first line\n  second line\n\n  fourth › x'],
  ['paste-120', 'waiting', '[Pasted Content 2291 chars]'],
  ['slash-46', 'waiting', '/clear'],
  ['shell-mode-120', 'waiting', '! ls'],
  ['working-80', 'working'],
  ['working-46', 'working'],
  ['working-30', 'working'],
  ['working-typed-80', 'working', 'half typed'],
  ['streaming-80', 'working', '', '⠧ project'],
  ['approval-120', 'dialog', '', '[ ! ] Action Required | project'],
  ['approval-46', 'dialog'],
  ['hooks-review-80', 'dialog'],
  ['new-dialog-46', 'dialog'],
  ['imitated-dialog-80', 'dialog'],
]

const GEMINI: Row[] = [
  ['cleared-80', 'waiting', '', '◇  Ready (project)'],
  ['idle-46', 'waiting'],
  ['minimal-120', 'waiting'],
  ['no-color-80', 'waiting'],
  ['imitated-80', 'waiting'],
  ['typed-80', 'waiting', 'hello there'],
  ['no-color-typed-80', 'waiting', 'hello there'],
  ['multi-120', 'waiting', 'first line\n   second line\n\n   fourth > x'],
  ['paste-120', 'waiting', '[Pasted Text: 600 lines]'],
  ['slash-80', 'waiting', '/clear'],
  ['shell-mode-120', 'waiting', '!  Type your shell command'],
  ['working-80', 'working'],
  ['working-46', 'working'],
  ['working-typed-80', 'working', 'half typed'],
  ['cleared-80', 'working', '', '✦  Working… (project)'],
  // A hook still runs after the turn.
  ['answered-80', 'working'],
  ['interrupted-80', 'working'],
  ['approval-80', 'dialog'],
  ['hook-ask-80', 'dialog'],
  ['trust-80', 'dialog'],
  ['imitated-dialog-80', 'dialog'],
]

const COPILOT: Row[] = [
  ['idle-80', 'waiting'],
  ['idle-120', 'waiting'],
  ['idle-44', 'waiting'],
  ['answered-80', 'waiting'],
  ['interrupted-80', 'waiting'],
  ['erased-80', 'waiting'],
  ['new-80', 'waiting'],
  ['imitated-80', 'waiting'],
  ['typed-80', 'waiting', 'half a'],
  ['typed-44', 'waiting', 'half a'],
  [
    'multi-80',
    'waiting',
    'first\n  second line that is long enough to wrap in a narrow terminal of few\n  columns\n  third',
  ],
  ['paste-80', 'waiting', '[Paste #1 - 40 lines]'],
  ['slash-80', 'waiting', '/clear'],
  ['working-80', 'working'],
  ['working-120', 'working'],
  ['tool-80', 'working'],
  ['working-typed-80', 'working', 'half a'],
  ['working-typed-44', 'working', 'half a'],
  ['ask-80', 'dialog'],
  ['ask-120', 'dialog'],
  ['ask-44', 'dialog'],
  ['trust-80', 'dialog'],
  ['models-80', 'dialog'],
  ['help-80', 'dialog'],
  // What is typed there would be run.
  ['shell-mode-80', 'dialog'],
  ['shell-mode-empty-80', 'dialog'],
]

const OPENCODE: Row[] = [
  ['home-80', 'waiting'],
  ['home-120', 'waiting'],
  ['home-50', 'waiting'],
  ['erased-80', 'waiting'],
  ['interrupted-80', 'waiting'],
  ['imitated-120', 'waiting'],
  ['new-80', 'waiting'],
  ['typed-80', 'waiting', 'half a'],
  ['typed-120', 'waiting', 'half a'],
  ['typed-50', 'waiting', 'half a'],
  ['two-80', 'waiting', 'first\nsecond'],
  ['multi-80', 'waiting', '[Pasted ~3 lines]'],
  ['paste-80', 'waiting', '[Pasted ~40 lines]'],
  ['slash-80', 'waiting', '/ne'],
  ['shell-mode-80', 'waiting', '!ls'],
  ['shell-mode-empty-80', 'waiting', '!Run a command... "ls -la"'],
  ['working-80', 'working'],
  ['working-120', 'working'],
  ['working-again-80', 'working'],
  ['tool-80', 'working'],
  ['working-typed-80', 'working', 'half a'],
  ['working-typed-50', 'working', 'half a'],
  ['palette-80', 'dialog'],
  ['palette-120', 'dialog'],
  ['models-80', 'dialog'],
  ['models-50', 'dialog'],
  ['permission-80', 'dialog'],
  ['question-80', 'dialog'],
]

const PI: Row[] = [
  ['idle-80', 'waiting'],
  ['idle-120', 'waiting'],
  ['idle-44', 'waiting'],
  ['answered-80', 'waiting'],
  ['interrupted-80', 'waiting'],
  ['imitated-80', 'waiting'],
  ['new-80', 'waiting'],
  ['typed-80', 'waiting', 'half a'],
  [
    'multi-80',
    'waiting',
    'first\nsecond line that is long enough to wrap in a narrow terminal of few columns\nthird',
  ],
  [
    'multi-44',
    'waiting',
    'first\nsecond line that is long enough to wrap in\na narrow terminal of few columns\nthird',
  ],
  ['paste-80', 'waiting', '[paste #1 +41 lines]'],
  ['slash-80', 'waiting', '/ne'],
  ['shell-mode-80', 'waiting', '!ls'],
  ['working-80', 'working'],
  ['working-120', 'working'],
  ['tool-80', 'working'],
  ['working-typed-80', 'working', 'half a'],
  ['working-typed-44', 'working', 'half a'],
  ['ask-80', 'dialog'],
  ['ask-120', 'dialog'],
  ['ask-44', 'dialog'],
  ['models-80', 'dialog'],
  ['settings-80', 'dialog'],
  ['tree-80', 'dialog'],
]

describe.each([
  ['codex', codexTerminal, CODEX],
  ['gemini', geminiTerminal, GEMINI],
  ['copilot', copilotTerminal, COPILOT],
  ['opencode', opencodeTerminal, OPENCODE],
  ['pi', piTerminal, PI],
] as [string, AgentTerminal, Row[]][])('the screen of %s', (agent, terminal, rows) => {
  it.each(rows)('%s is %s', (name, state, typed = '', title) => {
    expect(terminal.read(screen(agent, name), title)).toEqual({ state, typed })
  })

  it('has a row for every recorded one', () => {
    const recorded = readdirSync(join(SCREENS, agent)).map(file => file.replace('.txt', ''))
    expect([...new Set(rows.map(([name]) => name))].sort()).toEqual(recorded.sort())
  })

  it('is not a prompt line where a picture of it is indented, as everything is that a model or a command says', () => {
    for (const [name, state] of rows) {
      if (state !== 'waiting') continue
      const said = screen(agent, name)
        .split('\n')
        .map(line => `\x1b[0m  ${line}`)
      expect(terminal.read(said.join('\n')).state).toBe('dialog')
    }
  })

  it('is not a prompt line either where more than hints is below it', () => {
    const talk = Array.from({ length: 20 }, (_, i) => `\x1b[0m  line ${i}`).join('\n')
    expect(terminal.read(`${screen(agent, rows[0]?.[0] ?? '')}${talk}`).state).toBe('dialog')
  })

  it('is read whatever is on it', () => {
    const piece = fc.oneof(
      fc.constantFrom('\x1b[', '1m', '\x1b[1m›', '\x1b[7m', '\n', '▄'.repeat(20), '▀'.repeat(20), ' > ', '─'),
      fc.constantFrom('\x1b[2m', `${'─'.repeat(20)}\n`, '❯ ', '  ╹', '  ┃', '── ⠋ Working', '\x1b[0m'),
      fc.string({ maxLength: 5 }),
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), fc.string(), (pieces, title) => {
        const { state } = terminal.read(pieces.join(''), title)
        expect(['waiting', 'working', 'dialog', 'unknown']).toContain(state)
      }),
    )
    expect(terminal.read('\n\n')).toEqual({ state: 'unknown', typed: '' })
  })
})

it('A style lasts until it is changed, and a colour is none', () => {
  const lines = readScreen('a\x1b[1;38;5;2mb\x1b[48;2;1;2;7mc\n\x1b[22;3md\x1b[0;7me\x1b[Kf')
  expect(lines.map(({ text }) => text)).toEqual(['abc', 'def'])
  expect(lines.flatMap(({ spans }) => spans).map(({ text, ...style }) => [text, style])).toEqual([
    ['a', { bold: false, dim: false, italic: false, reverse: false }],
    ['b', { bold: true, dim: false, italic: false, reverse: false }],
    ['c', { bold: true, dim: false, italic: false, reverse: false }],
    ['d', { bold: false, dim: false, italic: true, reverse: false }],
    ['e', { bold: false, dim: false, italic: false, reverse: true }],
    ['f', { bold: false, dim: false, italic: false, reverse: true }],
  ])
})
