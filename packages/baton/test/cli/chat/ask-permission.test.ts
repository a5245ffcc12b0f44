import type { Reaction } from '@batonpass/contract/reaction'
import { expect, test, vi } from 'vitest'
import { consentBy } from '../../../src/cli/chat/ask-permission.ts'
import type { ConsentAnswer, ConsentRequest } from '../../../src/ports/backend.ts'

const consent: ConsentRequest = {
  nativeSession: 'n-1',
  always: true,
  call: {
    kind: 'call',
    id: 'call-1',
    tool: 'Bash',
    title: 'ls',
    input: { command: 'ls' },
    action: { kind: 'shell', command: 'ls' },
  },
}
const open = new AbortController().signal
const says = (decision: 'allow' | 'deny' | 'ask') => async (): Promise<Reaction> => ({
  permission: { decision, reason: 'a rule' },
})

test.each(['allow', 'deny'] as const)('what the chain decides needs no person: %s', async decision => {
  const ask = vi.fn(async (): Promise<ConsentAnswer> => 'allow')
  const answer = await consentBy(says(decision), '/w', ask)(consent, open)
  expect(answer).toEqual(decision === 'deny' ? { deny: 'a rule' } : 'allow')
  expect(ask).not.toHaveBeenCalled()
})

test.each([
  ['the chain leaves it open', says('ask')],
  ['the chain says nothing', async (): Promise<Reaction> => ({})],
  ['there is no daemon', () => Promise.reject(new Error('absent'))],
])('%s: the person here decides, and without one the answer is no', async (_, ear) => {
  expect(await consentBy(ear, '/w', async () => 'always')(consent, open)).toBe('always')
  expect(await consentBy(ear, '/w', async () => 'deny')(consent, open)).toBe('deny')
  expect(await consentBy(ear, '/w', async () => undefined)(consent, open)).toBe('deny')
  expect(await consentBy(ear, '/w', undefined)(consent, open)).toBe('deny')
})

test('while the chain waits for somebody elsewhere, the person here is asked too, and the first answer counts', async () => {
  const { promise, resolve } = Promise.withResolvers<Reaction>()
  let asked: AbortSignal | undefined
  const answer = consentBy(
    () => promise,
    '/w',
    (_, __, signal) => {
      asked = signal
      resolve({ permission: { decision: 'allow', reason: 'on the phone' } })
      return new Promise(done => signal.addEventListener('abort', () => done(undefined)))
    },
  )(consent, open)
  expect(await answer).toBe('allow')
  expect(asked?.aborted).toBe(true)
})

test('an answer here takes the question elsewhere back', async () => {
  let elsewhere: AbortSignal | undefined
  const ear = (_: unknown, signal: AbortSignal) => {
    elsewhere = signal
    return new Promise<Reaction>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
  }
  expect(await consentBy(ear, '/w', async () => 'deny')(consent, open)).toBe('deny')
  expect(elsewhere?.aborted).toBe(true)
})
