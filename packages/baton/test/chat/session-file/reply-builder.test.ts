import fc from 'fast-check'
import { expect, test } from 'vitest'
import { textOfMessage } from '../../../src/chat/session-file/entries.ts'
import { ReplyBuilder } from '../../../src/chat/session-file/reply-builder.ts'
import type { BackendEvent } from '../../../src/ports/backend.ts'

const stamp = { agent: 'codex', now: 1 }
const call = (id: string, action: Extract<BackendEvent, { kind: 'call' }>['action']): BackendEvent => ({
  kind: 'call',
  id,
  tool: 'Edit',
  title: 'x',
  input: {},
  action,
})

test('a change of several files becomes one call and one result per file', () => {
  const replies = new ReplyBuilder()
  replies.take(call('c', { kind: 'write', paths: ['/a', '/b'] }), stamp)
  const messages = replies.take({ kind: 'result', id: 'c', failed: false, text: 'done' }, stamp)
  expect(messages.map(message => message.toolCallId ?? message.content)).toEqual([
    [
      { type: 'toolCall', id: 'c', name: 'edit', arguments: { path: '/a' } },
      { type: 'toolCall', id: 'c#1', name: 'edit', arguments: { path: '/b' } },
    ],
    'c',
    'c#1',
  ])
})

test('another message of the agent is another reply', () => {
  const replies = new ReplyBuilder()
  expect(replies.take({ kind: 'text', text: 'one', message: 'a' }, stamp)).toEqual([])
  const [first] = replies.take({ kind: 'text', text: 'two', message: 'b' }, stamp)
  expect(first && textOfMessage(first)).toBe('one')
  expect(replies.end(stamp, 'stop').map(textOfMessage)).toEqual(['two'])
  expect(replies.end(stamp, 'stop')).toEqual([])
})

const heards: fc.Arbitrary<BackendEvent> = fc.oneof(
  fc.string({ minLength: 1 }).map((text): BackendEvent => ({ kind: 'text', text })),
  fc.string({ minLength: 1 }).map((text): BackendEvent => ({ kind: 'thought', text })),
  fc.constantFrom('a', 'b', 'c').map(id => call(id, { kind: 'shell', command: id })),
  fc.constantFrom('a', 'b', 'c').map((id): BackendEvent => ({ kind: 'result', id, failed: false, text: id })),
  fc.nat().map((used): BackendEvent => ({ kind: 'usage', used, size: undefined })),
)

test('for updates in any order, no text is lost and no result is stored without its call', () => {
  fc.assert(
    fc.property(fc.array(heards), all => {
      const replies = new ReplyBuilder()
      const messages = [...all.flatMap(heard => replies.take(heard, stamp)), ...replies.end(stamp, 'stop')]
      const said = all.flatMap(heard => (heard.kind === 'text' ? heard.text : [])).join('')
      const kept = messages
        .filter(({ role }) => role === 'assistant')
        .map(message => textOfMessage(message).replaceAll('\n', ''))
      expect(kept.join('')).toBe(said.replaceAll('\n', ''))
      const made = new Set<unknown>()
      for (const { role, content, toolCallId } of messages) {
        if (role === 'assistant' && Array.isArray(content))
          for (const block of content) if (block.type === 'toolCall') made.add(block.id)
        if (role === 'toolResult') expect(made.has(toolCallId)).toBe(true)
      }
    }),
  )
})
