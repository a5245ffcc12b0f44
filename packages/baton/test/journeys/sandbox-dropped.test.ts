import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { batonIn } from '../world/baton.ts'
import { gitRepo, scratch } from '../world/scratch.ts'

const TURN = { type: 'turn_context', payload: { sandbox_policy: { type: 'danger-full-access' } } }

test('an agent that must show it runs replaced commands does so once; one that drops a replacement loses the sandbox, and the user learns it', {
  timeout: 180_000,
}, async () => {
  await using folder = scratch('bd-')
  const home = join(folder.path, 'home')
  const project = join(home, 'project')
  mkdirSync(project, { recursive: true })
  await using _repository = await gitRepo(project)
  const transcript = folder.write('rollout.jsonl', `${JSON.stringify(TURN)}\n`)
  writeFileSync(join(project, 'unknown.sh'), 'echo ran\n')
  await using baton = batonIn(home, project)
  await baton.must('up')
  let calls = 0
  const codex = async (event: string, command: string, id = `call_${++calls}`) => {
    const input = JSON.stringify({
      session_id: '01a1ead6-4dd0-7d42-b74f-8bbd54336240',
      transcript_path: transcript,
      cwd: project,
      permission_mode: 'default',
      hook_event_name: event,
      tool_name: 'Bash',
      tool_input: { command },
      tool_use_id: id,
      ...(event === 'PostToolUse' ? { tool_response: '' } : {}),
    })
    const { stdout, stderr } = await baton.run(['hook', 'codex', event], { input })
    expect(stderr).toBe('')
    const { hookSpecificOutput: answer = {}, systemMessage } = JSON.parse(stdout)
    return { id, answer, systemMessage }
  }

  const refused = await codex('PreToolUse', 'sh unknown.sh')
  expect(refused.answer).toMatchObject({
    permissionDecision: 'deny',
    permissionDecisionReason: expect.stringContaining(
      'Run `true` with the same options, then this command again',
    ),
  })

  const first = await codex('PreToolUse', 'true')
  const wrapped: string = first.answer.updatedInput.command
  expect(first.answer.permissionDecision).toBe('allow')
  expect(wrapped).toMatch(/^'[^']+\/sandbox\/box' [0-9a-z]+$/)
  execFileSync('/bin/bash', ['-c', wrapped], { cwd: project })
  expect((await codex('PostToolUse', wrapped, first.id)).systemMessage).toBeUndefined()

  // Now code that no one can judge by its text runs inside, without a question.
  const second = await codex('PreToolUse', 'sh unknown.sh')
  expect(second.answer.updatedInput.command).toContain('/sandbox/box')
  expect(await baton.must('status')).not.toContain('ran a command itself')

  // The agent ran the command itself, not what it was handed.
  const told = await codex('PostToolUse', 'sh unknown.sh', second.id)
  expect(told.systemMessage).toContain('Codex ran a command itself')
  const third = await codex('PreToolUse', 'ls')
  expect(third.answer).toEqual({})
  expect(await baton.must('status')).toContain('Baton judges its commands by their text')
  expect((await baton.run(['doctor'])).stdout).toContain('Codex ran a command itself')
  await baton.must('up', '--restart')
  expect((await codex('PreToolUse', 'ls')).answer).toEqual({})
  expect((await baton.entries({ kind: 'sandbox' })).map(({ body }) => body)).toMatchObject([
    { off: expect.stringContaining('Codex ran a command itself') },
  ])
})
