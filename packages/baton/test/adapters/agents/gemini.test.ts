import { describe, expect, test } from 'vitest'
import { adapter } from '../../../src/adapters/agents/gemini/adapter.ts'
import { agentContract } from '../../contracts/agent.contract.ts'
import { recorded } from './recorded.ts'

agentContract({ adapter, fixtures: 'gemini', scopes: ['user', 'project'], entries: 'groups' })

describe('what Gemini CLI says', () => {
  test.each([
    ['session-start', { type: 'SessionStarted', source: 'startup' }],
    ['session-start.clear', { type: 'SessionStarted', source: 'clear', deaf: true }],
    ['session-end.clear', { type: 'SessionEnded', reason: 'clear' }],
    ['before-agent', { type: 'PromptSubmitted', prompt: 'count the files' }],
    ['before-tool', { action: { kind: 'shell', command: 'npm test', cwd: '/home/dev/project' } }],
    ['before-tool.mcp', { action: { kind: 'mcp', server: 'notes', tool: 'add' } }],
    ['before-tool.write', { action: { kind: 'write', paths: ['/home/dev/project/a.txt'] } }],
    ['before-tool.web', { action: { kind: 'web', url: 'https://example.com/a' } }],
    ['after-agent', { type: 'TurnEnded', continued: false, lastMessage: 'done' }],
    ['notification', { type: 'Idle', kind: 'permission' }],
    ['session-end', { type: 'SessionEnded', reason: 'exit' }],
  ])('%s', (name, event) => {
    expect(adapter.decode(recorded('gemini', name), undefined)).toMatchObject({ event })
  })

  test('what a hook said at the start is not part of the prompt', () => {
    const payload = {
      ...recorded('gemini', 'before-agent'),
      prompt: '<hook_context>a</hook_context>\n\n/handoff',
    }
    expect(adapter.decode(payload, undefined)).toMatchObject({ event: { prompt: '/handoff' } })
  })
})

test('timeouts are in milliseconds', () => {
  const place = {
    scope: 'user',
    project: '/p',
    home: '/h',
    launcher: '/h/baton-hook',
    waitSeconds: 300,
  } as const
  const text = adapter.install(place, () => undefined)[0]?.after ?? ''
  expect(JSON.parse(text).hooks.BeforeTool[0].hooks[0].timeout).toBe(315_000)
})

test('an ask is its dialog where its screen was seen, with the reason on it; elsewhere it is a refusal that says so', () => {
  const reaction = { permission: { decision: 'ask', reason: 'a push' }, notice: 'Look twice.' } as const
  expect(adapter.encode(reaction, 'BeforeTool', true)).toEqual({
    decision: 'ask',
    reason: 'a push',
    systemMessage: 'a push\nLook twice.',
  })
  for (const seen of [false, undefined])
    expect(adapter.encode(reaction, 'BeforeTool', seen)).toMatchObject({
      decision: 'deny',
      reason: expect.stringContaining('a push'),
    })
})

test('a policy lets exactly the box run, for the user alone, and a person’s file of that name stays', () => {
  const target = {
    scope: 'user' as const,
    project: '/home/dev/project',
    home: '/home/dev',
    launcher: '/home/dev/.state/a+b/bin/baton-hook',
    waitSeconds: 60,
  }
  const [, policy] = adapter.install(target, () => undefined)
  expect(policy?.path).toBe('/home/dev/.gemini/policies/baton.toml')
  const regex = JSON.parse(/^commandRegex = (.*)$/m.exec(policy?.after ?? '')?.[1] ?? '""')
  const allows = (command: string) => new RegExp(`"command":"${regex}`).test(JSON.stringify({ command }))
  const box = "'/home/dev/.state/a+b/sandbox/box'"
  expect(allows(`${box} 12ab`)).toBe(true)
  for (const other of [
    `${box} 12ab; rm -r x`,
    `${box} "12ab`,
    `echo ${box} 12ab`,
    box,
    "'/home/dev/.state/aab/sandbox/box' 1",
  ])
    expect(allows(other)).toBe(false)
  expect(adapter.install({ ...target, scope: 'project' }, () => undefined)).toHaveLength(1)
  const read = (path: string) => (path === policy?.path ? policy.after : undefined)
  expect(adapter.install(target, read)).toHaveLength(1)
  expect(adapter.uninstall(target, read)).toMatchObject([{ path: policy?.path, after: undefined }])
  const theirs = (path: string) => (path === policy?.path ? '[[rule]]' : undefined)
  expect(adapter.install(target, theirs)).toHaveLength(1)
  expect(adapter.uninstall(target, theirs)).toEqual([])
})
