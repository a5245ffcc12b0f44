import { expect, test } from 'vitest'
import { agentErrorText } from '../../src/adapters/acp/agent-error.ts'

const failure = (data?: unknown) => Object.assign(new Error('Internal error'), { code: -32603, data })

test.each([
  ['no data', failure(), 'Internal error'],
  ['a text', failure('the key has expired'), 'Internal error: the key has expired'],
  ['details', failure({ details: 'no such model' }), 'Internal error: no such model'],
  ['another object', failure({ status: 529 }), 'Internal error: {"status":529}'],
  ['the message again', failure('Internal error'), 'Internal error'],
  ['several lines', failure('one\n  two'), 'Internal error: one two'],
  ['no error object', 'gone', 'gone'],
])('an error of an agent with %s is shown with its cause', (_, cause, text) => {
  expect(agentErrorText(cause)).toBe(text)
})

test('the data of an error can neither control the terminal nor fill it', () => {
  const text = agentErrorText(failure(`\u001b[2J${'x'.repeat(5000)}`))
  expect(text).not.toContain('\u001b')
  expect(text.length).toBeLessThan(600)
})
