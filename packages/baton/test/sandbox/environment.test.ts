import { Config } from '@batonpass/contract/config'
import { expect, test } from 'vitest'
import { judge } from '../../src/permission/judge.ts'
import { rulesInForce } from '../../src/permission/rules-in-force.ts'
import { isSecretVariable } from '../../src/sandbox/environment.ts'

const place = { cwd: '/home/dev/app', worktree: '/home/dev/app', home: '/home/dev' }
const rules = rulesInForce(Config.parse({}), place)

/** A question about a variable is left out in the sandbox, because the variable is not there. */
test.each([
  'API_KEY',
  'DB_PWD',
  'DB_PASS',
  'GITHUB_PAT',
  'MY_TOKEN',
  'client_secret',
  'PASSWORT',
  'SSH_PASSPHRASE',
  'AWS_CREDENTIALS',
  'SIGNING_KEY',
  'accesskey',
])('%s, which the judge takes for a secret, is hidden in the sandbox', name => {
  const judgement = judge({ tool: 'Bash', input: { command: `printenv ${name}` }, ...place }, rules)
  expect(judgement.trail).toMatchObject([{ decision: 'ask', hiddenInside: true }])
  expect(isSecretVariable(name, 'x')).toBe(true)
})

test.each(['API_CREDS', 'JWT', 'SESSION_JWT'])('%s is hidden, too', name => {
  expect(isSecretVariable(name, 'x')).toBe(true)
})

test.each(['PWD', 'PATH', 'NODE_ENV', 'LANG'])('%s is not', name => {
  expect(isSecretVariable(name, 'x')).toBe(false)
})
