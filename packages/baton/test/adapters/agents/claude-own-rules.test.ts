import { describe, expect, test } from 'vitest'
import { whyAsk, whyOwnText } from '../../../src/adapters/agents/claude-code/own-rules.ts'

const PROJECT = '/home/dev/project'

const why = (
  command: string,
  files: Readonly<Record<string, unknown>>,
  {
    args = [],
    cwd = PROJECT,
    of = whyOwnText,
  }: { args?: string[]; cwd?: string; of?: typeof whyOwnText } = {},
) =>
  of(command, {
    home: '/home/dev',
    env: {},
    args,
    project: PROJECT,
    cwd,
    read: path => {
      const found = files[path]
      return found === undefined || typeof found === 'string' ? found : JSON.stringify(found)
    },
    names: folder => (folder === '/etc/claude-code/managed-settings.d' ? ['10-team.json'] : []),
    toolUseId: undefined,
    lastInTranscript: () => undefined,
  })

const deny = (...rules: string[]) => ({ permissions: { deny: rules } })
const USER = '/home/dev/.claude/settings.json'

describe('Claude Code must see the text of a command', () => {
  test.each([
    ['Bash(touch:*)', 'touch a'],
    ['Bash(touch:*)', 'cd sub && touch a'],
    ['Bash(touch:*)', 'X=1 timeout 5 touch a'],
    ['Bash(touch:*)', `to'uc'h a`],
    ['Bash(git push:*)', 'git  push origin main'],
    ['Bash(git * main)', 'git checkout main'],
    ['Bash(npm run build)', 'npm run build'],
    ['Bash(rm:*)', '/bin/rm x'],
    ['Bash', 'ls'],
    ['Bash(*)', 'ls'],
    ['*', 'ls'],
    ['Read(./secrets/**)', 'cat secrets/key'],
    ['Read(**/*.pem)', 'openssl x509 -in cert.pem'],
    ['Edit(/docs/plan.md)', 'echo x > docs/plan.md'],
    ['Read(**)', 'cat a'],
    ['not a rule (', 'ls'],
  ])('where %s may apply to: %s', (rule, command) => {
    expect(why(command, { [USER]: deny(rule) })).toContain('may deny it')
    const asks = { [USER]: { permissions: { ask: [rule] } } }
    expect(why(command, asks)).toBeUndefined()
    expect(why(command, asks, { of: whyAsk })).toContain('may ask about it')
    expect(why(command, { [USER]: { permissions: { allow: [rule] } } })).toBeUndefined()
  })

  test.each([
    ['Bash(touch:*)', 'ls'],
    ['Bash(rm:*)', 'npm run format'],
    ['Bash(git push:*)', 'git status && echo pushed'],
    ['Read(./secrets/**)', 'cat a.txt'],
    ['WebFetch(domain:example.com)', 'curl example.com'],
    ['Read', 'cat a.txt'],
  ])('not where %s does not apply to: %s', (rule, command) => {
    expect(why(command, { [USER]: deny(rule) })).toBeUndefined()
  })

  test('for a rule about files where the command works in their folder', () => {
    const cwd = `${PROJECT}/secrets`
    expect(why('cat key', { [USER]: deny('Read(./secrets/**)') }, { cwd })).toContain('deny')
  })

  test.each([
    USER,
    '/home/dev/.claude/settings.local.json',
    `${PROJECT}/.claude/settings.json`,
    `${PROJECT}/.claude/settings.local.json`,
    `${PROJECT}/packages/a/.claude/settings.json`,
    '/etc/claude-code/managed-settings.json',
    '/etc/claude-code/managed-settings.d/10-team.json',
  ])('for rules in %s', path => {
    expect(why('touch a', { [path]: deny('Bash(touch:*)') }, { cwd: `${PROJECT}/packages/a` })).toBeDefined()
  })

  test('for rules from its command line', () => {
    const args = (...words: string[]) => ({ args: ['claude', '-p', ...words, '--', 'bash'] })
    expect(why('touch a', {}, args('--disallowedTools', 'Bash(touch:*)', 'Read'))).toBeDefined()
    expect(why('touch a', {}, args('--disallowed-tools=Read,Bash(touch:*)'))).toBeDefined()
    expect(why('touch a', {}, args('--settings', JSON.stringify(deny('Bash(touch:*)'))))).toBeDefined()
    expect(
      why('touch a', { [`${PROJECT}/s.json`]: deny('Bash(touch:*)') }, args('--settings', 's.json')),
    ).toBeDefined()
    expect(why('touch a', {}, args('--settings', 'absent.json'))).toContain('cannot be read')
    expect(why('ls', {}, args('--disallowedTools', 'Bash(touch:*)'))).toBeUndefined()
  })

  test('where its own sandbox is on, and where its settings are not valid', () => {
    expect(why('ls', { [USER]: { sandbox: { enabled: true } } })).toContain('sandbox.enabled')
    expect(why('ls', { [USER]: { sandbox: { enabled: false } } })).toBeUndefined()
    expect(why('ls', { [USER]: '{ broken' })).toContain('cannot be read')
    expect(why('ls', {})).toBeUndefined()
  })
})
