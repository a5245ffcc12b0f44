import { appendFileSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { systemAppendFiles } from '../../../src/adapters/system/append-files.ts'
import { systemIds } from '../../../src/adapters/system/ids.ts'
import { messagesOf } from '../../../src/chat/session-file/branch.ts'
import type { SessionEntry, SessionMessage } from '../../../src/chat/session-file/entries.ts'
import type { SessionPorts } from '../../../src/chat/session-file/session-file.ts'
import { SessionManager } from '../../../src/chat/session-file/session-manager.ts'
import type { AppendFiles } from '../../../src/ports/append-files.ts'
import { FileError } from '../../../src/ports/files.ts'
import { scratch } from '../../world/scratch.ts'

const CWD = '/home/dev/my project'
const at = Date.parse('2026-01-22T14:30:00.000Z')

function portsIn(home: string, files: AppendFiles = systemAppendFiles): SessionPorts {
  return { files, clock: { now: () => at }, ids: systemIds, home }
}
const user = (text: string) => ({ role: 'user', content: [{ type: 'text', text }], timestamp: at })
const reply = (text: string) => ({ role: 'assistant', content: [{ type: 'text', text }], timestamp: at })
const rowsOf = (path: string): Record<string, unknown>[] =>
  readFileSync(path, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map(line => JSON.parse(line))
const textsOf = async (session: SessionManager): Promise<unknown[]> =>
  (await session.buildSessionContext()).messages.map(({ content, summary }) =>
    Array.isArray(content) ? content[0].text : (content ?? summary),
  )

describe('a new session', () => {
  test('writes nothing before a reply exists, then everything, in the form of version 3', async () => {
    await using home = scratch()
    const session = SessionManager.create(portsIn(home.path), CWD, { parentSession: '/old.jsonl' })
    await session.appendMessage(user('hello'))
    await session.flush()
    expect(readdirSync(home.path)).toEqual([])
    await session.appendMessage(reply('hi'))
    expect(session.path).toBe(
      join(
        home.path,
        'sessions/--home-dev-my project--',
        `2026-01-22T14-30-00-000Z_${session.sessionId}.jsonl`,
      ),
    )
    const [header, first, second] = rowsOf(session.path)
    expect(header).toEqual({
      type: 'session',
      version: 3,
      id: session.sessionId,
      timestamp: '2026-01-22T14:30:00.000Z',
      cwd: CWD,
      parentSession: '/old.jsonl',
    })
    expect(first).toMatchObject({ type: 'message', parentId: null, message: user('hello') })
    expect(second).toMatchObject({ type: 'message', parentId: first?.id, message: reply('hi') })
    expect(statSync(session.path).mode & 0o777).toBe(0o600)
    expect(statSync(dirname(session.path)).mode & 0o777).toBe(0o700)
    await session.close()
  })

  test('an injected handoff is on disk at once, and in the context', async () => {
    await using home = scratch()
    const session = SessionManager.create(portsIn(home.path), CWD)
    await session.appendCustomEntry('baton', { kept: true })
    await session.appendCustomMessageEntry('handoff', 'the document', true)
    expect(rowsOf(session.path).map(row => row.type)).toEqual(['session', 'custom', 'custom_message'])
    expect((await session.buildSessionContext()).messages).toEqual([
      { role: 'custom', customType: 'handoff', content: 'the document', display: true, timestamp: at },
    ])
    await session.close()
  })

  test('a null leaf has no context', async () => {
    const session = SessionManager.create(portsIn('/nowhere'), CWD)
    expect(await session.buildSessionContext()).toEqual({ messages: [] })
    expect(await session.countMessages(2)).toBe(0)
  })

  test('concurrent appends form one chain', async () => {
    await using home = scratch()
    const session = SessionManager.create(portsIn(home.path), CWD)
    await Promise.all(['a', 'b', 'c', 'd'].map(text => session.appendMessage(reply(text))))
    expect(await textsOf(session)).toEqual(['a', 'b', 'c', 'd'])
    await session.close()
  })

  test('a new session starts empty, and the old one can be opened again', async () => {
    await using home = scratch()
    const session = SessionManager.create(portsIn(home.path), CWD)
    await session.appendMessage(reply('old'))
    const old = session.path
    await session.newSession({ parentSession: old })
    expect(session.header.parentSession).toBe(old)
    expect(await textsOf(session)).toEqual([])
    await session.switchTo(old)
    expect(await textsOf(session)).toEqual(['old'])
    await session.close()
  })

  test('a branch starts at an earlier entry and leaves the rest in the file', async () => {
    await using home = scratch()
    const session = SessionManager.create(portsIn(home.path), CWD)
    const first = await session.appendMessage(reply('one'))
    await session.appendMessage(reply('two'))
    await session.branch(first)
    await session.appendMessage(reply('three'))
    expect(await textsOf(session)).toEqual(['one', 'three'])
    expect(rowsOf(session.path)).toHaveLength(4)
    await expect(session.branch('nowhere')).rejects.toMatchObject({ code: 'not_found' })
    await session.close()
  })
})

describe('a session file that exists', () => {
  test('a half-written line left by a crash is skipped, and the next entry has its own line', async () => {
    await using home = scratch()
    const session = SessionManager.create(portsIn(home.path), CWD)
    await session.appendMessage(reply('whole'))
    await session.close()
    appendFileSync(session.path, '{"type":"message","id":"half","parentId":"x","timestamp":"","mess')
    const again = await SessionManager.open(portsIn(home.path), session.path)
    expect(await textsOf(again)).toEqual(['whole'])
    await again.appendMessage(reply('next'))
    expect(await textsOf(again)).toEqual(['whole', 'next'])
    await again.close()
    const third = await SessionManager.open(portsIn(home.path), session.path)
    expect(await textsOf(third)).toEqual(['whole', 'next'])
    await third.close()
  })

  test('version 1 gets ids and parents, version 2 other names; the file changes with the first new entry only', async () => {
    await using home = scratch()
    const path = home.write(
      'old.jsonl',
      [
        { type: 'session', id: 's', timestamp: 't', cwd: CWD },
        { type: 'message', timestamp: 't', message: reply('dropped') },
        { type: 'message', timestamp: 't', message: reply('kept') },
        { type: 'compaction', timestamp: 't', summary: 'before', firstKeptEntryIndex: 2, tokensBefore: 9 },
        { type: 'message', timestamp: 't', message: { role: 'hookMessage', content: 'from a hook' } },
      ]
        .map(row => JSON.stringify(row))
        .join('\n'),
    )
    const before = readFileSync(path, 'utf8')
    const session = await SessionManager.open(portsIn(home.path), path)
    expect(await textsOf(session)).toEqual(['before', 'kept', 'from a hook'])
    expect(readFileSync(path, 'utf8')).toBe(before)
    await session.appendMessage(user('more'))
    const rows = rowsOf(path)
    expect(rows[0]).toMatchObject({ type: 'session', version: 3, id: 's' })
    expect(rows[4]).toMatchObject({ message: { role: 'custom' } })
    expect(rows.slice(2).map(row => row.parentId)).toEqual(rows.slice(1, -1).map(row => row.id))
    await session.close()
    const again = await SessionManager.open(portsIn(home.path), path)
    expect(await textsOf(again)).toEqual(['before', 'kept', 'from a hook', 'more'])
    await again.close()
  })

  test.each([
    ['nothing', ''],
    ['no header', '{"type":"message","id":"a"}\n'],
    ['no JSON', 'hello\n'],
  ])('a file with %s is not a session', async (_, text) => {
    await using home = scratch()
    const path = home.write('x.jsonl', text)
    await expect(SessionManager.open(portsIn(home.path), path)).rejects.toMatchObject({ code: 'not_found' })
  })

  test('a folder, a missing file and a newer version get different errors', async () => {
    await using home = scratch()
    const open = (path: string) => SessionManager.open(portsIn(home.path), path)
    await expect(open(home.path)).rejects.toMatchObject({ code: 'not_found' })
    await expect(open(join(home.path, 'none'))).rejects.toMatchObject({ code: 'not_found' })
    const newer = home.write('x.jsonl', '{"type":"session","version":9,"id":"a"}\n')
    await expect(open(newer)).rejects.toMatchObject({ code: 'not_allowed' })
  })

  test('a file with a circular chain ends', async () => {
    await using home = scratch()
    const path = home.write(
      'x.jsonl',
      [
        { type: 'session', version: 3, id: 's', timestamp: '', cwd: CWD },
        { type: 'message', id: 'a', parentId: 'b', timestamp: '', message: reply('a') },
        { type: 'message', id: 'b', parentId: 'a', timestamp: '', message: reply('b') },
      ]
        .map(row => JSON.stringify(row))
        .join('\n'),
    )
    const session = await SessionManager.open(portsIn(home.path), path)
    expect(await textsOf(session)).toEqual(['a', 'b'])
    await session.close()
  })
})

describe('a full disk', () => {
  test('loses only the entry that did not fit', async () => {
    await using home = scratch()
    let full = false
    const files: AppendFiles = {
      ...systemAppendFiles,
      async open(path) {
        const file = await systemAppendFiles.open(path)
        return {
          ...file,
          async append(text) {
            if (!full) return file.append(text)
            await file.append(text.slice(0, 20))
            throw new FileError('failed', path, Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' }))
          },
        }
      },
    }
    const session = SessionManager.create(portsIn(home.path, files), CWD)
    await session.appendMessage(reply('one'))
    full = true
    await expect(session.appendMessage(reply('two'))).rejects.toMatchObject({ code: 'disk_full' })
    expect(await textsOf(session)).toEqual(['one'])
    full = false
    await session.appendMessage(reply('three'))
    await session.close()
    const again = await SessionManager.open(portsIn(home.path), session.path)
    expect(await textsOf(again)).toEqual(['one', 'three'])
    await again.close()
  })

  test('leaves no file if the first write failed', async () => {
    await using home = scratch()
    const files: AppendFiles = {
      ...systemAppendFiles,
      replace: async path => {
        throw new FileError('failed', path, Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' }))
      },
    }
    const session = SessionManager.create(portsIn(home.path, files), CWD)
    await expect(session.appendMessage(reply('one'))).rejects.toMatchObject({ code: 'disk_full' })
    expect(existsSync(session.path)).toBe(false)
    expect(session.leafId).toBe(null)
  })
})

/** A tree of entries in which each parent comes before its children. */
const trees = fc
  .array(
    fc.record({
      back: fc.nat({ max: 6 }),
      kind: fc.constantFrom(
        'message',
        'message',
        'message',
        'compaction',
        'custom',
        'custom_message',
        'label',
        'odd',
      ),
      keeps: fc.nat({ max: 8 }),
      text: fc.oneof(
        fc.string({ unit: 'grapheme', maxLength: 30 }),
        fc.nat({ max: 90_000 }).map(n => 'ü'.repeat(n)),
      ),
      noise: fc.constantFrom('', '', '', 'garbage', '{"half":', '[]', '{"type":"message"}'),
      shuffled: fc.boolean(),
      more: fc.boolean(),
    }),
    { minLength: 1, maxLength: 25 },
  )
  .map(nodes => {
    const entries: SessionEntry[] = []
    const lines = [JSON.stringify({ type: 'session', version: 3, id: 's', timestamp: '', cwd: CWD })]
    for (const [i, { back, kind, keeps, text, noise, shuffled, more }] of nodes.entries()) {
      const common = {
        id: `e${i}`,
        parentId: i === 0 ? null : `e${Math.max(0, i - 1 - back)}`,
        timestamp: '',
      }
      const body =
        kind === 'message'
          ? { message: reply(text), ...(more ? { after: {} } : {}) }
          : kind === 'compaction'
            ? { summary: text, firstKeptEntryId: `e${Math.max(0, i - keeps)}`, tokensBefore: 1 }
            : { customType: 'x', content: text, display: true }
      const entry: SessionEntry = { type: kind, ...common, ...body }
      entries.push(entry)
      if (noise) lines.push(noise)
      lines.push(JSON.stringify(shuffled ? { ...body, ...common, type: kind } : entry))
    }
    return { entries, text: `${lines.join('\n')}\n` }
  })

/** A reference reader: parses every line, maps entries by id, and applies the documented rules. */
function naive(entries: readonly SessionEntry[]) {
  const byId = new Map(entries.map(entry => [entry.id, entry]))
  const branch: SessionEntry[] = []
  for (let one = entries.at(-1); one; one = one.parentId === null ? undefined : byId.get(one.parentId))
    branch.unshift(one)
  const last = branch.findLastIndex(entry => entry.type === 'compaction')
  const compaction = branch[last]
  if (!compaction) return { branch, messages: branch.flatMap(messagesOf) }
  const kept = branch.slice(0, last).findIndex(entry => entry.id === compaction.firstKeptEntryId)
  const summary = {
    role: 'compactionSummary',
    summary: compaction.summary,
    tokensBefore: 1,
    timestamp: Date.parse(''),
  }
  const messages = [
    summary,
    ...(kept < 0 ? [] : branch.slice(kept, last)).flatMap(messagesOf),
    ...branch.slice(last + 1).flatMap(messagesOf),
  ]
  return { branch, messages }
}

test('context and branch are the same as those of a reader that parses everything', async () => {
  await using home = scratch()
  await fc.assert(
    fc.asyncProperty(trees, async ({ entries, text }) => {
      const path = join(home.path, 'tree.jsonl')
      writeFileSync(path, text)
      const session = await SessionManager.open(portsIn(home.path), path)
      const wanted = naive(entries)
      expect(await session.buildSessionContext()).toEqual({ messages: wanted.messages })
      const fromEnd: SessionMessage[] = []
      for await (const some of session.contextFromEnd()) fromEnd.push(...some)
      expect(fromEnd.reverse()).toEqual(wanted.messages)
      expect((await session.getBranch()).map(({ id }) => id)).toEqual(wanted.branch.map(({ id }) => id))
      await session.close()
    }),
    { numRuns: 150 },
  )
})

test('a message is extracted from its line only if the whole line is valid', async () => {
  await using home = scratch()
  const path = join(home.path, 'odd.jsonl')
  const head = (id: string, parent: string) =>
    `{"type":"message","id":"${id}","parentId":${parent},"timestamp":"","message":`
  const sound = JSON.stringify(reply('sound'))
  writeFileSync(
    path,
    [
      JSON.stringify({ type: 'session', version: 3, id: 's', timestamp: '', cwd: CWD }),
      `${head('a', 'null')}${sound}}`,
      // A second `type` key after the message wins; a control character in a string or an extra bracket is not valid JSON.
      `${head('b', '"a"')}${sound},"type":"label"}`,
      `${head('c\t', '"b"')}${sound}}`,
      `${head('d', '"b"')}${sound}}}`,
      `${head('e', '"b"')}"no message"}`,
      `${head('f', '"e"')}${JSON.stringify(reply('last'))}}`,
      '',
    ].join('\n'),
  )
  const session = await SessionManager.open(portsIn(home.path), path)
  expect(await textsOf(session)).toEqual(['sound', 'last'])
  await session.close()
})

test('a caller that needs only the end of a long conversation does not read the rest', async () => {
  await using home = scratch()
  const path = join(home.path, 'long.jsonl')
  const rows = Array.from({ length: 2000 }, (_, i) => ({
    type: 'message',
    id: `e${i}`,
    parentId: i === 0 ? null : `e${i - 1}`,
    timestamp: '',
    message: reply(`${i} ${'x'.repeat(1000)}`),
  }))
  const header = { type: 'session', version: 3, id: 's', timestamp: '', cwd: CWD }
  writeFileSync(path, [header, ...rows].map(row => `${JSON.stringify(row)}\n`).join(''))
  let read = 0
  const counting: AppendFiles = {
    ...systemAppendFiles,
    async open(name) {
      const file = await systemAppendFiles.open(name)
      return {
        ...file,
        read(from, to) {
          read += to - from
          return file.read(from, to)
        },
      }
    },
  }
  const session = await SessionManager.open(portsIn(home.path, counting), path)
  const { value } = await session.contextFromEnd().next()
  expect(value?.[0]).toMatchObject({ content: [{ text: expect.stringContaining('1999 ') }] })
  expect(read).toBeLessThan(300_000)
  await session.close()
})

test('a file truncated anywhere opens with its intact entries', async () => {
  await using home = scratch()
  await fc.assert(
    fc.asyncProperty(trees, fc.double({ min: 0, max: 1, noNaN: true }), async ({ text }, share) => {
      const path = join(home.path, 'cut.jsonl')
      const bytes = Buffer.from(text)
      const header = bytes.indexOf(10) + 1
      const cut = header + Math.floor((bytes.length - header) * share)
      writeFileSync(path, bytes.subarray(0, cut))
      const session = await SessionManager.open(portsIn(home.path), path)
      const before = (await session.getBranch()).length
      await session.appendMessage(reply('after the crash'))
      expect((await session.getBranch()).length).toBe(before + 1)
      await session.close()
    }),
    { numRuns: 80 },
  )
})
