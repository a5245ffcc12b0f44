import { appendFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { claudeReader } from '../../../src/adapters/agents/claude-code/reader.ts'
import { piReader } from '../../../src/adapters/agents/pi/reader.ts'
import { readerFor } from '../../../src/adapters/agents/readers.ts'
import type { TranscriptItem, TranscriptReader } from '../../../src/ports/transcript.ts'
import { collectFacts } from '../../../src/session/transcript/collect-facts.ts'
import { readTest } from '../../../src/session/transcript/test-runs.ts'
import { claudeRows, piRows, WORK } from '../../handoff/sessions.ts'
import { scratch } from '../../world/scratch.ts'

const folder = scratch()
afterAll(folder.remove)

async function told(reader: TranscriptReader, path: string): Promise<TranscriptItem[]> {
  const all: TranscriptItem[] = []
  for await (const piece of reader.read(path)) all.push(...piece)
  return all
}
const harvested = (reader: TranscriptReader, path: string) => collectFacts(reader.read(path), readTest)
const file = (name: string, lines: readonly string[]) => folder.write(name, `${lines.join('\n')}\n`)

const FORMATS = [
  ['Claude Code', claudeReader, claudeRows(WORK)],
  ['pi, version 1', piReader, piRows(WORK, 1)],
  ['pi, version 2', piReader, piRows(WORK, 2)],
  ['pi, version 3', piReader, piRows(WORK, 3)],
] as const

describe.each(FORMATS)('a transcript of %s', (name, reader, lines) => {
  const path = join(folder.path, `${name.replaceAll(/\W/g, '')}.jsonl`)

  it('tells what was asked, run, written, planned and tested', async () => {
    writeFileSync(path, `${lines.join('\n')}\n`)
    expect(await readerFor(path)).toBe(reader)
    const seen = await harvested(reader, path)
    expect(seen).toMatchObject({
      cwd: '/work',
      instructions: ['Add refresh tokens. Never touch the public API.', 'Also rotate them'],
      written: ['/work/db/005.sql'],
      todos: [
        { text: 'Write the migration', done: true },
        { text: 'Add the endpoint', done: false },
      ],
      test: { command: 'cd api && npm test', passed: false, failing: 1 },
      lastReply: 'One test fails.',
      messages: 4,
    })
    expect(seen.commands.map(({ command, failed }) => [command, failed])).toEqual([
      ['npm test', false],
      ['cd api && npm test', true],
    ])
  })

  it('is read the same with broken lines between and a half-written one at its end', async () => {
    const whole = await told(reader, path)
    const broken = join(folder.path, `broken-${name.replaceAll(/\W/g, '')}.jsonl`)
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ unit: 'binary', maxLength: 40 })),
        fc.nat(30),
        async (noise, half) => {
          const [first = '', ...rest] = lines
          const bad = noise.map(text => `{"type":"user",${text.replaceAll(/\r?\n/g, ' ')}`)
          const spread = rest.flatMap((line, i) => [...(bad[i] === undefined ? [] : [bad[i]]), line])
          writeFileSync(broken, `${[first, ...spread].join('\n')}\n${(lines.at(-1) ?? '').slice(0, half)}`)
          expect(await told(reader, broken)).toEqual(whole)
        },
      ),
      { numRuns: 15 },
    )
  })

  it('gives the size of its context from its end', async () => {
    const last = lines.findLast(line => line.includes('"assistant"')) ?? ''
    const { usage } = JSON.parse(last).message
    const { cacheRead, input, output, cacheWrite } = usage
    const expected =
      input === undefined
        ? usage.input_tokens +
          usage.cache_read_input_tokens +
          usage.cache_creation_input_tokens +
          usage.output_tokens
        : input + output + cacheRead + cacheWrite
    expect(await reader.contextSize(path)).toBe(expected)
  })
})

describe('Claude Code', () => {
  it('what it writes in the name of the person is none of their words', async () => {
    const row = (content: unknown, more = {}) =>
      JSON.stringify({ type: 'user', sessionId: 's', cwd: '/w', message: { role: 'user', content }, ...more })
    const path = file('odd.jsonl', [
      row(
        '<command-message>baton</command-message>\n<command-name>/baton:handoff</command-name>\n<command-args>the api</command-args>',
      ),
      row('<local-command-stdout>ok</local-command-stdout>'),
      row('<task-notification>done</task-notification>'),
      row([{ type: 'text', text: '[Request interrupted by user]' }]),
      row('Stop hook feedback: go on', { isMeta: true }),
      row('a summary', { isCompactSummary: true }),
      row('to the subagent', { isSidechain: true }),
      row([{ type: 'text', text: 'real words' }]),
    ])
    const prompts = (await told(claudeReader, path)).flatMap(each =>
      each.kind === 'prompt' ? each.text : [],
    )
    expect(prompts).toEqual(['/baton:handoff the api', 'real words'])
  })

  it('has no context size before the first reply and after a compaction', async () => {
    const path = file('small.jsonl', claudeRows([{ prompt: 'hello' }]))
    expect(await claudeReader.contextSize(path)).toBeUndefined()
    appendFileSync(path, `${claudeRows([{ say: 'hi' }]).join('\n')}\n`)
    expect(await claudeReader.contextSize(path)).toBeGreaterThan(1000)
    appendFileSync(path, '{"type":"system","subtype":"compact_boundary"}\n')
    expect(await claudeReader.contextSize(path)).toBeUndefined()
  })

  it('tasks that are created and changed one by one make a list', async () => {
    const call = (id: string, name: string, input: object, result: unknown, text: string) => [
      JSON.stringify({
        type: 'assistant',
        message: { id, content: [{ type: 'tool_use', id, name, input }] },
      }),
      JSON.stringify({
        type: 'user',
        message: { content: [{ type: 'tool_result', tool_use_id: id, content: text }] },
        toolUseResult: result,
      }),
    ]
    const path = file('tasks.jsonl', [
      ...call(
        'a',
        'TaskCreate',
        { subject: 'first' },
        { task: { id: '1', subject: 'first' } },
        'Task #1 created',
      ),
      ...call('b', 'TaskCreate', { subject: 'second' }, 'x', 'Task #2 created successfully: second'),
      ...call('c', 'TaskUpdate', { taskId: '1', status: 'completed' }, {}, 'Updated'),
    ])
    expect((await harvested(claudeReader, path)).todos).toEqual([
      { text: 'first', done: true },
      { text: 'second', done: false },
    ])
  })
})

describe('pi', () => {
  it('tells only the branch that ends in the last entry', async () => {
    const message = (id: string, parentId: string | null, text: string) =>
      JSON.stringify({ type: 'message', id, parentId, message: { role: 'user', content: text } })
    const path = file('tree.jsonl', [
      '{"type":"session","version":3,"id":"s","cwd":"/w"}',
      message('a', null, 'root'),
      message('b', 'a', 'given up'),
      message('c', 'a', 'kept'),
      '{"type":"something_new","id":"d","parentId":"c"}',
    ])
    expect((await harvested(piReader, path)).instructions).toEqual(['root', 'kept'])
  })
})

it('a file that is not a transcript is recognized by no reader', async () => {
  expect(await readerFor(folder.write('x.json', '{"name":"x"}'))).toBeUndefined()
})
