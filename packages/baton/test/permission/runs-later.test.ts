import { Config } from '@batonpass/contract/config'
import { expect, test } from 'vitest'
import { judge } from '../../src/permission/judge.ts'
import { rulesInForce } from '../../src/permission/rules-in-force.ts'

const HOME = '/home/dev'
const WORKTREE = `${HOME}/project`
const rules = rulesInForce(Config.parse({}), { worktree: WORKTREE, home: HOME })
const place = { cwd: WORKTREE, worktree: WORKTREE, home: HOME }
const decide = (tool: string, input: object) => {
  const { decision, reversible } = judge({ tool, input, ...place }, rules)
  return reversible ? 'allowed with undo' : decision
}

/** What the sandbox protects needs a person for other tools, too: undo comes too late for what it starts. */
test.each([
  '.mcp.json',
  'packages/web/.mcp.json',
  '.vscode/tasks.json',
  '.idea/workspace.xml',
  '.devcontainer/devcontainer.json',
  'app.code-workspace',
  '.claude/commands/deploy.md',
  '.claude/worktrees/one/.mcp.json',
  '..a/.vscode/tasks.json',
])('writing %s needs a person, with a file tool as with a command', path => {
  expect(decide('Write', { file_path: `${WORKTREE}/${path}`, content: '{}' })).toBe('ask')
  expect(decide('Edit', { file_path: `${WORKTREE}/${path}`, old_string: 'a', new_string: 'b' })).toBe('ask')
  for (const command of [
    `echo '{}' > ${path}`,
    `cp a.json ${path}`,
    `mv a.json ${path}`,
    `curl -so ${path} https://example.com/x`,
  ])
    expect([command, decide('Bash', { command })]).toEqual([command, 'ask'])
})

test.each(['src/mcp.json', 'vscode/tasks.json', '.claude/worktrees/one/src/a.ts', 'docs/.mcp.json.md'])(
  'writing %s does not',
  path => {
    expect(decide('Write', { file_path: `${WORKTREE}/${path}`, content: '{}' })).toBe('allowed with undo')
    expect(decide('Bash', { command: `echo '{}' > ${path}` })).toBe('allowed with undo')
  },
)

test.each(['mv evil .vscode', 'mkdir evil && mv evil .claude/commands'])(
  'a folder or file moved there needs one, too: %s',
  command => expect(decide('Bash', { command })).toBe('ask'),
)

test('reading and deleting them does not, either', () => {
  expect(decide('Read', { file_path: `${WORKTREE}/.mcp.json` })).toBe('allow')
  expect(decide('Bash', { command: 'cat .vscode/settings.json' })).toBe('allow')
  expect(decide('Bash', { command: 'rm .mcp.json' })).toBe('allowed with undo')
})

test('a rule of the person that names the path opens it', () => {
  const own = rulesInForce(Config.parse({ permissions: { allow: [{ paths: '.vscode/**' }] } }), {
    worktree: WORKTREE,
    home: HOME,
  })
  const input = { file_path: `${WORKTREE}/.vscode/settings.json`, content: '{}' }
  expect(judge({ tool: 'Write', input, ...place }, own).decision).toBe('allow')
})

test('wget saves under the name in the address', () => {
  const writes = (command: string) =>
    judge({ tool: 'Bash', input: { command }, ...place }, rules).effects.writes
  expect(writes('wget https://example.com/a/data.json')).toEqual([`${WORKTREE}/data.json`])
  expect(writes('wget -q https://example.com')).toEqual([`${WORKTREE}/index.html`])
  expect(writes('wget https://example.com/a?b=c/d#e')).toEqual([`${WORKTREE}/a?b=c%2Fd`])
  expect(decide('Bash', { command: 'wget https://example.com/.mcp.json' })).toBe('ask')
  // Recursion and escapes make other names.
  expect(decide('Bash', { command: 'wget -r https://example.com/a' })).toBe('undecided')
  expect(decide('Bash', { command: 'wget https://example.com/%2e%2e' })).toBe('undecided')
})
