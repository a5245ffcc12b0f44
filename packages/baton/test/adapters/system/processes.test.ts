import { spawn } from 'node:child_process'
import { expect, it } from 'vitest'
import { parsePsLine, parseStatLine, systemProcesses } from '../../../src/adapters/system/processes.ts'
import { until } from '../../world/wait.ts'

it('A process tells when it began', async () => {
  const before = performance.timeOrigin
  const since = (await systemProcesses.since(process.pid)) ?? 0
  // The system counts in hundredths, or in seconds.
  expect(Math.abs(since - before)).toBeLessThan(60_000)
  expect(await systemProcesses.since(999_999_999)).toBeUndefined()
})

it('A process is in the table with its parent and its birth, and gone when it has ended', async () => {
  const child = spawn('sleep', ['60'])
  const pid = child.pid ?? 0
  const found = (await systemProcesses.table()).find(one => one.pid === pid)
  expect(found).toMatchObject({ parent: process.pid })
  expect(await systemProcesses.born(pid)).toBe(found?.born)
  expect(systemProcesses.alive(pid)).toBe(true)
  child.kill('SIGKILL')
  await until(() => !systemProcesses.alive(pid), { what: 'its end' })
  expect(await systemProcesses.born(pid)).toBeUndefined()
})

it('Names of processes may hold anything', () => {
  const rest = `S 7 1 1 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 98765 100`
  expect(parseStatLine(`12 (a) Z 1 (b c) ${rest}`)).toEqual({
    pid: 12,
    parent: 7,
    born: '98765',
    command: 'a) Z 1 (b c',
  })
  expect(parseStatLine(`12 (x) ${rest.replace('S', 'Z')}`)).toBeUndefined()
  expect(parseStatLine('')).toBeUndefined()
  expect(parsePsLine('  501     1 Ss   Sun Nov  5 23:28:34 2026 /Applications/My App')).toEqual({
    pid: 501,
    parent: 1,
    born: 'Sun Nov 5 23:28:34 2026',
    command: '/Applications/My App',
  })
  expect(parsePsLine('PID PPID')).toBeUndefined()
})
