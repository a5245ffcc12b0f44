import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { KEPT_ENVIRONMENT } from '../../src/hook/spawn.ts'

test('the guide names exactly the variables that the daemon takes over', () => {
  const guide = readFileSync(join(import.meta.dirname, '../../../../docs/guides/hooks.md'), 'utf8')
  const [, list = ''] = /only these variables of the environment:\n(.*?)\n\n/s.exec(guide) ?? []
  const named = [...list.matchAll(/`([A-Za-z_*]+)`/g)].map(([, name = '']) => name)
  const kept = KEPT_ENVIRONMENT.split('|').flatMap(pattern =>
    pattern.includes('S?')
      ? [pattern.replace('S?', ''), pattern.replace('S?', 'S')]
      : pattern.includes('s?')
        ? [pattern.replace('s?', ''), pattern.replace('s?', 's')]
        : [pattern.replace('.*', '*')],
  )
  expect(named.sort()).toEqual(kept.sort())
})
