import type { PermissionMode } from '@batonpass/contract/event'
import type { Reaction } from '@batonpass/contract/reaction'
import { describe, expect, test } from 'vitest'
import { claudeCode } from '../../../src/adapters/agents/claude-code/adapter.ts'
import { agentContract } from '../../contracts/agent.contract.ts'
import { recorded } from './recorded.ts'

agentContract({
  adapter: claudeCode,
  fixtures: 'claude-code',
  scopes: ['user', 'project', 'local'],
  entries: 'groups',
})

/** What a dialog's "Yes, and don't ask again" would add. */
describe('what Claude Code says', () => {
  const eventOf = (name: string) => {
    const decoded = claudeCode.decode(recorded('claude-code', name), undefined)
    if ('ignored' in decoded) throw new Error(`${name} was ignored`)
    return decoded.event
  }

  test.each([
    ['session-start.clear', { type: 'SessionStarted', source: 'clear' }],
    ['session-start.startup', { type: 'SessionStarted', source: 'startup', model: 'claude-opus-5-5' }],
    ['user-prompt-submit.command', { type: 'PromptSubmitted', prompt: '/greet 42', mode: 'default' }],
    [
      'pre-tool-use.bash',
      {
        type: 'ToolRequested',
        tool: 'Bash',
        action: { kind: 'shell', command: 'echo hello', cwd: '/home/dev/project' },
      },
    ],
    ['pre-tool-use.bypass', { type: 'ToolRequested', mode: 'bypass' }],
    ['pre-tool-use.read', { action: { kind: 'read', paths: ['/home/dev/project/readme.txt'] } }],
    ['pre-tool-use.edit', { action: { kind: 'write', paths: ['/home/dev/project/notes.txt'] } }],
    ['pre-tool-use.mcp', { action: { kind: 'mcp', server: 'notes', tool: 'add_note' } }],
    ['pre-tool-use.agent', { action: { kind: 'agent', description: 'Look' } }],
    [
      'permission-request.write',
      { type: 'PermissionAsked', action: { kind: 'write', paths: ['/home/dev/project/notes.txt'] } },
    ],
    ['post-tool-use.bash', { type: 'ToolFinished', failed: false, durationMs: expect.any(Number) }],
    ['post-tool-use-failure', { type: 'ToolFinished', failed: true, response: 'Exit code 1' }],
    ['stop', { type: 'TurnEnded', continued: false, lastMessage: 'All done.', outcome: 'completed' }],
    ['stop.background-task', { type: 'TurnEnded', running: 1 }],
    ['stop.after-background-task', { type: 'TurnEnded', running: 0 }],
    ['stop.scheduled', { type: 'TurnEnded', running: 0, scheduled: 1 }],
    [
      'permission-request.question',
      {
        type: 'PermissionAsked',
        action: { kind: 'question', questions: [{ kind: 'choice', ownWords: true }] },
      },
    ],
    ['elicitation', { type: 'FormAsked', server: 'forms', message: 'Please sign up' }],
    [
      'permission-denied',
      {
        type: 'ToolDenied',
        mode: 'auto',
        action: { kind: 'shell', command: 'curl -s http://127.0.0.1:1/ | sh' },
        reason: 'Classifier unavailable',
      },
    ],
    ['config-change', { type: 'SettingsChanged', path: '/home/dev/.claude/settings.json' }],
    ['task-completed', { type: 'TaskCompleted', subject: 'Write it' }],
    ['teammate-idle', { type: 'TeammateIdle', teammate: 'helper', subagent: { type: 'helper' } }],
    ['user-prompt-submit.task-notification', { type: 'PromptSubmitted', automatic: true }],
    ['stop-failure.rate-limit', { type: 'TurnFailed', error: 'rate_limit' }],
    ['notification.idle-prompt', { type: 'Idle', kind: 'idle' }],
    ['notification.permission-prompt', { type: 'Idle', kind: 'permission' }],
    ['pre-compact', { type: 'Compacting', trigger: 'manual' }],
    ['post-compact', { type: 'Compacted' }],
    ['subagent-start', { type: 'SubagentStarted', subagent: { type: 'general-purpose' } }],
    ['subagent-stop', { type: 'SubagentEnded', lastMessage: 'Subagent done.' }],
    ['session-end.clear', { type: 'SessionEnded', reason: 'clear' }],
  ])('%s', (name, expected) => {
    expect(eventOf(name)).toMatchObject(expected)
  })

  test("a subagent's hooks carry its id, the session's own do not", () => {
    expect(eventOf('pre-tool-use.subagent')).toMatchObject({ subagent: { type: 'general-purpose' } })
    expect(eventOf('pre-tool-use.bash')).not.toHaveProperty('subagent')
    // `claude --agent NAME` sends the type for the session itself.
    const main = claudeCode.decode({ ...recorded('claude-code', 'stop'), agent_type: 'reviewer' }, undefined)
    expect(main).not.toHaveProperty('event.subagent')
  })

  test('a slash command is heard once: its expansion is ignored', () => {
    expect(claudeCode.decode(recorded('claude-code', 'user-prompt-expansion'), undefined)).toEqual({
      ignored: 'UserPromptExpansion',
    })
  })

  test('a hook of ours that Cursor runs is left to the adapter for Cursor', () => {
    const payload = { ...recorded('claude-code', 'stop'), cursor_version: '2.4.21' }
    expect(claudeCode.decode(payload, 'Stop')).toHaveProperty('ignored')
  })

  test.each([
    [{ tool_name: 'Bash', tool_input: { command: 7 } }, 'tool_input.command'],
    [{ tool_name: 'Bash', tool_input: {} }, 'tool_input.command'],
    [{ tool_name: 'Bash', tool_input: 'ls' }, 'tool_input'],
    [{ tool_name: ['Bash'] }, 'tool_name'],
    [{ tool_name: 'Write', tool_input: { file_path: {} } }, 'tool_input.file_path'],
    [{ cwd: 7 }, 'cwd'],
  ])('%j is refused by the name of its field', (patch, field) => {
    const payload = { ...recorded('claude-code', 'pre-tool-use.bash'), ...patch }
    expect(() => claudeCode.decode(payload, undefined)).toThrow(`\`${field}\``)
  })

  test.each([
    ['NotebookEdit', { notebook_path: '/n.ipynb' }, { kind: 'write', paths: ['/n.ipynb'] }],
    ['MultiEdit', { file_path: '/f' }, { kind: 'write', paths: ['/f'] }],
    ['Grep', { pattern: 'x', path: '/p' }, { kind: 'search', paths: ['/p'], pattern: 'x' }],
    ['Glob', { pattern: '*.ts' }, { kind: 'search', paths: [], pattern: '*.ts' }],
    ['LS', { path: '/p' }, { kind: 'search', paths: ['/p'] }],
    ['WebFetch', { url: 'https://a.example' }, { kind: 'web', url: 'https://a.example' }],
    ['WebSearch', { query: 'q' }, { kind: 'web', query: 'q' }],
    ['Task', { description: 'd' }, { kind: 'agent', description: 'd' }],
    ['Monitor', { command: 'tail -f x' }, { kind: 'shell', command: 'tail -f x', cwd: '/home/dev/project' }],
    ['mcp__a_b__c__d', {}, { kind: 'mcp', server: 'a_b', tool: 'c__d' }],
    ['mcp__broken', {}, { kind: 'other' }],
    ['BrandNew', { command: 'rm -rf /' }, { kind: 'other' }],
  ])('%s %j is understood', (tool_name, tool_input, action) => {
    const payload = { ...recorded('claude-code', 'pre-tool-use.bash'), tool_name, tool_input }
    expect(claudeCode.decode(payload, undefined)).toMatchObject({ event: { action } })
  })

  test('a tool id that is not a file name is kept apart from others by its digest', () => {
    const id = (tool_use_id: string) =>
      claudeCode.decode({ ...recorded('claude-code', 'pre-tool-use.bash'), tool_use_id }, undefined)
    expect(id('toolu_1')).toHaveProperty('event.toolUseId', 'toolu_1')
    expect(id('../a')).toHaveProperty('event.toolUseId', expect.stringMatching(/^sha256:[0-9a-f]{40}$/))
    expect(id('../a')).not.toEqual(id('../b'))
  })
})

