import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Conversation } from '../../../src/adapters/acp/conversation.ts'
import type { BackendEvent } from '../../../src/ports/backend.ts'

const clock = { now: () => Date.UTC(2026, 0, 1) }
const call = (id: string, command = 'ls'): BackendEvent => ({
  kind: 'call',
  id,
  tool: 'Bash',
  title: command,
  input: { command },
  action: { kind: 'shell', command },
})

const anyHeard: fc.Arbitrary<BackendEvent> = fc.oneof(
  fc.record({ kind: fc.constant('text' as const), text: fc.string({ unit: 'binary' }) }),
  fc.record({ kind: fc.constant('thought' as const), text: fc.string() }),
  fc.constantFrom('a', 'b', 'c').map(id => call(id)),
  fc.record({
    kind: fc.constant('result' as const),
    id: fc.constantFrom('a', 'b', 'c', 'd'),
    failed: fc.boolean(),
    text: fc.string(),
  }),
  fc.record({ kind: fc.constant('continued' as const), prompt: fc.string() }),
)

describe('a conversation', () => {
  it('takes no more memory than it may, however much an agent says', () => {
    const said = new Conversation(clock)
    for (let n = 0; n < 300; n++) {
      said.hear({ kind: 'text', text: 'x'.repeat(200_000) })
      said.hear({ kind: 'thought', text: 'y'.repeat(200_000) })
      said.hear(call(`c${n}`, 'z'.repeat(200_000)))
    }
    const { items } = said.since(0)
    expect(JSON.stringify(items).length).toBeLessThan(2_200_000)
    expect(items.length).toBeGreaterThan(10)
    expect(items.at(-1)).toMatchObject({ kind: 'call' })
  })

  it('joins what is said in pieces, and holds a call with its state from asking to its end', () => {
    const said = new Conversation(clock)
    said.prompt('go')
    for (const text of ['Hel', 'lo']) said.hear({ kind: 'text', text })
    said.hear(call('x', 'git push'))
    said.asks('x', true)
    expect(said.since(0).items.map(item => ('text' in item ? item.text : item.state))).toEqual([
      'go',
      'Hello',
      'asks',
    ])
    said.asks('x', false)
    said.hear({ kind: 'result', id: 'x', failed: true, text: 'refused\x1b[31m' })
    said.asks('x', true)
    expect(said.since(0).items.at(-1)).toMatchObject({
      subject: 'git push',
      state: 'failed',
      result: 'refused [31m',
    })
    expect(said.lines()).toContain('> go')
    expect(said.lines().join('\n')).toContain('✗ Bash git push')
  })

  it('shows the command of the agent, not what a hook puts in its place', () => {
    const said = new Conversation(clock)
    said.hear({
      kind: 'call',
      id: 'x',
      tool: 'Bash',
      title: 'Terminal',
      input: {},
      action: { kind: 'other' },
    })
    said.hear(call('x', 'npm test'))
    said.hear(call('x', "'/home/ann/.local/state/baton/sandbox/box' 50d5"))
    said.hear({ kind: 'result', id: 'x', failed: false, text: 'ok' })
    expect(said.since(0).items).toMatchObject([{ subject: 'npm test', state: 'done' }])
  })

  it('tells a follower everything, however often it asks', () => {
    fc.assert(
      fc.property(fc.array(anyHeard, { maxLength: 60 }), fc.array(fc.nat(60)), (heard, looks) => {
        const said = new Conversation(clock)
        const known = new Map<number, unknown>()
        let last = 0
        const look = () => {
          const { items, rev } = said.since(last)
          for (const item of items) known.set(item.nth, structuredClone(item))
          last = rev
        }
        for (const [n, each] of heard.entries()) {
          said.hear(each)
          if (looks.includes(n)) look()
        }
        look()
        expect([...known.values()]).toEqual(said.since(0).items)
      }),
    )
  })

  it('stays small', () => {
    const said = new Conversation(clock)
    for (let n = 0; n < 2000; n++) said.hear(call(`c${n}`))
    said.hear({ kind: 'text', text: 'x'.repeat(1_000_000) })
    said.hear({ kind: 'text', text: 'y'.repeat(1_000_000) })
    const { items } = said.since(0)
    expect(items.length).toBeLessThanOrEqual(400)
    expect(JSON.stringify(items.at(-1)).length).toBeLessThan(60_000)
    expect(said.lines().length).toBeLessThanOrEqual(200)
  })

  it('that begins again is empty, and its revisions continue', () => {
    const said = new Conversation(clock)
    said.prompt('go')
    const { rev } = said.since(0)
    said.clear()
    expect(said.since(0)).toMatchObject({ items: [], plan: [] })
    expect(said.since(0).rev).toBeGreaterThan(rev)
  })
})
