import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { sessionFolder } from '../../src/chat/session-file/session-paths.ts'
import { forgetSessionFiles } from '../../src/views/forget-session.ts'
import { aSession } from '../world/journal.ts'
import { scratch } from '../world/scratch.ts'

const talk = (native: string, said = 'hi') =>
  [
    { type: 'session', version: 3, id: 's', timestamp: '2026-01-01T00:00:00.000Z', cwd: '/p' },
    { type: 'custom', customType: 'baton-agent', data: { agent: 'claude-code', nativeSession: native } },
    { type: 'message', message: { role: 'user', content: [{ type: 'text', text: said }] } },
  ]
    .map(row => `${JSON.stringify(row)}\n`)
    .join('')

function world(ended = true) {
  const here = scratch()
  const state = join(here.path, 'state')
  const project = join(here.path, 'project')
  const transcript = here.write('transcript.jsonl', '{}\n')
  const session = aSession(1, {
    project,
    cwd: project,
    transcript,
    ...(ended ? { endedAt: '2026-01-01T01:00:00.000Z' } : {}),
  })
  const native = session.nativeSession
  const folder = sessionFolder('state', project)
  const put = (name: string, text: string) => here.write(name, text, 0o600)
  const own = [
    put(`${folder}/2026-01-01T00-00-00-000Z_one.jsonl`, talk(native)),
    put(`state/handoff/received/${session.id}.json`, '{"document":"x"}'),
    put('state/handoff/waiting/a.json', JSON.stringify({ document: 'x', from: native })),
  ]
  const going = [
    put(`state/workflow/${session.id}.json`, '{}'),
    put(`state/stage/sessions/${session.id}.json`, '{}'),
  ]
  const others = [
    // A message that only mentions the session.
    put(`${folder}/2026-01-01T00-00-00-000Z_two.jsonl`, talk('other', `"nativeSession":"${native}"`)),
    put('state/handoff/waiting/b.json', JSON.stringify({ document: 'y', from: 'other' })),
  ]
  const document = put(
    'project/.bmad/handoffs/handoff-2026-01-01-00-00.md',
    `---\nbaton: 1\nwritten_by: baton\nsession: ${native}\n---\n\n## Current Work\n\nx\n`,
  )
  put(
    'project/.bmad/handoffs/handoff-2026-01-01-00-01.md',
    '---\nbaton: 1\nsession: other\n---\n\n## Current Work\n\nx\n',
  )
  return {
    here,
    state,
    session,
    own,
    going,
    others,
    document,
    transcript,
    [Symbol.asyncDispose]: async () => here.remove(),
  }
}

describe('forgetting a session', () => {
  test('deletes Baton’s own files about it, leaves other files, and lists those of the person', async () => {
    await using w = world()
    const { removed, kept } = await forgetSessionFiles(w.state, w.session)
    expect(removed.toSorted()).toEqual([...w.own, ...w.going].toSorted())
    expect([...w.own, ...w.going].filter(existsSync)).toEqual([])
    expect(w.others.every(existsSync)).toBe(true)
    expect(kept).toEqual([w.document, w.transcript])
    expect(existsSync(w.document)).toBe(true)
    expect((await forgetSessionFiles(w.state, w.session)).removed).toEqual([])
  })

  test('keeps what a running session needs', async () => {
    await using w = world(false)
    await forgetSessionFiles(w.state, w.session)
    expect(w.going.every(existsSync)).toBe(true)
  })

  test('finds a conversation deep in a large file, across the border of two chunks', async () => {
    await using w = world()
    const mark = `${JSON.stringify({ type: 'custom', customType: 'baton-agent', data: { nativeSession: w.session.nativeSession } })}\n`
    const line = `${JSON.stringify({ type: 'message', text: 'x'.repeat(1000) })}\n`
    const before = line.repeat(Math.ceil((1 << 20) / line.length)).slice(0, (1 << 20) - 60)
    const folder = sessionFolder('state', w.session.project ?? '')
    const file = w.here.write(
      `${folder}/2026-01-02T00-00-00-000Z_big.jsonl`,
      `${before}\n${mark}${line}`,
      0o600,
    )
    expect((await forgetSessionFiles(w.state, w.session)).removed).toContain(file)
  })
})
