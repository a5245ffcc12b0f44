import { expect, it } from 'vitest'
import { promptLine } from '../../../src/adapters/agents/claude-code/terminal.ts'
import { terminals } from '../../../src/adapters/agents/terminals.ts'
import { tmuxDriver } from '../../../src/adapters/tmux/driver.ts'
import { startTerminal } from '../../world/agents/tmux.ts'
import { scratch } from '../../world/scratch.ts'

const rule = '─'.repeat(40)

it('The prompt line is what stands between the rules; a suggestion in dim letters is not typed text', () => {
  expect(promptLine(`talk\n${rule}\n❯ \n${rule}\n hints`)).toBe('')
  expect(promptLine(`${rule}\n❯ half a\n  sentence\n${rule}`)).toBe('half a\n  sentence')
  expect(promptLine(`${rule}\n❯ \x1b[2mTry "fix the tests"\x1b[0m\n${rule}`)).toBe('')
  expect(promptLine('Do you want to proceed?\n❯ 1. Yes')).toBeUndefined()
  expect(promptLine('')).toBeUndefined()
})

/** A stand-in for an agent's terminal: shows a prompt line, takes a pasted prompt on Enter and writes it to a file. */
const AGENT = `
const { appendFileSync } = require('node:fs')
let line = ''
const show = () => process.stdout.write('\\x1b[2J\\x1b[H' + '─'.repeat(60) + '\\r\\n❯ ' + line.replaceAll('\\n', '\\r\\n') + '\\r\\n' + '─'.repeat(60) + '\\r\\n')
process.stdin.setRawMode(true)
process.stdout.write('\\x1b[?2004h')
process.stdin.on('data', bytes => {
  let text = String(bytes)
  const pasted = /\\x1b\\[200~([\\s\\S]*?)\\x1b\\[201~/.exec(text)
  if (pasted) line += pasted[1].replaceAll('\\r', '\\n')
  else if (text === '\\r') { appendFileSync(process.argv[2], JSON.stringify(line) + '\\n'); line = '' }
  else line += text
  show()
})
show()
`

it('A prompt of several lines is typed as one, submitted, and nothing in it acts as a key', async () => {
  await using folder = scratch()
  const script = folder.write('agent.cjs', AGENT)
  const taken = `${folder.path}/taken`
  const env = { PATH: process.env.PATH ?? '', TERM: 'xterm-256color', LANG: 'C.UTF-8' }
  await using terminal = await startTerminal({
    command: [process.execPath, script, taken],
    cwd: folder.path,
    env,
  })
  await terminal.waitForScreen(/❯/)
  const driver = tmuxDriver(terminals)
  const pane = `${terminal.pane} ${terminal.socket}`
  expect(await driver.type(pane, 'first\nsecond $(touch x) \x1b[201~\x03 Enter', 'claude-code')).toBe('taken')
  const { existsSync, readFileSync } = await import('node:fs')
  expect(readFileSync(taken, 'utf8')).toBe(`${JSON.stringify('first\nsecond $(touch x) [201~ Enter')}\n`)
  expect(existsSync(`${folder.path}/x`)).toBe(false)
  await terminal.type('a person types')
  await terminal.waitForScreen(/a person types/)
  expect(await driver.type(pane, 'not now', 'claude-code')).toBe('busy')
  await terminal.kill()
  expect(await driver.type(pane, 'anybody?', 'claude-code')).toBe('gone')
  expect(await driver.type('%1; rm -rf /', 'x', 'claude-code')).toBe('gone')
})