describe('what Claude Code is answered', () => {
  const decide = (decision: 'allow' | 'deny' | 'ask'): Reaction => ({
    permission: { decision, reason: 'because' },
  })

  test.each<[string, Reaction, object]>([
    [
      'PreToolUse',
      decide('allow'),
      {
        hookSpecificOutput: {
          hookEventName: 'PreToolUse',
          permissionDecision: 'allow',
          permissionDecisionReason: 'because',
        },
      },
    ],
    [
      'PreToolUse',
      { ...decide('ask'), context: 'c' },
      {
        hookSpecificOutput: {
          hookEventName: 'PreToolUse',
          permissionDecision: 'ask',
          permissionDecisionReason: 'because',
          additionalContext: 'c',
        },
      },
    ],
    [
      'PreToolUse',
      { context: 'c', notice: 'n' },
      { hookSpecificOutput: { hookEventName: 'PreToolUse', additionalContext: 'c' }, systemMessage: 'n' },
    ],
    [
      'PermissionRequest',
      decide('allow'),
      { hookSpecificOutput: { hookEventName: 'PermissionRequest', decision: { behavior: 'allow' } } },
    ],
    [
      'PermissionRequest',
      decide('deny'),
      {
        hookSpecificOutput: {
          hookEventName: 'PermissionRequest',
          decision: { behavior: 'deny', message: 'because' },
        },
      },
    ],
    ['PermissionRequest', decide('ask'), {}],
    ['Stop', { goOn: { prompt: 'go on' } }, { decision: 'block', reason: 'go on' }],
    [
      'Stop',
      { goOn: { prompt: 'go on' }, context: 'c' },
      {
        decision: 'block',
        reason: 'go on',
        hookSpecificOutput: { hookEventName: 'Stop', additionalContext: 'c' },
      },
    ],
    ['Stop', { context: 'would make it go on' }, {}],
    ['SubagentStop', { goOn: { prompt: 'go on' } }, {}],
    ['UserPromptSubmit', { refuse: { reason: 'no' } }, { decision: 'block', reason: 'no' }],
    [
      'UserPromptSubmit',
      { context: 'c' },
      { hookSpecificOutput: { hookEventName: 'UserPromptSubmit', additionalContext: 'c' } },
    ],
    [
      'SessionStart',
      { context: 'c' },
      { hookSpecificOutput: { hookEventName: 'SessionStart', additionalContext: 'c' } },
    ],
    [
      'PostToolUse',
      { context: 'c' },
      { hookSpecificOutput: { hookEventName: 'PostToolUse', additionalContext: 'c' } },
    ],
    ['Notification', { context: 'c', notice: 'n' }, {}],
    ['SessionEnd', { notice: 'n' }, {}],
    ['BrandNew', { ...decide('deny'), context: 'c' }, {}],
  ])('%s %j', (event, reaction, answer) => {
    expect(claudeCode.encode(reaction, event)).toEqual(answer)
  })

  test('a replaced command comes without a decision, and only before the tool', () => {
    const rewrite = { input: { command: 'box 1', timeout: 5 } }
    expect(claudeCode.encode({ rewrite, context: 'why' }, 'PreToolUse')).toEqual({
      hookSpecificOutput: {
        hookEventName: 'PreToolUse',
        updatedInput: rewrite.input,
        additionalContext: 'why',
      },
    })
    for (const event of ['PermissionRequest', 'PostToolUse', 'Stop'])
      expect(JSON.stringify(claudeCode.encode({ rewrite }, event))).not.toContain('box')
  })

  test('long texts are cut, but a prompt to continue with never is', () => {
    const long = 'a line\n'.repeat(5_000)
    const answer = JSON.stringify(claudeCode.encode({ ...decide('deny'), context: long }, 'PreToolUse'))
    expect(answer.length).toBeLessThan(12_000)
    expect(answer).toContain('[Baton cut ')
    expect(claudeCode.encode({ goOn: { prompt: long } }, 'Stop')).toEqual({ decision: 'block', reason: long })
  })

  test.each<[PermissionMode | undefined, string]>([
    [undefined, 'ask'],
    ['default', 'ask'],
    ['accept-edits', 'ask'],
    ['plan', 'ask'],
    ['never-ask', 'deny'],
    ['bypass', 'deny'],
  ])('in mode %s a call that no one could be asked about gets %s', (mode, decision) => {
    expect(claudeCode.safe('PreToolUse', mode).permission?.decision).toBe(decision)
  })
})

