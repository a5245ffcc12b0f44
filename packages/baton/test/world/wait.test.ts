import { expect, test } from 'vitest'
import { until } from './wait.ts'

test('returns the first thing that is there, and takes a throw for "not yet"', async () => {
  let calls = 0
  const value = await until(
    () => {
      calls += 1
      if (calls === 1) throw new Error('too early')
      return calls > 2 && `call ${calls}`
    },
    { what: 'the third call' },
  )
  expect(value).toBe('call 3')
})

test('zero and the empty string count as there', async () => {
  expect(await until(() => 0, { what: 'zero' })).toBe(0)
  expect(await until(() => '', { what: 'nothing' })).toBe('')
})

test('a time-out says what was awaited, the last error and the evidence', async () => {
  const waiting = until(
    () => {
      throw new Error('ENOENT')
    },
    { what: 'a file', timeout: 30, evidence: () => 'the folder is empty' },
  )
  await expect(waiting).rejects.toThrow(/waited 30 ms for a file \(last error: ENOENT\)\nthe folder is empty/)
})

test('an aborted wait ends with the reason', async () => {
  const waiting = until(() => false, { what: 'nothing', signal: AbortSignal.abort(new Error('enough')) })
  await expect(waiting).rejects.toThrow('enough')
})
