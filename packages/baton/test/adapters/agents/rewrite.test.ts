import { expect, test } from 'vitest'
import { agents } from '../../../src/adapters/agents/agent-list.ts'

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
    expect(sandboxing?.mustProve).toBe(true)
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
