import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { answerHook, type HookCall } from '../../src/daemon/hook-route.ts'
import type { Intake } from '../../src/engine/intake.ts'

/** A call as a client sends it; its answer goes into `answers`. */
function aCall(name: string, bytes: number, answers: string[]): HookCall {
  const headers: Record<string, string> = {
    'baton-protocol': '1',
    'baton-source': 'user',
    'baton-event': name,
  }
  return {
    agent: 'claude-code',
    header: key => headers[key],
    readBody: async () => Buffer.alloc(bytes),
    headersSent: false,
    writableEnded: false,
    wait() {},
    answer: status => void answers.push(`${name} ${status}`),
    destroy() {},
    once() {},
  }
}

/** Works as long as the body is large, on the thread that answers hooks, as parsing and storing do. */
const busy = {
  async handleHookCall({ body }: { body: Uint8Array }) {
    await Promise.resolve()
    const until = performance.now() + body.length / 100_000
    while (performance.now() < until);
    return '{}'
  },
} as unknown as Intake

test('a small hook call waits for one of eight large payloads, not for all of them', async () => {
  const answers: string[] = []
  const large = Array.from({ length: 8 }, (_, n) =>
    answerHook(busy, aCall(`large${'abcdefgh'[n]}`, 2_000_000, answers)),
  )
  await turn()
  await answerHook(busy, aCall('small', 10, answers))
  // Usually one; the next may begin if the machine stalls.
  expect(answers.indexOf('small 200')).toBeLessThan(4)
  await Promise.all(large)
  expect(answers).toHaveLength(9)
  expect(answers.filter(answer => answer.endsWith(' 200'))).toHaveLength(9)
})

test('a large payload that waits for a person does not hold the next one up', async () => {
  const answers: string[] = []
  const person = Promise.withResolvers<string>()
  let asked = false
  const intake = {
    async handleHookCall() {
      if (asked) return '{}'
      asked = true
      return person.promise
    },
  } as unknown as Intake
  const waiting = answerHook(intake, aCall('asks', 1_000_000, answers))
  await answerHook(intake, aCall('next', 1_000_000, answers))
  expect(answers).toEqual(['next 200'])
  person.resolve('{}')
  await waiting
  expect(answers).toEqual(['next 200', 'asks 200'])
})

test('a large payload that fails does not hold the next one up', async () => {
  const answers: string[] = []
  let calls = 0
  const intake = {
    async handleHookCall() {
      if (calls++ === 0) throw new Error('no')
      return '{}'
    },
  } as unknown as Intake
  await Promise.all([
    answerHook(intake, aCall('fails', 1_000_000, answers)),
    answerHook(intake, aCall('next', 1_000_000, answers)),
  ])
  expect(answers).toEqual(['fails 500', 'next 200'])
})
