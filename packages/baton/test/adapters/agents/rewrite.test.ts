import { expect, test } from 'vitest'
import { agents } from '../../../src/adapters/agents/agent-list.ts'
import { modes } from '../../../src/adapters/agents/claude-code/modes.ts'

const rewrite = { input: { command: "'/box' 1", timeout: 5 } }

const ANSWERS: Record<string, [string, object]> = {
  codex: [
    'PreToolUse',
    {
      hookSpecificOutput: {
        hookEventName: 'PreToolUse',
        permissionDecision: 'allow',
        updatedInput: rewrite.input,
      },
    },
  ],
  gemini: [
    'BeforeTool',
    { decision: 'allow', hookSpecificOutput: { hookEventName: 'BeforeTool', tool_input: rewrite.input } },
  ],
  copilot: ['preToolUse', { permissionDecision: 'allow', modifiedArgs: rewrite.input }],
  opencode: ['ToolCall', { decision: 'allow', input: rewrite.input }],
  pi: ['ToolCall', { decision: 'allow', input: rewrite.input }],
}

test.each(Object.entries(ANSWERS))(
  '%s gets a replaced command in its own form, and only before it runs',
  (name, [event, answer]) => {
    const { adapter, sandboxing } = agents.find(each => each.adapter.name === name) ?? expect.fail()
    expect(adapter.encode({ rewrite }, event)).toEqual(answer)
    for (const point of adapter.hooks)
      if (point.event !== event)
        expect(JSON.stringify(adapter.encode({ rewrite }, point.event))).not.toContain('box')
    // A decision of another reactor comes first.
    const denied = adapter.encode({ rewrite, permission: { decision: 'deny', reason: 'no' } }, event)
    expect(JSON.stringify(denied)).not.toContain('box')
    expect(sandboxing?.mustProve).toBe('any')
  },
)

test.each(['opencode', 'pi'])(
  'a plugin for %s that an earlier version wrote is handed no other command',
  name => {
    const { adapter } = agents.find(each => each.adapter.name === name) ?? expect.fail()
    const payload = { session_id: 'ses_1', tool_name: 'bash', tool_input: { command: 'npm test' } }
    expect(adapter.decode(payload, 'ToolCall')).toMatchObject({ event: { fixed: true } })
    expect(adapter.decode({ ...payload, takes_input: true }, 'ToolCall')).not.toHaveProperty('event.fixed')
  },
)

test.each([
  ['default', false],
  ['acceptEdits', false],
  ['bypassPermissions', false],
  ['plan', false],
  ['unknown', false],
  ['auto', true],
  ['dontAsk', true],
] as const)(
  'Claude Code in mode %s: an allow beside a replaced command %s, only with a proof',
  (mode, isAllowed) => {
    const { adapter, sandboxing } = agents.find(each => each.adapter.name === 'claude-code') ?? expect.fail()
    const payload = { permission_mode: mode, tool_name: 'Bash', tool_input: { command: 'npm test' } }
    expect(adapter.encode({ rewrite }, 'PreToolUse', undefined, payload)).toEqual({
      hookSpecificOutput: {
        hookEventName: 'PreToolUse',
        updatedInput: rewrite.input,
        ...(isAllowed ? { permissionDecision: 'allow' } : {}),
      },
    })
    expect(sandboxing?.mustProve?.includes(modes[mode] ?? 'default')).toBe(isAllowed)
    // Another reactor's decision stays.
    const asked = { rewrite, permission: { decision: 'ask', reason: 'no' } } as const
    expect(adapter.encode(asked, 'PreToolUse', undefined, payload)).toMatchObject({
      hookSpecificOutput: { permissionDecision: 'ask' },
    })
  },
)
