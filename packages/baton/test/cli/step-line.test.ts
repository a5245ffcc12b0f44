import { expect, test } from 'vitest'
import { stepLine } from '../../src/cli/step-line.ts'

const plain = (_: string, text: string) => text

test('a step that asks about secret variables says that commands in the sandbox do not see them', () => {
  const step = { rule: 'builtin env (standard)', decision: 'ask', part: 'env', reason: 'shows all' } as const
  expect(stepLine(step, plain)).toBe('  asks        env  shows all [built-in rule: env]\n')
  expect(stepLine({ ...step, hiddenInside: true }, plain)).toBe(
    '  asks        env  shows all [built-in rule: env]; in the sandbox, secret variables are hidden\n',
  )
})
