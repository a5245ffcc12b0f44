import { spawn } from 'node:child_process'
import { expect, test } from 'vitest'
import { endOfRun, type RunLimits } from '../../src/adapters/bubblewrap/end-of-run.ts'

interface Limits extends Partial<Pick<RunLimits, 'timeoutMs' | 'input' | 'signal'>> {
  hasOthers?: boolean
}
const run = (script: string, { hasOthers = false, timeoutMs = 60_000, input = '', signal }: Limits = {}) => {
  const child = spawn('/bin/bash', ['-c', script], { detached: true, stdio: 'pipe' })
  return endOfRun(child, { input, timeoutMs, signal, hasOthers: async () => hasOthers })
}

test('the output is complete, however long its last part takes after the program ended', async () => {
  // A reader that is slower than the program, as a busy daemon is: the last line comes long after the exit.
  const { code, stdout } = await run('(sleep 1.5; head -c 300000 /dev/zero | tr "\\0" x; echo end) & exit 3')
  expect(code).toBe(3)
  expect(stdout).toHaveLength(300_004)
  expect(stdout.endsWith('end\n')).toBe(true)
})

test('a process in the background that holds the output open is not waited for', async () => {
  const child = await run('echo first; sleep 600 & echo $!', { hasOthers: true })
  const [first, pid] = child.stdout.split('\n')
  process.kill(Number(pid))
  expect(first).toBe('first')
})

test('a process in the background that writes without end is not waited for', async () => {
  const { stdout } = await run('(while sleep 0.2; do echo busy; done) & echo $!', { hasOthers: true })
  process.kill(Number(stdout.split('\n')[0]))
  expect(stdout).toContain('busy')
})

test('a program that takes too long is killed, and text in several bytes is not torn', async () => {
  expect((await run('sleep 600', { timeoutMs: 100 })).code).toBeUndefined()
  expect((await run('cat', { input: 'ä€😀'.repeat(50_000) })).stdout).toBe('ä€😀'.repeat(50_000))
})

test('a program is killed if its caller gives up, also before it started', async () => {
  const stop = new AbortController()
  const running = run('sleep 600', { timeoutMs: 600_000, signal: stop.signal })
  stop.abort()
  expect((await running).code).toBeUndefined()
  expect((await run('sleep 600', { timeoutMs: 600_000, signal: stop.signal })).code).toBeUndefined()
})
