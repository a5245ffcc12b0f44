import type { AskedQuestion } from '@batonpass/contract/question'
import { describe, expect, it } from 'vitest'
import { codexTerminal } from '../../../src/adapters/agents/codex/terminal.ts'
import { copilotTerminal } from '../../../src/adapters/agents/copilot/terminal.ts'
import { geminiTerminal } from '../../../src/adapters/agents/gemini/terminal.ts'
import { findQuestion, fitsScreen } from '../../../src/adapters/tmux/question-form.ts'
import type { AgentTerminal, DialogStyle } from '../../../src/ports/terminal.ts'

const styleOf = ({ dialog }: AgentTerminal): DialogStyle => {
  if (!dialog) throw new Error('It has no style')
  return dialog
}
const [codex, gemini, copilot] = [codexTerminal, geminiTerminal, copilotTerminal].map(styleOf) as [
  DialogStyle,
  DialogStyle,
  DialogStyle,
]
const choices = [
  { value: 'pg', label: 'Postgres (Recommended)', description: 'Shared by several machines' },
  { value: 'sqlite', label: 'SQLite', description: 'One file' },
]
const DATABASE: AskedQuestion = {
  id: 'db',
  kind: 'choice',
  text: 'Which **database**?',
  choices,
  ownWords: true,
}
const NAME: AskedQuestion = { id: 'name', kind: 'text', text: 'Which name?' }

const CODEX = `  Question 1/2 (2 unanswered)
  Which database?
    1. Postgres (Recommended)  Shared by several machines
  › 2. SQLite                  One file
    3. None of the above       Optionally, add details in notes (tab)
  tab to add notes | enter to submit answer | esc to interrupt`.split('\n')

const GEMINI = `╭──────────────────────────────────╮
│ Answer Questions                 │
│                                  │
│ ← □ DB │ □ Name │ ≡ Review →     │
│                                  │
│ Which database?                  │
│                                  │
│ ● 1.  Postgres (Recommended)     │
│       Shared by several machines │
│   2.  SQLite                     │
│       One file                   │
│   3.  Enter a custom value       │
╰──────────────────────────────────╯`.split('\n')

const COPILOT = ` Copilot needs information.
 About storage:
 [Which database?]  Which name?
 Which database?:
   Postgres (Recommended)
   SQLite
 ❯ Other (type your answer below)
 ↑/↓ select · enter accept · ctrl+d decline · esc cancel
──────────────────────────
❯ Type your answer...
──────────────────────────`.split('\n')

describe('the dialog for a question', () => {
  it('is found on the screens of Codex, Gemini CLI and Copilot CLI', () => {
    const options = { kind: 'options', ownWords: 2 }
    expect(findQuestion(CODEX, DATABASE, codex)).toEqual({ ...options, marked: 1, hasEmptyField: false })
    expect(findQuestion(GEMINI, DATABASE, gemini)).toEqual({ ...options, marked: 0, hasEmptyField: false })
    expect(findQuestion(COPILOT, DATABASE, copilot)).toEqual({ ...options, marked: 2, hasEmptyField: true })
  })

  it('is a text field for a question without options, which the name of a tab is not', () => {
    const shown = ['│ Which name?            │', '│                        │', '│ > Enter your response  │']
    expect(findQuestion(shown, NAME, gemini)).toEqual({ kind: 'field', isEmpty: true })
    const typed = [' Which name?', ' ─────────', ' ❯ the shop', ' ─────────']
    expect(findQuestion(typed, NAME, copilot)).toEqual({ kind: 'field', isEmpty: false })
    expect(findQuestion(COPILOT, NAME, copilot)).toBeUndefined()
  })

  it.each([
    ['another question', CODEX.map(line => line.replace('database', 'cache'))],
    ['another option', CODEX.map(line => line.replace('SQLite', 'MySQL'))],
    ['only a part of the options', CODEX.filter(line => !line.includes('1. '))],
    ['two marked options', CODEX.map(line => line.replace('  1.', '› 1.'))],
    ['no marked option', CODEX.map(line => line.replace('›', ' '))],
    ['the answered question', ['• Questions 1/1 answered', '  • Which database?', '    answer: SQLite']],
  ])('is not found if the screen shows %s', (_, screen) => {
    expect(findQuestion(screen, DATABASE, codex)).toBeUndefined()
  })
})

describe('what keystrokes can answer', () => {
  const size = { width: 120, height: 40 }

  it('is decided before the hook is answered', () => {
    expect(fitsScreen([DATABASE, NAME], size, gemini)).toBe(true)
    expect(fitsScreen([DATABASE], size, codex)).toBe(true)
  })

  it.each<[string, AskedQuestion[], { width: number; height: number }]>([
    ['several choices at once', [{ ...DATABASE, kind: 'multi-choice' }], size],
    ['an answer that may be left out', [{ ...NAME, optional: true }], size],
    ['a small window', [DATABASE], { width: 120, height: 16 }],
    ['a label that does not fit', [DATABASE], { width: 30, height: 40 }],
    ['a question that ends like another', [NAME, { ...NAME, id: 'n', text: 'name?' }], size],
    ['a question without letters', [{ ...NAME, text: '???' }], size],
  ])('excludes %s', (_, questions, window) => {
    expect(fitsScreen(questions, window, gemini)).toBe(false)
  })
})
