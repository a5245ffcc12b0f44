import { Config } from '@batonpass/contract/config'
import { expect, test } from 'vitest'
import { portChecks } from '../../src/cli/port-checks.ts'

const loaded = (port: number, kind: 'default' | 'user') =>
  ({ config: Config.parse({ daemon: { port } }), sources: new Map([['daemon.port', { kind }]]) }) as never

test('doctor names a port of the settings on which the daemon does not listen', () => {
  const [check] = portChecks('http://127.0.0.1:40001', loaded(4800, 'user'))
  expect(check).toMatchObject({ name: 'daemon', state: 'warn' })
  expect(check?.message).toContain('http://127.0.0.1:40001, not on the port 4800')
})

test('doctor is silent about the configured port, any free one, and the default', () => {
  expect(portChecks('http://127.0.0.1:4800', loaded(4800, 'user'))).toEqual([])
  expect(portChecks('http://127.0.0.1:40001', loaded(0, 'user'))).toEqual([])
  expect(portChecks('http://127.0.0.1:40001', loaded(4747, 'default'))).toEqual([])
})
