import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { KEPT_ENVIRONMENT } from '../../src/hook/spawn.ts'

test('the guide names exactly the variables that the daemon takes over', () => {
  const guide = readFileSync(join(import.meta.dirname, '../../../../docs/guides/hooks.md'), 'utf8')
  const [, list = ''] = /keeps only these environment variables:\n(.*?)\n\n/s.exec(guide) ?? []
  const named = [...list.matchAll(/`([A-Za-z_*]+)`/g)].map(([, name = '']) => name)
  const kept = new Set(alternatives(KEPT_ENVIRONMENT).map(name => name.replace('.*', '*')))
  expect(named.toSorted()).toEqual([...kept].sort())
})

/** What a pattern of names, `(?:A|B)_C` and `Ds?` stands for, name by name. */
function alternatives(pattern: string): string[] {
  const parts = pattern.split(/\|(?![^(]*\))/)
  if (parts.length > 1) return parts.flatMap(alternatives)
  const [, before, inner = '', after = ''] = /^([^(]*)\(\?:([^)]*)\)(.*)$/.exec(pattern) ?? []
  if (before !== undefined) return inner.split('|').flatMap(one => alternatives(before + one + after))
  const [, start, letter = '', end = ''] = /^(.*)(\w)\?(.*)$/.exec(pattern) ?? []
  return start === undefined ? [pattern] : [start + end, start + letter + end]
}
