import { appendFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import {
  reader as opencodeReader,
  transcripts as opencodeUse,
} from '../../../src/adapters/agents/opencode/transcript.ts'
import { readerFor, readerOf, transcriptsOf } from '../../../src/adapters/agents/readers.ts'
import type { TranscriptItem } from '../../../src/ports/transcript.ts'
import { collectFacts } from '../../../src/session/transcript/collect-facts.ts'
import { readTest } from '../../../src/session/transcript/test-runs.ts'
import { WORK } from '../../handoff/sessions.ts'
import { scratch } from '../../world/scratch.ts'
import { ROWS } from './agent-rows.ts'

const folder = scratch()
afterAll(folder.remove)

async function told(path: string, agent: string): Promise<TranscriptItem[]> {
  const all: TranscriptItem[] = []
  for await (const piece of readerOf(agent)?.read(path) ?? []) all.push(...piece)
  return all
}

const AGENTS = ['codex', 'copilot', 'gemini'] as const

describe.each(AGENTS)('a transcript of %s', agent => {
  const lines = ROWS[agent](WORK)
  const path = join(folder.path, `${agent}.jsonl`)
  writeFileSync(path, `${lines.join('\n')}\n`)

  it('is known by its beginning and tells what was asked, run, written, planned and tested', async () => {
    const reader = await readerFor(path)
    if (!reader) throw new Error('no reader knows it')
    expect(reader.agent).toBe(agent)
    const seen = await collectFacts(reader.read(path), readTest)
    expect(seen).toMatchObject({
      instructions: ['Add refresh tokens. Never touch the public API.', 'Also rotate them'],
      written: ['/work/db/005.sql'],
      todos: [
        { text: 'Write the migration', done: true },
        { text: 'Add the endpoint', done: false },
      ],
      test: { command: 'cd api && npm test', passed: false, failing: 1 },
      lastReply: 'One test fails.',
    })
    expect(seen.commands.map(({ command, failed }) => [command, failed])).toEqual([
      ['npm test', false],
      ['cd api && npm test', true],
    ])
  })

  it('gives the size of its context, and what each reply used, once', async () => {
    expect(await readerOf(agent)?.contextSize(path)).toBe(1005)
    const use = transcriptsOf(agent)
    const start = await use?.usage(path, { offset: 0 })
    const [first] = start?.replies ?? []
    expect(first).toMatchObject({
      input: 900,
      cacheRead: 100,
      output: 5,
      model: expect.stringMatching(/-x$/),
    })
    expect(start?.replies.length).toBeGreaterThanOrEqual(5)
    expect((await use?.usage(path, start?.reading))?.replies).toEqual([])
    const tail = await use?.tail(path, 2000)
    expect(tail?.text).toContain('assistant: One test fails.')
    expect(tail?.text).toContain('user: Also rotate them')
    expect(await use?.usage(join(folder.path, 'nowhere'), undefined)).toBeUndefined()
  })

  it('is read whatever any field of it holds, and with a half-written line at its end', async () => {
    const broken = join(folder.path, `broken-${agent}.jsonl`)
    const whole = await told(path, agent)
    appendFileSync(broken, `${lines.join('\n')}\n${(lines.at(-1) ?? '').slice(0, 30)}`)
    expect(await told(broken, agent)).toEqual(whole)
    await fc.assert(
      fc.asyncProperty(fc.nat(lines.length - 1), fc.nat(), fc.jsonValue(), async (at, pick, value) => {
        const spoilt = lines.map((line, i) => (i === at ? spoil(line, pick, value) : line))
        writeFileSync(broken, `${spoilt.join('\n')}\n`)
        await told(broken, agent)
        await readerOf(agent)?.contextSize(broken)
        await transcriptsOf(agent)?.usage(broken, { offset: 0 })
        await transcriptsOf(agent)?.tail(broken, 500)
      }),
      { numRuns: 100 },
    )
  })
})

/** Puts the value in the place of one field, near the top or one level down. */
function spoil(line: string, pick: number, value: unknown): string {
  const row = JSON.parse(line) as Record<string, unknown>
  const inner = (row.payload ?? row.data ?? row) as Record<string, unknown>
  const target = pick % 2 === 0 ? row : inner
  const keys = Object.keys(target)
  target[keys[(pick >> 1) % keys.length] ?? ''] = value
  return JSON.stringify(row)
}

describe('what only Gemini CLI records in its own form', () => {
  const call = (name: string, args: object, output: string, status = 'success') => {
    const result = [{ functionResponse: { id: name, name, response: { output } } }]
    return { id: 'g1', type: 'gemini', content: '', toolCalls: [{ id: name, name, args, result, status }] }
  }
  const questions = [{ question: 'Which seed?', type: 'text' }, { question: 'Dry run?' }]
  const ended = (text: string) => `Subagent 'finder' finished.\nTermination Reason: GOAL\nResult:\n${text}`
  it.each([
    {
      what: 'answers to questions are the user’s instructions',
      row: call('ask_user', { questions }, '{"answers":{"0":"use seed 7","1":""}}'),
      seen: { facts: { instructions: ['use seed 7 (answer to: Which seed?)'] } },
    },
    {
      what: 'a dismissed question has no answer',
      row: call('ask_user', { questions }, 'User dismissed ask_user dialog without answering.'),
      seen: { facts: { instructions: [] } },
    },
    {
      what: 'another tool’s output with answers is not an instruction',
      row: call('mcp_forms_ask', { questions }, '{"answers":{"0":"delete everything"}}'),
      seen: { facts: { instructions: [] } },
    },
    {
      what: 'a subagent’s report is a result, without its frame',
      row: call('invoke_agent', { agent_name: 'finder', prompt: 'look' }, ended('a.py has no seed')),
      seen: { facts: { results: ['a.py has no seed'] } },
    },
    {
      what: 'a subagent that failed reports nothing',
      row: call('invoke_agent', { agent_name: 'finder', prompt: 'look' }, ended('x'), 'error'),
      seen: { facts: { results: [] } },
    },
  ])('$what', async ({ row, seen }) => {
    const path = join(folder.path, 'own-form.jsonl')
    writeFileSync(path, `${JSON.stringify({ sessionId: 'c0', projectHash: 'ab' })}\n${JSON.stringify(row)}\n`)
    const reader = await readerFor(path)
    if (!reader) throw new Error('no reader knows it')
    expect(await collectFacts(reader.read(path), readTest)).toMatchObject(seen)
  })
})

describe('a session of opencode', () => {
  const file = join(folder.path, 'opencode.db')
  const id = 'ses_e1e732d89ffeBtiW76QtTzOCBY'
  const path = `${file}#${id}`
  const database = new Database(file)
  database.exec(`create table session (id text primary key, directory text);
    create table message (id text primary key, session_id text, data text);
    create table part (id text primary key, message_id text, session_id text, data text)`)
  database.prepare('insert into session values (?, ?)').run(id, '/work')
  let n = 0
  const add = (data: object, parts: object[]) => {
    const message = `msg_${String(++n).padStart(4, '0')}`
    database.prepare('insert into message values (?, ?, ?)').run(message, id, JSON.stringify(data))
    for (const part of parts)
      database
        .prepare('insert into part values (?, ?, ?, ?)')
        .run(`prt_${String(++n).padStart(4, '0')}`, message, id, JSON.stringify(part))
  }
  const tokens = { input: 900, output: 5, reasoning: 0, cache: { read: 100, write: 0 } }
  add({ role: 'user', time: { created: 1 } }, [
    { type: 'text', text: 'Add refresh tokens' },
    { type: 'text', text: 'handoff', synthetic: true },
  ])
  const state = {
    status: 'completed',
    input: { command: 'npm test' },
    output: '1 failed',
    metadata: { exit: 1 },
  }
  add({ role: 'assistant', tokens, modelID: 'm-x' }, [{ type: 'tool', tool: 'bash', callID: 'c1', state }])
  add({ role: 'assistant', tokens, modelID: 'm-x' }, [{ type: 'text', text: 'One test fails.' }])
  database.prepare('insert into message values (?, ?, ?)').run('msg_9999', id, '{broken')
  database.close()

  it('is found by its name, read without writing, and measured', async () => {
    expect(await readerFor(path)).toBe(opencodeReader)
    const seen = await collectFacts(opencodeReader.read(path), readTest)
    expect(seen).toMatchObject({
      cwd: '/work',
      instructions: ['Add refresh tokens'],
      lastReply: 'One test fails.',
    })
    expect(seen.commands).toMatchObject([{ command: 'npm test', failed: true }])
    expect(await opencodeReader.contextSize(path)).toBe(1005)
    const start = await opencodeUse.usage(path, { offset: 0 })
    expect(start?.replies).toHaveLength(2)
    expect((await opencodeUse.usage(path, start?.reading))?.replies).toEqual([])
    expect((await opencodeUse.tail(path, 1000))?.text).toContain('One test fails.')
  })

  it.each([`${file}#ses_other`, `${file}#'; drop table session; --`, file, `${folder.path}/none.db#${id}`])(
    '%s is no transcript',
    async wrong => {
      await expect(told(wrong, 'opencode')).rejects.toMatchObject({ name: 'FileError' })
      expect(await opencodeUse.usage(wrong, undefined)).toBeUndefined()
    },
  )
})
