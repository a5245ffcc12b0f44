import { describe, expect, test } from 'vitest'
import { Replacements, RewriteProofs } from '../../src/sandbox/rewrite-proofs.ts'

const CODEX = { agent: 'codex', program: '/bin/codex 100 1' }
const NEWER = { agent: 'codex', program: '/bin/codex 101 2' }

function stored(text?: string) {
  let kept = text
  const parts = {
    load: async () => kept,
    save: async (next: string) => {
      kept = next
    },
  }
  return { proofs: new RewriteProofs(parts), restart: () => new RewriteProofs(parts) }
}

describe('what Baton knows about an agent’s program', () => {
  test('is kept for that version, across daemons', async () => {
    const { proofs, restart } = stored()
    expect(await proofs.stateOf(CODEX)).toBe('unknown')
    expect(await proofs.record(CODEX, 'proven')).toBe(true)
    expect(await proofs.record(CODEX, 'proven')).toBe(false)
    expect(await restart().stateOf(CODEX)).toBe('proven')
    expect(await restart().stateOf(NEWER)).toBe('unknown')
  })

  test('a version that dropped a replacement is not trusted again, whatever it did before or does later', async () => {
    const { proofs, restart } = stored()
    await proofs.record(CODEX, 'proven')
    expect(await proofs.record(CODEX, 'dropped')).toBe(true)
    expect(await proofs.record(CODEX, 'proven')).toBe(false)
    expect(await restart().stateOf(CODEX)).toBe('dropped')
    expect(await restart().dropped()).toMatchObject([CODEX])
  })

  test('is forgotten after many others, but not that it dropped a replacement', async () => {
    const { proofs } = stored()
    await proofs.record(CODEX, 'dropped')
    await proofs.record(NEWER, 'proven')
    for (let i = 0; i < 150; i++) await proofs.record({ agent: 'pi', program: `session ${i}` }, 'proven')
    expect(await proofs.stateOf(CODEX)).toBe('dropped')
    expect(await proofs.stateOf(NEWER)).toBe('unknown')
  })

  test.each(['', '{', '[1, {"agent":"codex"}]', '{"a":1}'])(
    'a damaged file (%s) counts as none',
    async text => {
      expect(await stored(text).proofs.stateOf(CODEX)).toBe('unknown')
    },
  )
})

describe('the replacement of a command that ended', () => {
  const one = { session: 'ses_1', id: 'a', command: 'npm test', text: 'box a', of: CODEX }

  test('is found by what ran, or by the call', () => {
    const all = new Replacements()
    all.add({ ...one, toolUseId: 'call_1' })
    expect(all.take('ses_2', { id: 'a', command: 'box a' })).toBeUndefined()
    expect(all.take('ses_1', { toolUseId: 'call_2', command: 'npm test' })).toBeUndefined()
    expect(all.take('ses_1', { toolUseId: 'call_1', command: 'npm test' })?.id).toBe('a')
    expect(all.take('ses_1', { id: 'a', command: 'box a' })).toBeUndefined()
  })

  test('is not one that never ran, where calls have no ids', () => {
    const all = new Replacements()
    all.add(one)
    all.add({ ...one, id: 'b', text: 'box b' })
    expect(all.take('ses_1', { command: 'npm test' })?.id).toBe('b')
    expect(all.take('ses_1', { command: 'npm test' })).toBeUndefined()
    all.add(one)
    all.forget('ses_1', { action: { kind: 'shell', command: 'npm test' } })
    expect(all.take('ses_1', { command: 'npm test' })).toBeUndefined()
  })

  test('is known by its text even later: a model may repeat what it saw', () => {
    const all = new Replacements()
    all.add(one)
    all.take('ses_1', { id: 'a', command: 'box a' })
    expect(all.commandOf('ses_1', ' box a\n')).toBe('npm test')
    expect(all.commandOf('ses_2', 'box a')).toBeUndefined()
    expect(all.commandOf('ses_1', 'box a; rm x')).toBeUndefined()
  })

  test('ends with its session', () => {
    const all = new Replacements()
    all.add(one)
    expect(all.of(CODEX)).toHaveLength(1)
    all.end('ses_1')
    expect(all.of(CODEX)).toHaveLength(0)
  })
})
