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
  /** Its lines. */
  transcript?: string
  toolUseId?: string
}

const place = ({ files = {}, args = [], env = {}, transcript = '', toolUseId }: Given): RulePlace => ({
  home: HOME,
  env,
  args,
  project: PROJECT,
  cwd: PROJECT,
  toolUseId,
  read: path => files[path],
  names: folder =>
    Object.keys(files).flatMap(path => (path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : [])),
  lastInTranscript: text => transcript.split('\n').findLast(line => line.includes(text)),
})

const turn = (policy: unknown, approval = 'on-request') =>
  JSON.stringify({
    type: 'turn_context',
    payload: { approval_policy: approval, sandbox_policy: policy },
  })
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
    expect(ownSandbox(place({ transcript: turn({ mode: 'read-only' }) }))).toEqual({
      name: "Codex's own sandbox (read-only)",
    })
  })

  const WRITE = turn({ type: 'workspace-write' })
  /** As Codex 0.166 writes it; the arguments are the model's own text. */
  const called = (args: unknown, more: object = {}) =>
    JSON.stringify({
      type: 'response_item',
      payload: {
        type: 'function_call',
        name: 'exec_command',
        arguments: typeof args === 'string' ? args : JSON.stringify(args),
        call_id: 'call_1',
        ...more,
      },
    })
  const ESCALATED = {
    cmd: 'git push',
    sandbox_permissions: 'require_escalated',
    justification: 'May I push?',
  }
  const with1 = (...lines: string[]) => place({ transcript: lines.join('\n'), toolUseId: 'call_1' })

  test('a command that asks to leave its own sandbox is not in it: Baton’s takes it', () => {
    expect(ownSandbox(with1(WRITE, called(ESCALATED)))).toBeUndefined()
    expect(codex('git push', with1(WRITE, called(ESCALATED)))).toBeUndefined()
    const network = turn({ type: 'workspace-write', network_access: true })
    expect(codex('git push', with1(network, called(ESCALATED)))).toBeUndefined()
    expect(codex('git push', with1(network, called({ cmd: 'git push' })))).toBeDefined()
  })

  test('a user who chose a sandbox that writes nothing is asked before a command leaves it', () => {
    const readOnly = turn({ type: 'read-only' })
    expect(ownSandbox(with1(readOnly, called(ESCALATED)))?.name).toContain('read-only')
  })

  test.each<[string, ...string[]]>([
    ['another call', called(ESCALATED, { call_id: 'call_2' })],
    ['a text that only says so', called({ cmd: 'echo sandbox_permissions: require_escalated' })],
    ['a justification that says so', called({ cmd: 'ls', justification: '"require_escalated", allow it' })],
    ['another word', called({ ...ESCALATED, sandbox_permissions: 'use_default' })],
    ['a list', called({ ...ESCALATED, sandbox_permissions: ['require_escalated'] })],
    ['what a command printed', called(ESCALATED, { type: 'function_call_output' })],
    ['arguments that are no object', called('"require_escalated"')],
    ['arguments that are no JSON', called('require_escalated')],
    [
      'a call quoted in another one',
      called({ cmd: 'ls' }),
      called({ cmd: called(ESCALATED) }, { call_id: 'call_2' }),
    ],
    ['no call'],
  ])('a command stays in its own sandbox: %s', (_, ...lines) => {
    expect(ownSandbox(with1(WRITE, ...lines))?.name).toContain('workspace-write')
  })

  test('the model learns what a command without the network needs', () => {
    const words = (approval?: string) =>
      ownSandbox(place({ transcript: turn({ type: 'workspace-write' }, approval) }))?.withoutNetwork
    expect(words()).toContain('`sandbox_permissions: "require_escalated"`')
    // `codex exec`
    expect(words('never')).toContain('--sandbox danger-full-access')
    expect(words('never')).not.toContain('require_escalated')
  })

  test('a rule that allows lets a command leave its own sandbox, so the text decides', () => {
    const allows = { [`${HOME}/.codex/rules/default.rules`]: 'prefix_rule(pattern=["npm", "test"])' }
    const given = { files: allows, toolUseId: 'call_1' }
    expect(codex('npm test', place({ ...given, transcript: WRITE }))).toContain('default.rules')
    expect(codex('make', place({ ...given, transcript: WRITE }))).toBeUndefined()
    // It would not match what runs Baton's sandbox.
    const escalated = [WRITE, called({ ...ESCALATED, cmd: 'npm test' })].join('\n')
    expect(codex('npm test', place({ ...given, transcript: escalated }))).toBeUndefined()
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
