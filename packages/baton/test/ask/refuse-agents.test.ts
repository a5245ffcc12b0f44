import { describe, expect, it } from 'vitest'
import { isAgent, refuseAgents } from '../../src/ask/refuse-agents.ts'
import type { ProcessFacts } from '../../src/ports/ancestry.ts'

const process = (words: string, more: Partial<ProcessFacts> = {}): ProcessFacts => ({
  pid: 10,
  words: words.split(' '),
  program: undefined,
  terminal: true,
  environment: ['PATH', 'HOME'],
  ...more,
})
const person = [
  process('node /usr/bin/baton allow ask_1'),
  process('-zsh'),
  process('sshd: ann@pts/1'),
  process('/sbin/init'),
]

describe('an answer from a terminal', () => {
  it('counts where a person sits at it', () => {
    expect(() => refuseAgents(person)).not.toThrow()
  })

  it.each([
    'claude',
    '/home/ann/.local/bin/claude --permission-mode default',
    'node /usr/lib/node_modules/@anthropic-ai/claude-code/cli.js',
    '/home/ann/.local/share/claude/versions/2.1.325',
    'node /usr/bin/codex exec',
    '/opt/@openai/codex/vendor/codex exec x',
    'cursor-agent -p x',
    'bun /x/opencode',
    'node --max-old-space-size=4096 /usr/bin/gemini',
    'copilot',
    'npx @github/copilot',
    'npx @openai/codex@latest exec x',
    'node /x/node_modules/@earendil-works/pi-coding-agent/dist/cli.js',
    'pi',
    '/bin/sh /home/ann/.baton/bin/baton-hook claude-code PreToolUse',
    'node /x/batonpass/dist/cli.js hook claude-code',
  ])('does not count with %s above it', words => {
    expect(isAgent(process(words))).toBe(true)
    expect(() => refuseAgents([...person.slice(0, 2), process(words), ...person.slice(2)])).toThrow(
      /coding agent/,
    )
  })

  it.each([
    'vim claude.md',
    'less /src/codex',
    'git log --author=claude',
    'tmux new -s pi',
    'python3 train.py',
    'node server.js',
    '/usr/bin/pip',
  ])('is not confused by %s', words => {
    expect(isAgent(process(words))).toBe(false)
  })

  it('is recognised by a title that it gave itself', () => {
    expect(isAgent({ words: ['claude --resume x'], program: '/usr/bin/node' })).toBe(true)
  })

  it('is recognised by the program file even when the command line lies', () => {
    expect(isAgent(process('bash', { program: '/opt/bin/claude' }))).toBe(true)
  })

  it('does not count where the environment is an agent’s, where no terminal is, or where nothing can be seen', () => {
    expect(() => refuseAgents([process('baton', { environment: ['CLAUDECODE'] })])).toThrow(/CLAUDECODE/)
    expect(() => refuseAgents([process('baton', { terminal: false }), process('init')])).toThrow(/terminal/)
    expect(() => refuseAgents([process('baton', { terminal: false })], 'not-needed')).not.toThrow()
    expect(() => refuseAgents([process('baton', { sessionLeader: 77 }), process('init')])).toThrow(
      /left the shell/,
    )
    expect(() =>
      refuseAgents([process('baton'), process('zsh', { pid: 77, sessionLeader: 77 })]),
    ).not.toThrow()
    expect(() =>
      refuseAgents([process('baton', { sessionLeader: 77 }), process('zsh', { pid: 77 })]),
    ).not.toThrow()
    expect(() => refuseAgents(undefined)).toThrow(/cannot see/)
    expect(() => refuseAgents([])).toThrow(/cannot see/)
  })
})
