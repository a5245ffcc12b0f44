import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { systemPrograms } from '../../../src/adapters/system/programs.ts'
import { MAX_PROGRAM_OUTPUT, type ProgramCall } from '../../../src/ports/programs.ts'
import { type Scratch, scratch } from '../../world/scratch.ts'
import { until } from '../../world/wait.ts'

const never = () => new AbortController().signal

describe('running a program', () => {
  test('gives its output, error output and exit code', async () => {
    const end = await systemPrograms.run(sh('cat; echo oops >&2; exit 3', { input: 'hällo' }), never())

    expect(end).toEqual({ why: 'itself', code: 3, stdout: 'hällo', stderr: 'oops\n' })
  })

  test('a long input is written piece by piece', async () => {
    const pieces = Array.from({ length: 50 }, (_, n) => `${n} `.repeat(5000))
    const end = await systemPrograms.run(sh('cat', { input: 'first ', moreInput: pieces }), never())

    expect(end.stdout).toBe(`first ${pieces.join('')}`)
  })

  test('nothing of our environment is inherited', async () => {
    const end = await systemPrograms.run(
      { ...sh(''), program: '/usr/bin/env', args: [], env: { ONLY: 'this' } },
      never(),
    )

    expect(end.stdout).toBe('ONLY=this\n')
  })

  test('arguments are never read by a shell', async () => {
    const words = ['$(touch x)', '`id`', '; exit 9', "'", '*', '']

    const end = await systemPrograms.run(
      { ...sh(''), program: '/usr/bin/printf', args: ['%s\\n', ...words] },
      never(),
    )

    expect(end.stdout).toBe(words.map(word => `${word}\n`).join(''))
  })

  test('a program that does not read its input still gives its answer', async () => {
    const end = await systemPrograms.run(sh('exec <&-; echo fine', { input: 'x'.repeat(1_000_000) }), never())

    expect(end).toMatchObject({ why: 'itself', code: 0, stdout: 'fine\n' })
  })

  test('one that cannot be started is a missing tool', async () => {
    const running = systemPrograms.run({ ...sh(''), program: '/nowhere/claude' }, never())

    await expect(running).rejects.toMatchObject({ code: 'missing_tool' })
  })

  test('one that is late goes with everything it started, even when it does not listen', async () => {
    await using folder = scratch()
    const script = `trap '' TERM; sleep 300 & echo $! $$ >pids; wait; wait`

    // As much time as it needs to begin here, and no end however long it is.
    for (let withinMs = 200; pidsIn(folder).length < 2; withinMs *= 2) {
      const end = await systemPrograms.run(sh(script, { cwd: folder.path, withinMs }), never())
      expect(end).toMatchObject({ why: 'timed-out', code: undefined })
    }
    for (const pid of pidsIn(folder)) await until(() => !isRunning(pid), { what: `process ${pid} to end` })
  })

  test('one that nobody wants any more goes with everything it started', async () => {
    await using folder = scratch()
    const abort = new AbortController()

    const running = systemPrograms.run(
      sh('sleep 300 & echo $! $$ >pids; wait', { cwd: folder.path }),
      abort.signal,
    )
    await until(() => pidsIn(folder).length === 2, { what: 'the program to begin' })
    abort.abort()

    expect(await running).toMatchObject({ why: 'aborted' })
    for (const pid of pidsIn(folder)) await until(() => !isRunning(pid), { what: `process ${pid} to end` })
  })

  test('what it leaves behind in its group goes when it ends', async () => {
    await using folder = scratch()

    const end = await systemPrograms.run(sh('sleep 300 & echo $! $$ >pids', { cwd: folder.path }), never())

    expect(end).toMatchObject({ why: 'itself', code: 0 })
    for (const pid of pidsIn(folder)) await until(() => !isRunning(pid), { what: `process ${pid} to end` })
  })

  test('one that prints without end is ended', async () => {
    const end = await systemPrograms.run(sh('yes'), never())

    expect(end.why).toBe('too-much-output')
    expect(end.stdout.length).toBeLessThanOrEqual(MAX_PROGRAM_OUTPUT)
  })

  test('nothing is started for a caller who has already left', async () => {
    await using folder = scratch()

    const end = await systemPrograms.run(sh('echo $$ >pids', { cwd: folder.path }), AbortSignal.abort())

    expect(end.why).toBe('aborted')
    expect(pidsIn(folder)).toEqual([])
  })
})

function sh(script: string, rest: Partial<ProgramCall> = {}): ProgramCall {
  return {
    program: '/bin/sh',
    args: ['-c', script],
    cwd: '/',
    env: { PATH: '/usr/bin:/bin' },
    input: '',
    withinMs: 10_000,
    ...rest,
  }
}

function pidsIn(folder: Scratch): number[] {
  try {
    return readFileSync(join(folder.path, 'pids'), 'utf8').trim().split(' ').map(Number)
  } catch {
    return []
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
