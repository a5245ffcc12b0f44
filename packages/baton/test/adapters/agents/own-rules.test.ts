import { describe, expect, test } from 'vitest'
import { whyOwnText as codex, ownSandbox } from '../../../src/adapters/agents/codex/own-rules.ts'
import { whyOwnText as copilot } from '../../../src/adapters/agents/copilot/own-rules.ts'
import { whyOwnText as gemini } from '../../../src/adapters/agents/gemini/own-rules.ts'
import { whyOwnText as opencode } from '../../../src/adapters/agents/opencode/own-rules.ts'
import type { RulePlace } from '../../../src/ports/agent.ts'

const HOME = '/home/dev'
const PROJECT = '/home/dev/project'

interface Given {
  files?: Readonly<Record<string, string>>
  args?: string[]
  env?: Record<string, string>
  transcript?: string
}

const place = ({ files = {}, args = [], env = {}, transcript }: Given): RulePlace => ({
  home: HOME,
  env,
  args,
  project: PROJECT,
  cwd: PROJECT,
  read: path => files[path],
  names: folder =>
    Object.keys(files).flatMap(path => (path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : [])),
  lastInTranscript: text => (transcript?.includes(text) ? transcript : undefined),
})

const turn = (policy: unknown) =>
  `{"type":"turn_context","payload":{"sandbox_policy":${JSON.stringify(policy)}}}`
const OPEN = turn({ type: 'danger-full-access' })

describe('Codex', () => {
  const rules = (text: string) => ({ files: { [`${HOME}/.codex/rules/mine.rules`]: text }, transcript: OPEN })
  test.each<[string, string, Given]>([
    [
      'a rule that forbids',
      'git push origin',
      rules('prefix_rule(pattern=["git", "push"], decision="forbidden")'),
    ],
    ['a rule that asks', 'cd x && rm a', rules('prefix_rule(pattern = [["rm", "mv"]], decision = "prompt")')],
    ['a rule that Baton cannot read', 'ls', rules('prefix_rule(pattern=P, decision="forbidden")')],
    ['a patch', "cd sub && apply_patch <<'EOF'", { transcript: OPEN }],
    ['no word about its sandbox', 'ls', {}],
    ['an unknown sandbox', 'ls', { transcript: turn({ type: 'new-kind' }) }],
    [
      'its own sandbox with the network',
      'ls',
      { transcript: turn({ type: 'workspace-write', network_access: true }) },
    ],
  ])('sees the command itself: %s', (_, command, given) => {
    expect(codex(command, place(given))).toBeDefined()
  })

  test.each<[string, Given]>([
    ['no rules', { transcript: OPEN }],
    ['rules about other commands', rules('prefix_rule(pattern=["git"], decision="forbidden")')],
    ['rules that allow', rules('prefix_rule(pattern=["npm"], decision="allow")\n# "forbidden"')],
    ['its own sandbox without the network', { transcript: turn({ type: 'workspace-write' }) }],
  ])('does not have to see it: %s', (_, given) => {
    expect(codex('npm test', place(given))).toBeUndefined()
  })

  test('its own sandbox counts where it is on', () => {
    expect(ownSandbox(place({ transcript: OPEN }))).toBeUndefined()
    expect(ownSandbox(place({ transcript: turn({ mode: 'read-only' }) }))).toContain('read-only')
  })
})

describe('opencode', () => {
  const config = (permission: unknown): Given => ({
    files: { [`${PROJECT}/opencode.jsonc`]: `// mine\n{"permission":${JSON.stringify(permission)},}` },
  })
  test.each<[string, Given]>([
    ['a deny', config({ bash: { 'rm *': 'deny' } })],
    ['an ask', config({ bash: { '*': 'allow', 'rm *': 'ask' } })],
    ['a deny of everything', config('deny')],
    [
      'a deny of one agent',
      {
        files: {
          [`${HOME}/.config/opencode/opencode.json`]: '{"agent":{"a":{"permission":{"bash":"deny"}}}}',
        },
      },
    ],
    ['a deny in the environment', { env: { OPENCODE_PERMISSION: '{"bash":{"rm*":"deny"}}' } }],
    [
      'an agent as Markdown',
      { files: { [`${PROJECT}/.opencode/agent/a.md`]: '---\npermission:\n  bash: deny\n---\n' } },
    ],
    ['a damaged file', { files: { [`${PROJECT}/opencode.json`]: '{' } }],
  ])('sees the command itself: %s', (_, given) => {
    expect(opencode('cd sub && rm -r x', place(given))).toBeDefined()
  })
  test.each<[string, Given]>([
    ['no settings', {}],
    ['an ask about everything, which the plugin answers', config({ bash: 'ask' })],
    ['rules about other commands', config({ bash: { 'git push *': 'deny' }, edit: 'deny' })],
  ])('does not have to see it: %s', (_, given) => {
    expect(opencode('rm -r x', place(given))).toBeUndefined()
  })
})

describe('Gemini CLI', () => {
  const settings = (value: unknown): Given => ({
    files: { [`${HOME}/.gemini/settings.json`]: JSON.stringify(value) },
  })
  const policy = (text: string): Given => ({ files: { [`${HOME}/.gemini/policies/p.toml`]: text } })
  test.each<[string, Given]>([
    ['an excluded command', settings({ tools: { exclude: ['run_shell_command(rm)'] } })],
    ['a list of commands', settings({ tools: { core: ['run_shell_command(git)'] } })],
    ['its sandbox', settings({ tools: { sandbox: 'docker' } })],
    ['its sandbox by flag', { args: ['gemini', '--sandbox'] }],
    [
      'a policy',
      policy('[[rule]]\ntoolName = "run_shell_command"\ncommandPrefix = ["rm", "mv"]\ndecision = "deny"\n'),
    ],
    ['a policy for all', policy('[[rule]]\ntoolName = "*"\ndecision = "ask_user"\n')],
  ])('sees the command itself: %s', (_, given) => {
    expect(gemini('rm x', place(given))).toBeDefined()
  })
  test.each<[string, Given]>([
    ['no settings', {}],
    [
      'another excluded command',
      settings({ tools: { exclude: ['run_shell_command(git push)', 'web_fetch'] } }),
    ],
    ['a policy for another tool', policy('[[rule]]\ntoolName = "web_fetch"\ndecision = "deny"\n')],
  ])('does not have to see it: %s', (_, given) => {
    expect(gemini('rm x', place(given))).toBeUndefined()
  })
})

describe('Copilot CLI', () => {
  test.each<[string, Given]>([
    ['a denied command', { args: ['copilot', '--deny-tool', 'shell(rm:*)', '-p', 'x'] }],
    ['all commands denied', { args: ['copilot', '--deny-tool=shell'] }],
    ['its sandbox', { files: { [`${HOME}/.copilot/settings.json`]: '{"sandbox":{"enabled":true}}' } }],
  ])('sees the command itself: %s', (_, given) => {
    expect(copilot('rm x', place(given))).toBeDefined()
  })
  test.each<[string, Given]>([
    ['no settings', {}],
    ['another denied command', { args: ['copilot', '--deny-tool', 'shell(git push)', 'write', '-p', 'rm'] }],
  ])('does not have to see it: %s', (_, given) => {
    expect(copilot('rm x', place(given))).toBeUndefined()
  })
})
