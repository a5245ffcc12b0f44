import { join } from 'node:path'
import { Entry, EntryBody } from '@batonpass/contract/journal'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { digestBody } from '../../src/journal/digest.ts'
import { guardEntry, guardStore } from '../../src/journal/guard.ts'
import { makeRedactor } from '../../src/journal/redact.ts'
import { pruneLimits } from '../../src/journal/retention.ts'
import { openSqlite } from '../../src/store/sqlite.ts'
import { anyBody, anyEntry } from '../world/any-journal.ts'
import { anEntry, aPrompt, aSession } from '../world/journal.ts'
import { scratch } from '../world/scratch.ts'

describe('a guarded journal', () => {
  test('holds no secret, in its file neither', async () => {
    await using folder = scratch()
    const redactor = makeRedactor(() => ['the-real-secret'])
    const store = guardStore(await openSqlite(join(folder.path, 'j.db')), { redactor, content: () => 'full' })
    await store.record(
      [anEntry('say the-real-secret', { project: '/the-real-secret' })],
      [aSession(1, { cwd: '/the-real-secret' })],
    )
    const all = JSON.stringify([await store.entries({}), await store.sessions()])
    expect(all).not.toContain('the-real-secret')
    expect(all).toContain('say [redacted]')
    await store.close()
  })

  test('keeps the first million characters of a very long text, and no half of a secret at the cut', () => {
    const redactor = makeRedactor()
    const cut = (text: string) =>
      guardEntry(anEntry(text), { redactor, content: () => 'full' }).body as { event: { prompt: string } }
    const kept = (text: string) => cut(text).event.prompt
    const words = 'word '.repeat(199_995)
    const secret = `ghp_${'a1'.repeat(20)}`
    const more = secret.length + ' and more'.length
    expect(kept(`${words}${secret} and more`)).toBe(`${words}[${more} more characters are not recorded]`)
    expect(kept('x'.repeat(1_000_001))).toBe('[1000001 more characters are not recorded]')
    expect(kept('x'.repeat(1_000_000))).toBe('x'.repeat(1_000_000))
  })

  test('writes entries that keep to their schema, whatever the secrets are', () => {
    const secrets = [
      'claude-code',
      'PromptSubmitted',
      'prompt',
      'session',
      'ses_00000000000000000001',
      'action',
    ]
    const redactor = makeRedactor(() => secrets)
    for (const content of ['full', 'digest'] as const) {
      fc.assert(
        fc.property(anyEntry, entry => {
          const guarded = guardEntry(entry, { redactor, content: () => content })
          const parsed = Entry.parse({ ...guarded, seq: 1 })
          expect(parsed.body.kind).toBe(entry.body.kind)
          expect(parsed.id).toBe(entry.id)
        }),
      )
    }
  })
})

describe('a digest', () => {
  test('keeps to the schema and keeps ids, types and decisions', () => {
    fc.assert(
      fc.property(anyBody, body => {
        const digested = EntryBody.parse(JSON.parse(JSON.stringify(digestBody(body))))
        expect(digested.kind).toBe(body.kind)
        if (body.kind === 'event' && digested.kind === 'event') {
          const { id, session, type } = body.event
          expect(digested.event).toMatchObject({ id, session, type })
        }
        if (body.kind === 'reaction' && digested.kind === 'reaction') {
          expect(digested.reaction.permission?.decision).toBe(body.reaction.permission?.decision)
        }
      }),
    )
  })

  test('says how much was said, but not what', () => {
    const spoken = digestBody({ kind: 'event', source: 'user', event: aPrompt('a private matter') })
    expect(JSON.stringify(spoken)).not.toContain('private matter')
    expect(spoken).toMatchObject({
      event: { prompt: expect.stringMatching(/^sha256:[0-9a-f]{64} bytes:16$/) },
    })
    const call = {
      tool: 'Bash',
      input: { command: 'cat private' },
      action: { kind: 'shell' as const, command: 'cat private' },
    }
    const { prompt: _, ...common } = { ...aPrompt(''), prompt: '' }
    const finished = digestBody({
      kind: 'event',
      source: 'user',
      event: { ...common, ...call, type: 'ToolFinished', failed: false, response: 'private' },
    })
    expect(JSON.stringify(finished)).not.toContain('private')
    expect(finished).toMatchObject({
      event: {
        tool: 'Bash',
        failed: false,
        input: { sha256: expect.any(String), bytes: 25 },
        action: { kind: 'shell' },
      },
    })
  })
})

describe('retention', () => {
  test('is by age and by size, and a limit of zero is none', () => {
    const now = Date.UTC(2026, 0, 31)
    expect(pruneLimits({ days: 30, bytes: 1000 }, now)).toEqual({
      olderThan: '2026-01-01T00:00:00.000Z',
      maxBytes: 1000,
    })
    expect(pruneLimits({ days: 0, bytes: 0 }, now)).toEqual({})
  })
})
