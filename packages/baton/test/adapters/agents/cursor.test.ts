import type { Reaction } from '@batonpass/contract/reaction'
import { describe, expect, test } from 'vitest'
import { cursor } from '../../../src/adapters/agents/cursor/adapter.ts'
import { agentContract } from '../../contracts/agent.contract.ts'
import { recorded } from './recorded.ts'

agentContract({ adapter: cursor, fixtures: 'cursor', scopes: ['user', 'project'], entries: 'flat' })

describe('what Cursor says', () => {
  test.each([
    [
      'session-start',
      {
        type: 'SessionStarted',
        nativeSession: '3f0e5c1a-9a57-4a3e-8a0b-0d6a3c1f7e21',
        cwd: '/home/dev/project',
      },
    ],
    ['before-submit-prompt', { type: 'PromptSubmitted', prompt: 'count the files' }],
    [
      'before-shell-execution',
      {
        type: 'ToolRequested',
        tool: 'Shell',
        action: { kind: 'shell', command: 'npm test', cwd: '/home/dev/project' },
      },
    ],
    [
      'before-mcp-execution',
      { action: { kind: 'mcp', server: 'unknown', tool: 'add_note' }, input: { text: 'a note' } },
    ],
    [
      'before-read-file',
      {
        input: { file_path: '/home/dev/project/readme.txt' },
        action: { kind: 'read', paths: ['/home/dev/project/readme.txt'] },
      },
    ],
    [
      'pre-tool-use.write',
      { type: 'ToolRequested', action: { kind: 'write', paths: ['/home/dev/project/notes.txt'] } },
    ],
    ['pre-tool-use.task', { action: { kind: 'agent', description: 'Look' } }],
    [
      'post-tool-use.shell',
      {
        type: 'ToolFinished',
        failed: false,
        durationMs: 5432,
        action: { kind: 'shell', command: 'npm test' },
      },
    ],
    ['post-tool-use-failure', { type: 'ToolFinished', failed: true, response: 'Command timed out' }],
    [
      'after-file-edit',
      { type: 'ToolFinished', action: { kind: 'write', paths: ['/home/dev/project/notes.txt'] } },
    ],
    ['pre-compact', { type: 'Compacting', trigger: 'auto' }],
    ['subagent-start', { type: 'SubagentStarted', subagent: { id: '9c2d7c1e', type: 'explore' } }],
    ['subagent-stop', { type: 'SubagentEnded', subagent: { type: 'explore' }, lastMessage: 'Looked.' }],
    ['stop.completed', { type: 'TurnEnded', continued: false, outcome: 'completed', loopCount: 0 }],
    ['stop.continued', { type: 'TurnEnded', continued: true, loopCount: 2 }],
    ['stop.aborted', { type: 'TurnEnded', outcome: 'aborted' }],
    ['session-end', { type: 'SessionEnded', reason: 'user_close' }],
  ])('%s', (name, event) => {
    expect(cursor.decode(recorded('cursor', name), undefined)).toMatchObject({ event })
  })

  test('a shell or MCP call is counted at its own hook, not again at the generic one', () => {
    expect(cursor.decode(recorded('cursor', 'pre-tool-use.shell'), undefined)).toEqual({
      ignored: 'preToolUse',
    })
    const mcp = { ...recorded('cursor', 'pre-tool-use.write'), tool_name: 'MCP:notes:add_note' }
    expect(cursor.decode(mcp, undefined)).toEqual({ ignored: 'preToolUse' })
  })

  test('arguments that come as JSON inside a string are read', () => {
    const payload = { ...recorded('cursor', 'pre-tool-use.write'), tool_input: '{"path":"/home/dev/x"}' }
    expect(cursor.decode(payload, undefined)).toMatchObject({
      event: { input: { path: '/home/dev/x' }, action: { kind: 'write', paths: ['/home/dev/x'] } },
    })
  })

  test('an MCP tool named with its server keeps both', () => {
    const payload = { ...recorded('cursor', 'before-mcp-execution'), tool_name: 'MCP:notes:add:note' }
    expect(cursor.decode(payload, undefined)).toMatchObject({
      event: { action: { kind: 'mcp', server: 'notes', tool: 'add:note' } },
    })
  })
})

describe('what Cursor is answered', () => {
  const decide = (decision: 'allow' | 'deny' | 'ask'): Reaction => ({
    permission: { decision, reason: 'because' },
  })

  test.each<[string, Reaction, object]>([
    ['beforeShellExecution', decide('allow'), { permission: 'allow' }],
    [
      'beforeShellExecution',
      decide('deny'),
      { permission: 'deny', user_message: 'because', agent_message: 'because' },
    ],
    ['preToolUse', { context: 'c' }, {}],
    ['beforeSubmitPrompt', { refuse: { reason: 'no' } }, { continue: false, user_message: 'no' }],
    ['beforeSubmitPrompt', { context: 'c' }, {}],
    ['stop', { goOn: { prompt: 'go on' } }, { followup_message: 'go on' }],
    ['subagentStop', { goOn: { prompt: 'go on' } }, {}],
    ['sessionStart', { context: 'c' }, { additional_context: 'c' }],
    ['postToolUse', { context: 'c' }, { additional_context: 'c' }],
    ['preCompact', { notice: 'n' }, { user_message: 'n' }],
  ])('%s %j', (event, reaction, answer) => {
    expect(cursor.encode(reaction, event)).toEqual(answer)
  })

  test('asking a person, which Cursor does not do, is a refusal that says so', () => {
    const answer = cursor.encode(decide('ask'), 'beforeShellExecution')
    expect(answer).toMatchObject({ permission: 'deny', user_message: expect.stringContaining('because') })
    expect(answer.agent_message).toContain('Cursor cannot ask')
  })
})

test('a file that locks out colleagues without Baton is not committed', () => {
  const target = { project: '/p', home: '/h', launcher: '/s/baton-hook', waitSeconds: 60 }
  const written = (scope: 'user' | 'project') =>
    cursor.install({ ...target, scope }, () => undefined)[0]?.after
  expect(written('user')).toContain('"failClosed": true')
  expect(written('project')).not.toContain('failClosed')
})

test('settings of one person in one project do not exist in Cursor', () => {
  const target = {
    scope: 'local',
    project: '/p',
    home: '/h',
    launcher: '/s/baton-hook',
    waitSeconds: 60,
  } as const
  expect(() => cursor.install(target, () => undefined)).toThrow(expect.objectContaining({ code: 'usage' }))
})
