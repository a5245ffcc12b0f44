import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { testKind } from './test-kinds.ts'

const kind = (file: string) => testKind(join(import.meta.dirname, file))

test('a test that imports source only is a unit test', () => {
  expect(kind('engine/merge.test.ts')).toBe('unit')
  expect(kind('test-kinds.test.ts')).toBe('unit')
})

test('a test that needs the built command or a real program is a journey', () => {
  expect(kind('docs.test.ts')).toBe('journeys')
  expect(kind('cli/setup.test.ts')).toBe('journeys')
  expect(kind('store/postgres.test.ts')).toBe('journeys')
  expect(kind('hook/perl.test.ts')).toBe('journeys')
  expect(kind('claim/claims.test.ts')).toBe('journeys')
  expect(kind('journeys/tour.test.ts')).toBe('journeys')
  expect(kind('sandbox/end-of-run.test.ts')).toBe('journeys')
  expect(kind('handoff/facts.test.ts')).toBe('journeys')
  expect(kind('chat/agent-session.test.ts')).toBe('journeys')
  expect(kind('../../shell-verdict/test/differential.test.ts')).toBe('journeys')
})

test('a test that drives a real agent, itself or through a helper, needs agents', () => {
  expect(kind('journeys/permission-codex.test.ts')).toBe('agents')
  expect(kind('journeys/ground.test.ts')).toBe('agents')
})

test('unit tests share a process, so none changes its folder, its mask or its environment for the others', () => {
  const changes = /process\.(?:chdir|umask)\(|process\.env(?:\.\w+|\[[^\]]+\]) *=[^=]|delete process\.env/
  const units = globSync('**/*.test.ts', { cwd: import.meta.dirname }).filter(file => kind(file) === 'unit')
  expect(units.length).toBeGreaterThan(100)
  const guilty = units.filter(file => changes.test(readFileSync(join(import.meta.dirname, file), 'utf8')))
  expect(guilty).toEqual([])
})
