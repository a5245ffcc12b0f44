import { expect, test } from 'vitest'
import { complete, slashOf } from '../../../src/cli/chat/slash.ts'

test.each([
  ['/handoff', { name: 'handoff', rest: '' }],
  ['/handoff  the endpoint ', { name: 'handoff', rest: 'the endpoint' }],
  ['/resume 2', { name: 'resume', rest: '2' }],
  ['/handoffs', undefined],
  ['/compact', undefined],
  ['/plugin:handoff', undefined],
  ['please /handoff', undefined],
  ['', undefined],
])('%j is read as %j', (line, wanted) => {
  expect(slashOf(line)).toEqual(wanted)
})

test.each([
  ['/h', ['/handoff ', '/help']],
  ['/', ['/handoff ', '/new', '/resume ', '/fork', '/sessions', '/status', '/help', '/exit']],
  ['/resume ab', ['/resume abc', '/resume abd']],
  ['/resume abc', ['/resume abc']],
  ['hello', []],
])('%j may become %j', (line, wanted) => {
  expect(complete(line, ['abc', 'abd', 'x'])).toEqual(wanted)
})
