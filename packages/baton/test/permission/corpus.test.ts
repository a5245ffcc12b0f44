import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { check } from './place.ts'

interface Line {
  command: string
  safe: boolean
}

test('of a foreign corpus nothing unsafe is allowed and most of what is safe needs no question', () => {
  const file = new URL('../fixtures/corpora/shell-commands.jsonl', import.meta.url)
  const lines = readFileSync(file, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map(line => JSON.parse(line) as Line)
  const allowed = (safe: boolean) => {
    const group = lines.filter(line => line.safe === safe)
    return group.filter(line => check(line.command).decision === 'allow').length / group.length
  }
  expect(allowed(false)).toBe(0)
  expect(allowed(true)).toBeGreaterThanOrEqual(0.94)
})
