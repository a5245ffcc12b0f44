import { expect, test } from 'vitest'
import { claudeHome } from './agents/claude.ts'
import { runClaude } from './agents/claude-headless.ts'
import { startModel, textOf } from './model.ts'
import { call, say } from './turn.ts'

test('a scripted tool call runs for real and its result is in the next request', async () => {
  await using model = await startModel()
  await using home = claudeHome()
  model.script('greet the world', [call('Bash', { command: 'echo wor$((40+2))ld' }), say('It said so.')])

  const run = await runClaude({ home, model, prompt: 'greet the world', args: ['--allowedTools', 'Bash'] })

  expect(run).toMatchObject({ exitCode: 0, result: 'It said so.', isError: false, stderr: '' })
  const [first, second] = model.mainRequests()
  expect(first && textOf(first)).not.toContain('wor42ld')
  expect(second && textOf(second)).toContain('wor42ld')
  expect(second?.toolResults).toMatchObject([{ text: 'wor42ld', isError: false }])
  model.assertPlayed()
})
