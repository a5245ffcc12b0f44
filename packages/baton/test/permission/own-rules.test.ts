import { describe, expect, test } from 'vitest'
import { agents } from '../../src/adapters/agents/agent-list.ts'
import { ownerOfRules } from '../../src/permission/own-rules.ts'
import type { RulePlace } from '../../src/ports/agent.ts'

const HOME = '/home/dev'
const PROJECT = `${HOME}/project`

function ownerOf(
  name: string,
  files: Readonly<Record<string, string>>,
  args: string[] = [],
  command = 'npm test',
) {
  const sandboxing = agents.find(({ adapter }) => adapter.name === name)?.sandboxing
  const place: RulePlace = {
    home: HOME,
    env: {},
    args,
    project: PROJECT,
    cwd: `${PROJECT}/packages/a`,
    toolUseId: undefined,
    read: path => files[path],
    names: folder =>
      Object.keys(files).flatMap(path =>
        path.startsWith(`${folder}/`) ? [path.slice(folder.length + 1)] : [],
      ),
    lastInTranscript: () =>
      JSON.stringify({
        payload: { sandbox_policy: { type: 'danger-full-access' }, approval_policy: 'never' },
      }),
  }
  return ownerOfRules((text, where) => sandboxing?.whyOwnText(text, where), command, place)
}

const FORBIDDEN = 'prefix_rule(pattern = ["npm"], decision = "forbidden")'

describe('rules in the settings of an agent are', () => {
  test.each([
    ['claude-code', '.claude/settings.json', '{'],
    ['claude-code', 'packages/a/.claude/settings.local.json', '{ "sandbox": { "enabled": true } }'],
    ['claude-code', '.claude/settings.json', '{ "permissions": { "deny": ["Bash(npm *)"] } }'],
    ['gemini', '.gemini/settings.json', '{'],
    ['copilot', '.github/copilot/settings.json', '{ "sandbox": true }'],
    ['opencode', 'opencode.json', '{'],
    ['opencode', 'packages/a/opencode.json', '{ "permission": "deny" }'],
    ['codex', '.codex/rules/team.rules', FORBIDDEN],
  ])('the project’s, for %s in %s: %s', (agent, path, text) => {
    expect(ownerOf(agent, {})).toBeUndefined()
    expect(ownerOf(agent, { [`${PROJECT}/${path}`]: text })).toBe('project')
  })

  test.each([
    ['claude-code', '.claude/settings.json', '{ "sandbox": { "enabled": true } }'],
    ['claude-code', '.claude/settings.json', '{ "permissions": { "deny": ["Bash"] } }'],
    ['gemini', '.gemini/settings.json', '{ "tools": { "core": ["run_shell_command(npm)"] } }'],
    ['opencode', '.config/opencode/opencode.json', '{ "permission": "deny" }'],
  ])('the user’s, for %s in ~/%s, whatever the project says', (agent, path, text) => {
    expect(ownerOf(agent, { [`${HOME}/${path}`]: text })).toBe('user')
    const both = { [`${HOME}/${path}`]: text, [`${PROJECT}/${path}`]: '{' }
    expect(ownerOf(agent, both)).toBe('user')
  })

  test.each([
    ['claude-code', '.claude/settings.json', '{ "permissions": { "deny": ["Bash(npm *)"] } }'],
    ['claude-code', '.claude/settings.json', '{ "permissions": { "deny": ["Read(./test)"] } }'],
    ['gemini', '.gemini/settings.json', '{ "excludeTools": ["run_shell_command(npm)"] }'],
    ['codex', '.codex/rules/own.rules', FORBIDDEN],
    ['opencode', '.config/opencode/opencode.json', '{ "permission": { "bash": { "npm *": "deny" } } }'],
  ])('the user’s, but only by the command’s words, for %s in ~/%s: %s', (agent, path, text) => {
    const files = { [`${HOME}/${path}`]: text }
    expect(ownerOf(agent, files)).toBe('command')
    expect(ownerOf(agent, files, [], 'ls')).toBeUndefined()
  })

  test('the project’s where the command line names a file of it, under any spelling', () => {
    for (const name of ['s.json', './x/../s.json', `${PROJECT}/s.json`]) {
      const files = { [`${PROJECT}/s.json`]: '{', [name]: '{' }
      expect(ownerOf('claude-code', files, ['claude', '--settings', name]), name).toBe('project')
    }
    expect(ownerOf('claude-code', {}, ['claude', '--settings', 'absent.json'])).toBe('user')
  })
})
