import { Config } from '@batonpass/contract/config'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { type ListPlace, readAgentLists } from '../../src/cli/agent-lists.ts'
import { claudeRule } from '../../src/cli/listed-rules.ts'
import { projectCommands } from '../../src/cli/project-commands.ts'
import { withRule } from '../../src/config/add-rule.ts'
import { judge } from '../../src/permission/judge.ts'
import { PLACE, withRules } from '../permission/place.ts'

const decide = (rule: NonNullable<ReturnType<typeof claudeRule>>, command: string) =>
  judge({ tool: 'Bash', input: { command }, ...PLACE }, withRules({ allow: [rule] })).decision

describe('an allow of Claude Code’s settings', () => {
  test.each([
    ['Bash(npm run test:*)', { pattern: '^npm run test( |$)' }],
    ['Bash(npm run build)', { command: 'npm run build' }],
    ['Bash(git commit *)', { pattern: '^git commit( |$)' }],
    ['WebFetch(domain:docs.example.org)', { tool: 'WebFetch', hosts: 'docs.example.org' }],
    ['mcp__github__search', { mcp: 'github/search' }],
    ['mcp__github', { mcp: 'github' }],
    ['Read(~/notes/**)', { tool: ['Read', 'Grep', 'Glob'], paths: '~/notes/**' }],
    [
      'Edit(//srv/shared/**)',
      { tool: ['Edit', 'Write', 'MultiEdit', 'NotebookEdit'], paths: '/srv/shared/**' },
    ],
  ])('%s becomes a rule', (text, rule) => expect(claudeRule('allow', text)).toEqual(rule))

  test.each([
    ['everything', 'Bash'],
    ['everything, written out', 'Bash(*)'],
    ['a shell', 'Bash(bash:*)'],
    ['an interpreter', 'Bash(python3:*)'],
    ['a downloaded program', 'Bash(npx:*)'],
    ['a wildcard inside', 'Bash(git * main)'],
    ['shell syntax', 'Bash(echo "$HOME":*)'],
    ['several commands', 'Bash(make && ls:*)'],
    ['a path that depends on the folder', 'Read(./src/**)'],
    ['all edits', 'Edit'],
    ['a tool that Baton does not know', 'Task'],
  ])('of %s is left out: a rule would allow more', (_, text) => {
    expect(claudeRule('allow', text)).toBeUndefined()
  })

  test('allows as a rule no more than before', () => {
    const rule = claudeRule('allow', 'Bash(npm run test:*)')
    if (!rule) throw new Error('no rule')
    expect(decide(rule, 'npm run test -- --watch')).toBe('allow')
    for (const command of ['npm run tests', 'npm run build', 'npm run test; some-tool', 'X=1 npm run test'])
      expect(decide(rule, command), command).not.toBe('allow')
  })
})

test('a deny or an ask becomes a rule, which may be wider', () => {
  expect(claudeRule('deny', 'Bash(git push:*)')).toEqual({ pattern: '^git push( |$)' })
  expect(claudeRule('deny', 'Bash(git * main)')).toEqual({ pattern: '^git .* main$' })
  expect(claudeRule('ask', 'Bash')).toEqual({ tool: 'Bash' })
  expect(claudeRule('deny', 'Read(~/.ssh/**)')).toEqual({
    tool: ['Read', 'Grep', 'Glob', 'Bash'],
    paths: '~/.ssh/**',
  })
})

const FILES: Record<string, string> = {
  '/h/.claude/settings.json': JSON.stringify({
    permissions: { allow: ['Bash(make:*)', 'Bash', 7], deny: ['Bash(rm:*)'], ask: ['Bash(git push)'] },
  }),
  '/h/.cursor/cli-config.json': JSON.stringify({
    permissions: { allow: ['Shell(ls)'], deny: ['Shell(dd)'] },
  }),
  '/h/.gemini/settings.json': JSON.stringify({
    tools: { allowed: ['run_shell_command(git status)'], exclude: ['run_shell_command(rm)'] },
  }),
  '/h/.config/opencode/opencode.json': JSON.stringify({
    permission: { bash: { '*': 'ask', 'git diff *': 'allow', 'git*': 'allow', 'git push*': 'deny' } },
  }),
  '/h/.codex/rules/default.rules':
    '# prefix_rule(pattern=["x"], decision="allow")\nprefix_rule(pattern=["just", "test"], decision="allow")\nprefix_rule(\n  pattern = ["git", ["push", "fetch"]],\n  decision = "prompt",\n)\nprefix_rule(pattern=["dd"], decision="forbidden")\n',
  '/h/project/.claude/settings.json': JSON.stringify({ permissions: { allow: ['Bash(evil:*)'] } }),
}
const place: ListPlace = {
  home: '/h',
  env: {},
  read: path => FILES[path],
  names: folder => (folder === '/h/.codex/rules' ? ['default.rules'] : []),
}

test('the user’s own lists of five agents are read; those of a project are not', () => {
  const found = readAgentLists(place)
  expect(found.flatMap(({ decision, rule }) => (rule ? [[decision, rule]] : []))).toEqual([
    ['allow', { pattern: '^make( |$)' }],
    ['deny', { pattern: '^rm( |$)' }],
    ['ask', { pattern: '^git push$' }],
    ['allow', { pattern: '^ls( |$)' }],
    ['deny', { pattern: '^dd( |$)' }],
    ['allow', { pattern: '^git status( |$)' }],
    ['deny', { pattern: '^rm( |$)' }],
    ['allow', { pattern: '^git diff( |$)' }],
    ['deny', { pattern: '^git push.*' }],
    ['allow', { pattern: '^just test( |$)' }],
    ['deny', { pattern: '^dd( |$)' }],
  ])
  const left = found.flatMap(({ decision, rule, text }) => (rule ? [] : [[decision, text]]))
  expect(left).toContainEqual([
    'ask',
    expect.stringMatching(/^prefix_rule\(\s+pattern = \["git", \["push", "fetch"\]\]/),
  ])
  expect(JSON.stringify(found)).not.toContain('evil')
  expect(readAgentLists({ ...place, read: () => '{"permissions": [' })).toEqual([])
})

test('rules of a list are written with their source', () => {
  const adding = { rule: { pattern: '^rm( |$)' }, list: 'deny', scope: 'everywhere', project: '' } as const
  const text = withRule('', { ...adding, comment: 'from Bash(rm:*) (~/.claude/settings.json)' })
  expect(text).toContain('  deny:\n    - { pattern: ^rm( |$) } # from Bash(rm:*) (~/.claude/settings.json)\n')
  expect(Config.parse(parse(text)).permissions.deny).toEqual([{ pattern: '^rm( |$)' }])
})

test('of a project, commands that test or build are proposed, and nothing that deploys', () => {
  const files: Record<string, string> = {
    '/p/package.json': JSON.stringify({
      scripts: { test: 'x', 'test:unit': 'x', build: 'x', deploy: 'x', 'build && evil': 'x', prepare: 'x' },
    }),
    '/p/pnpm-lock.yaml': '',
    '/p/Makefile': 'CHECK := 1\ntest: build\n\t@go test\nrelease:\n\t./r\nlint::\n\tx\n',
    '/p/justfile': 'fmt:\n  x\ntest file:\n  x\n',
  }
  expect(projectCommands('/p', path => files[path])).toEqual([
    'pnpm test',
    'pnpm run test:unit',
    'pnpm run build',
    'make test',
    'just fmt',
  ])
  expect(projectCommands('/p', () => '{')).toEqual([])
})
