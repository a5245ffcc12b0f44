import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { changeUserConfig, writeUserConfig } from '../../src/cli/user-config.ts'
import { type RuleToAdd, withRule } from '../../src/config/add-rule.ts'
import { scratch } from '../world/scratch.ts'

const RULE: RuleToAdd = {
  rule: { program: 'git', subcommand: 'tag' },
  list: 'deny',
  scope: 'everywhere',
  project: '',
  comment: 'from Bash(git tag:*)',
}

test('Rules of the agent can be added where no settings file exists and no key is set', async () => {
  await using home = scratch()
  const change = changeUserConfig({ home: home.path }, [])
  expect(existsSync(change.path)).toBe(false)
  writeUserConfig({ ...change, after: withRule(change.after, RULE) })
  expect(readFileSync(change.path, 'utf8')).toMatch(
    /^# Settings of Baton[^\n]*\n\npermissions:\n {2}deny:\n {4}- \{ program: git, subcommand: tag \} # from/,
  )
})

test.each([
  ['# mine\n', '# mine\n'],
  ['', ''],
  ['daemon:\n  port: 0 # any\n', 'daemon:\n  port: 0 # any\n'],
])('A file stays as it is if no key is set: %j', async (before, after) => {
  await using home = scratch()
  writeFileSync(join(home.path, '.baton.yaml'), before)
  expect(changeUserConfig({ home: home.path }, [])).toMatchObject({ before, after })
})
