import { describe, expect, test } from 'vitest'
import { adapter } from '../../../src/adapters/agents/codex/adapter.ts'
import { transcripts } from '../../../src/adapters/agents/codex/transcript.ts'
import { untrustedHooks } from '../../../src/adapters/agents/codex/trust.ts'
import { agentContract } from '../../contracts/agent.contract.ts'
import { scratch } from '../../world/scratch.ts'
import { recorded } from './recorded.ts'

agentContract({ adapter, fixtures: 'codex', scopes: ['user', 'project'], entries: 'groups' })

describe('what Codex says', () => {
  test.each([
    ['session-start.resume', { type: 'SessionStarted', source: 'resume', mode: 'bypass' }],
    ['session-start.clear', { type: 'SessionStarted', source: 'clear', mode: 'default' }],
    ['user-prompt-submit', { type: 'PromptSubmitted', prompt: 'count the files' }],
    ['pre-tool-use', { action: { kind: 'shell', command: 'npm test', cwd: '/home/dev/project' } }],
    ['pre-tool-use.patch', { action: { kind: 'write', paths: ['new.txt', 'src/a.ts', 'src/b.ts'] } }],
    ['pre-tool-use.patch-in-shell', { action: { kind: 'write', paths: ['new.txt'] } }],
    ['pre-tool-use.mcp', { action: { kind: 'mcp', server: 'notes', tool: 'add' } }],
    ['subagent-stop', { type: 'SubagentEnded', lastMessage: 'three files' }],
    ['stop', { type: 'TurnEnded', continued: false, lastMessage: 'done' }],
  ])('%s', (name, event) => {
    expect(adapter.decode(recorded('codex', name), undefined)).toMatchObject({ event })
  })

  test.each([
    "apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: a\n+x\n*** End Patch\nEOF\nrm -rf ~",
    "apply_patch <<'EOF'\n*** Begin Patch\nEOF\nrm -rf ~\ncat <<'EOF'\n*** End Patch\nEOF",
    'apply_patch <<EOF\n*** Begin Patch\n*** Add File: $(rm -rf ~)\n*** End Patch\nEOF',
    "cd / && apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: a\n+x\n*** End Patch\nEOF",
  ])('a patch with anything beside it is a command: %j', command => {
    const payload = { ...recorded('codex', 'pre-tool-use'), tool_input: { command } }
    expect(adapter.decode(payload, undefined)).toMatchObject({
      event: { action: { kind: 'shell', command } },
    })
  })
})

test('an ask, which Codex would wave through, is a refusal', () => {
  const ask = { permission: { decision: 'ask' as const, reason: 'who knows' } }
  expect(adapter.encode(ask, 'PreToolUse')).toMatchObject({
    hookSpecificOutput: {
      permissionDecision: 'deny',
      permissionDecisionReason: expect.stringContaining('who knows'),
    },
  })
  expect(adapter.encode(ask, 'PermissionRequest')).toEqual({})
})

test('hooks that no one has let run are named, until Codex has noted each of them', () => {
  const home = '/home/dev'
  const noted = (events: readonly string[]) =>
    events
      .map(event => `[hooks.state."${home}/.codex/hooks.json:${event}:0:0"]\ntrusted_hash = "sha256:0"\n`)
      .join('')
  const all = adapter.hooks.map(({ event }) => event.replaceAll(/(?<!^)([A-Z])/g, '_$1').toLowerCase())
  expect(untrustedHooks({ home }, () => undefined)).toMatchObject([
    { what: expect.stringMatching(/^11 of its 11/) },
  ])
  expect(untrustedHooks({ home }, () => noted(all.slice(1)))).toMatchObject([
    { what: expect.stringMatching(/^1 of/) },
  ])
  expect(untrustedHooks({ home }, () => noted(all))).toEqual([])
  expect(untrustedHooks({ home, env: { CODEX_HOME: '/elsewhere' } }, () => noted(all))).toHaveLength(1)
})

test('the error that a turn ended with is known, until something comes after it', async () => {
  await using folder = scratch()
  const row = (payload: object) => `${JSON.stringify({ type: 'event_msg', payload })}\n`
  const failed = row({ type: 'task_complete', error: { message: 'You’ve hit your usage limit.' } })
  const path = folder.write('rollout.jsonl', failed)
  expect((await transcripts.tail(path, 2000))?.error).toBe('You’ve hit your usage limit.')
  const content = [{ type: 'input_text', text: 'go on' }]
  const prompt = { type: 'response_item', payload: { type: 'message', role: 'user', content } }
  folder.write('rollout.jsonl', `${failed}${JSON.stringify(prompt)}\n`)
  expect((await transcripts.tail(path, 2000))?.error).toBeUndefined()
})
