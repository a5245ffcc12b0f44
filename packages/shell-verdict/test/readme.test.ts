import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { compilePrograms } from '../src/programs/builtin.ts'
import * as api from '../src/verdict.ts'

const EXAMPLE = /```ts\n([\s\S]*?)```/
const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')

/** Each line `expression // value` of the example becomes a pair of both. */
function pairsOf(example: string): { expression: string; value: unknown }[] {
  const statements = example
    .split('\n')
    .filter(line => line.startsWith('const '))
    .join('\n')
  const lines = example.split('\n').filter(line => / \/\/ /.test(line))
  const body = `${statements}\nreturn [${lines.map(line => line.replace(/ \/\/ .*/, '')).join(',\n')}]`
  const results = new Function('readCommand', body)(api.readCommand) as unknown[]
  return lines.map((line, at) => ({
    expression: line,
    value: [results[at], new Function(`return ${line.replace(/.* \/\/ /, '')}`)()],
  }))
}

test('the table in the README is one', () => {
  const [, , table] = readme.split('```ts\n')
  const entries = new Function(`${table?.split('```')[0]}\nreturn TABLE`)()
  const { programs } = api.readCommand(
    'sort -r f; sort -o out f; tool show; tool push h',
    { cwd: '/work', home: '/home/me' },
    compilePrograms([entries]),
  )
  expect(programs.map(({ effect }) => effect)).toEqual(['read', 'write', 'read', 'remote'])
})

test('the example in the README gives the values it shows', () => {
  const pairs = pairsOf(EXAMPLE.exec(readme)?.[1] ?? '')
  expect(pairs.length).toBeGreaterThan(5)
  for (const { expression, value } of pairs) {
    const [actual, shown] = value as [unknown, unknown]
    expect(actual, expression).toEqual(shown)
  }
})
