import fc from 'fast-check'
import { expect, test } from 'vitest'
import { callOf, resultOf } from '../../../src/adapters/acp/tool-call.ts'
import { launchesOf } from '../../../src/adapters/agents/launches.ts'

const of = (update: object) =>
  callOf({ toolCallId: 'c', ...update } as Parameters<typeof callOf>[0], undefined)

test.each([
  ['a command', { kind: 'execute', rawInput: { command: 'ls -l' } }, { kind: 'shell', command: 'ls -l' }],
  [
    'a command in a folder',
    { kind: 'execute', rawInput: { command: 'ls', cwd: '/w' } },
    { kind: 'shell', command: 'ls', cwd: '/w' },
  ],
  [
    'a shell with a script',
    { kind: 'execute', rawInput: { command: ['bash', '-lc', 'rm -rf x'] } },
    { kind: 'shell', command: 'rm -rf x' },
  ],
  [
    'words',
    { kind: 'execute', rawInput: { command: ['echo', 'a b', "it's"] } },
    { kind: 'shell', command: "echo 'a b' 'it'\\''s'" },
  ],
  ['a command that cannot be seen', { kind: 'execute', rawInput: {} }, { kind: 'other' }],
  ['a reader with a command', { kind: 'read', rawInput: { command: 'rm x', path: '/a' } }, { kind: 'other' }],
  ['an edit', { kind: 'edit', rawInput: { filePath: '/a' } }, { kind: 'write', paths: ['/a'] }],
  [
    'an edit by its diff',
    { kind: 'edit', content: [{ type: 'diff', path: '/b', newText: '' }], rawInput: { x: 1 } },
    { kind: 'write', paths: ['/b'] },
  ],
  ['an edit of nothing', { kind: 'edit', rawInput: { x: 1 } }, { kind: 'other' }],
  ['a deletion', { kind: 'delete', locations: [{ path: '/a' }] }, { kind: 'write', paths: ['/a'] }],
  ['a page', { kind: 'fetch', rawInput: { url: 'http://x' } }, { kind: 'web', url: 'http://x' }],
  [
    'a tool of a server',
    { kind: 'other', name: 'mcp__notes__add', rawInput: { command: 'ls' } },
    { kind: 'mcp', server: 'notes', tool: 'add' },
  ],
  ['anything else', { kind: 'think', rawInput: { a: 1 } }, { kind: 'other' }],
])('%s', (_, update, action) => {
  expect(of(update).action).toEqual(action)
})

test('what is known of a call grows, and is never lost', () => {
  const first = of({ kind: 'execute', name: 'Bash', title: 'ls', rawInput: { command: 'ls' } })
  const later = callOf({ toolCallId: 'c', status: 'completed' }, first)
  expect(later).toEqual(first)
})

test.each([
  [
    { status: 'completed', rawOutput: { output: 'x', metadata: { exit: 1 } } },
    { failed: true, text: 'x' },
  ],
  [
    { status: 'completed', rawOutput: { exit_code: 0, aggregated_output: 'ok' } },
    { failed: false, text: 'ok' },
  ],
  [
    { status: 'failed', rawOutput: 'no' },
    { failed: true, text: 'no' },
  ],
  [
    { status: 'completed', content: [{ type: 'content', content: { type: 'text', text: 'seen' } }] },
    { failed: false, text: 'seen' },
  ],
])('a result: %j', (update, wanted) => {
  expect(resultOf({ toolCallId: 'c', ...update } as Parameters<typeof resultOf>[0])).toMatchObject(wanted)
})

test('no input of an agent breaks it, and no words of a command become others', () => {
  fc.assert(
    fc.property(
      fc.jsonValue(),
      fc.constantFrom('read', 'edit', 'execute', 'search', 'fetch', 'other'),
      (rawInput, kind) => {
        expect(of({ kind, rawInput }).action.kind).toBeTypeOf('string')
      },
    ),
  )
})

test.each([
  ['a command', 'rm x', '[current working directory /w]', { kind: 'shell', command: 'rm x' }],
  ['one elsewhere', 'rm x', '[in /v] (harmless)', { kind: 'shell', command: 'rm x', cwd: '/v' }],
  [
    'a long one',
    `echo ${'a'.repeat(900)}; rm x`,
    '[in /v]',
    { kind: 'shell', command: `echo ${'a'.repeat(900)}; rm x`, cwd: '/v' },
  ],
  ['a description instead of a command', 'Lists files', '', { kind: 'other' }],
  ['a tool of a server that shows a field', 'ls', '{"command":"ls"}', { kind: 'other' }],
])('Gemini CLI tells the input of a call by its title: %s', (_, title, text, action) => {
  const update = {
    toolCallId: 'c',
    kind: 'execute',
    title,
    content: [{ type: 'content', content: { type: 'text', text } }],
  }
  const { acp } = launchesOf('gemini')
  expect(callOf(update as Parameters<typeof callOf>[0], undefined, acp?.().inputOf).action).toEqual(action)
})