describe("Claude Code's settings", () => {
  const target = {
    scope: 'user',
    project: '/p',
    home: '/h',
    launcher: '/s/bin/baton-hook',
    waitSeconds: 300.2,
  } as const
  const written = (more: object) =>
    JSON.parse(claudeCode.install({ ...target, ...more }, () => undefined)[0]?.after ?? '').hooks

  test('a hook that may wait for a person gets more time than the wait, in seconds', () => {
    const hooks = written({})
    expect(hooks.PreToolUse).toEqual([
      {
        matcher: '*',
        hooks: [
          {
            type: 'command',
            command: '/s/bin/baton-hook claude-code PreToolUse --source user',
            timeout: 316,
          },
        ],
      },
    ])
    expect(hooks.Stop[0].hooks[0].timeout).toBe(100)
  })

  test('every event goes through the launcher, and none to a port', () => {
    const handlers = Object.values(written({ scope: 'local' })).flatMap(groups =>
      (groups as { hooks: { type: string }[] }[]).flatMap(({ hooks }) => hooks),
    )
    expect(handlers).toHaveLength(claudeCode.hooks.length)
    expect(new Set(handlers.map(({ type }) => type))).toEqual(new Set(['command']))
  })

  test('a launcher of ours beside another hook in one group is taken out alone', () => {
    const ours = { type: 'command', command: "'/a b/baton-hook' claude-code Stop --source user" }
    const theirs = { type: 'command', command: 'notify-send done' }
    const text = JSON.stringify({ hooks: { Stop: [{ hooks: [ours, theirs] }] } })
    const [change] = claudeCode.uninstall(target, () => text)
    expect(JSON.parse(change?.after ?? '')).toEqual({ hooks: { Stop: [{ hooks: [theirs] }] } })
  })

  test('what a person wrote beside our hooks afterwards stays', () => {
    const { after = '' } = claudeCode.install(target, () => undefined)[0] ?? {}
    const edited = after.replace(
      '"hooks": {',
      '"model": "opus",\n  "hooks": {\n    // mine\n    "Custom": [],',
    )
    const [change] = claudeCode.uninstall(target, () => edited)
    expect(change?.after).toContain('// mine')
    expect(change?.after).toContain('"model": "opus"')
    expect(change?.after).not.toContain('baton-hook')
  })
})
