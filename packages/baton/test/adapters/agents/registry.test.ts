import { expect, test } from 'vitest'
import { adapterFor, adapters } from '../../../src/adapters/agents/registry.ts'

test('an adapter is found by its folder name and by the names people type', () => {
  expect(adapterFor('claude-code').title).toBe('Claude Code')
  expect(adapterFor('claude')).toBe(adapterFor('claude-code'))
  expect(adapterFor('cursor').title).toBe('Cursor')
})

test('an unknown agent is an error that names the known ones', () => {
  expect(() => adapterFor('emacs')).toThrow(
    expect.objectContaining({
      code: 'agent_unknown',
      remedy: expect.stringContaining('claude-code, codex, copilot, cursor'),
    }),
  )
})

test('no two adapters share a name', () => {
  const names = adapters.flatMap(({ name, aliases }) => [name, ...aliases])
  expect(new Set(names).size).toBe(names.length)
})
