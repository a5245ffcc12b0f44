import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { composeReviewers } from '../../src/compose/model.ts'
import { Choice, never, question } from '../adapters/llm/sample.ts'
import { scratch } from '../world/scratch.ts'

test.each([
  ['the agent is named, too', 'codex', true],
  ['no agent is named: it is a name of Claude’s', undefined, false],
])('Codex gets the model of a review if %s', async (_, agent, gets) => {
  await using folder = scratch()
  folder.write(
    'codex',
    `#!/bin/sh\ncat >/dev/null\necho "$@" >${folder.path}/args\nprintf '{"decision":"deny","reason":"x"}'\n`,
    0o755,
  )
  const reviewers = composeReviewers({
    env: { PATH: `${folder.path}:/usr/bin:/bin` },
    stateDir: join(folder.path, 'state'),
    ownCalls: { issue: () => ({ marker: 'm', release: () => undefined }) } as never,
    write: async () => undefined,
    fault: (_during, cause) => {
      throw cause
    },
  })
  const { by, model } = reviewers.find(agent, 'opus')
  expect(by).toBe('codex')
  await model.ask(question, Choice, never())
  expect(readFileSync(join(folder.path, 'args'), 'utf8').includes('--model opus')).toBe(gets)
})
