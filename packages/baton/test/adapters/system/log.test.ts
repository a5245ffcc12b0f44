import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openLog } from '../../../src/adapters/system/log.ts'
import { scratch } from '../../world/scratch.ts'

const linesOf = (path: string) =>
  readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .map(line => JSON.parse(line))

it('writes one JSON object per line, with the whole error and without secrets, into a private file', () => {
  const path = join(scratch().path, 'daemon.log')
  const { log } = openLog(path, line => line.replaceAll('hunter2', '[redacted]'))
  log.info('started')
  const cause = new Error('the password was hunter2')
  log.error('could not connect', { during: 'copying', err: new TypeError('refused', { cause }) })
  expect(linesOf(path)).toMatchObject([
    { level: 30, pid: process.pid, msg: 'started' },
    {
      level: 50,
      msg: 'could not connect',
      during: 'copying',
      err: {
        type: 'TypeError',
        message: 'refused',
        stack: expect.stringContaining('log.test.ts'),
        cause: { message: 'the password was [redacted]' },
      },
    },
  ])
  expect(statSync(path).mode & 0o777).toBe(0o600)
})

it('writes a line for what JSON cannot hold', () => {
  const path = join(scratch().path, 'daemon.log')
  const { log } = openLog(path, line => line)
  const own = new Error('refused')
  own.cause = own
  log.error('failed', { err: own, bytes: 3n })
  expect(linesOf(path)).toMatchObject([
    { msg: expect.stringContaining('failed'), err: expect.stringContaining('refused') },
  ])
})

it('creates a removed file again, rotates a large one, and survives a folder that is gone', () => {
  const folder = scratch()
  const path = join(folder.path, 'daemon.log')
  const { log, rotate } = openLog(path, line => line)
  log.warn('one')
  rmSync(path)
  log.warn('two')
  expect(linesOf(path)).toMatchObject([{ msg: 'two' }])
  writeFileSync(path, 'x'.repeat(10 * 1024 * 1024))
  rotate()
  expect(existsSync(path)).toBe(false)
  expect(statSync(`${path}.1`).size).toBe(10 * 1024 * 1024)
  rmSync(folder.path, { recursive: true })
  log.warn('three')
  expect(existsSync(path)).toBe(false)
})
