import { expect, it } from 'vitest'
import { claudeTerminal } from '../../../src/adapters/agents/claude-code/terminal.ts'

const rule = '─'.repeat(40)
const read = (screen: string) => claudeTerminal.read(screen)

it('The prompt line is what stands between the rules; a suggestion in dim letters is not typed text', () => {
  expect(read(`talk\n${rule}\n❯ \n${rule}\n hints`)).toEqual({ state: 'waiting', typed: '' })
  expect(read(`${rule}\n❯ half a\n  sentence\n${rule}`)).toEqual({
    state: 'waiting',
    typed: 'half a\n  sentence',
  })
  expect(read(`${rule}\n❯ \x1b[2mTry "fix the tests"\x1b[0m\n${rule}`)).toEqual({
    state: 'waiting',
    typed: '',
  })
  // An empty prompt line in shell mode: what Baton types there would be run.
  expect(read(`${rule}\n! \n${rule}`)).toEqual({ state: 'waiting', typed: '!' })
  expect(read('Do you want to proceed?\n❯ 1. Yes')).toEqual({ state: 'dialog', typed: '' })
  expect(read('')).toEqual({ state: 'unknown', typed: '' })
})

it('It works while it says how to interrupt, or what it does', () => {
  expect(read(`${rule}\n❯ \n${rule}\n  ⏸ manual mode on · esc to interrupt`).state).toBe('working')
  expect(read(`✻ Cultivating… (12s)\n  ⎿  Tip: x\n\n${rule}\n❯ \n${rule}\n  ⏸ manual mode on`).state).toBe(
    'working',
  )
  expect(
    read(`● press esc to interrupt\n✻ Baked for 2s\n${rule}\n❯ \n${rule}\n  ? for shortcuts`).state,
  ).toBe('waiting')
})

it('A prompt line in the middle of the talk is none', () => {
  const talk = Array.from({ length: 20 }, (_, i) => `line ${i}`).join('\n')
  expect(read(`${rule}\n❯ \n${rule}\n${talk}`).state).toBe('dialog')
})
