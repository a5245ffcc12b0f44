import type { ConversationView } from '@batonpass/contract/conversation'
import type { HostedWord } from '@batonpass/contract/hosted'
import { describe, expect, it } from 'vitest'
import { HostedConversations } from '../../src/chat/hosted-conversations.ts'

const at = '2026-01-01T00:00:00.000Z'
const news = (rev: number, nth: number, text: string): ConversationView => ({
  state: 'working',
  rev,
  items: [{ nth, rev, at, kind: 'reply', text }],
  plan: [],
})

describe('conversations that other programs report', () => {
  it('are assembled from reports and passed on', () => {
    const talks = new HostedConversations()
    talks.tell('s', news(1, 0, 'Hel'))
    const talk = talks.of('s')
    let heard = 0
    talk?.listen(() => heard++)
    talks.tell('s', news(2, 0, 'Hello'))
    talks.tell('s', news(3, 1, 'there'))
    expect(heard).toBe(2)
    expect(talk?.since(0).items.map(item => 'text' in item && item.text)).toEqual(['Hello', 'there'])
    expect(talk?.since(2).items).toHaveLength(1)
    expect(talks.of('another')).toBeUndefined()
  })

  it('start again when the program restarts', () => {
    const talks = new HostedConversations()
    talks.tell('s', news(9, 5, 'old'))
    talks.tell('s', news(1, 0, 'new'))
    expect(talks.of('s')?.since(0).items).toHaveLength(1)
  })

  it('stay within their memory limit, whatever is reported', () => {
    const talks = new HostedConversations()
    const held = (session: string) =>
      (talks.of(session)?.since(0).items ?? []).reduce((sum, item) => sum + JSON.stringify(item).length, 0)
    talks.tell('s', news(1, 0, `${'a'.repeat(5_000_000)}end`))
    const [only] = talks.of('s')?.since(0).items ?? []
    expect(only?.kind === 'reply' && [only.text.length, only.text.endsWith('end')]).toEqual([50_000, true])
    for (let n = 1; n < 400; n++) talks.tell('s', news(n + 1, n, 'b'.repeat(40_000)))
    expect(held('s')).toBeLessThan(2_200_000)
    expect(talks.of('s')?.since(399).items).toHaveLength(1)
    const plan = [{ text: 'c'.repeat(1_000_000), done: false }]
    talks.tell('s', { ...news(500, 500, 'x'), plan })
    expect(talks.of('s')?.since(0).plan[0]?.text.length).toBe(2000)
    for (let s = 0; s < 20; s++)
      for (let n = 0; n < 40; n++) talks.tell(`s${s}`, news(n + 1, n, 'd'.repeat(50_000)))
    const all = Array.from({ length: 20 }, (_, s) => held(`s${s}`)).reduce((sum, size) => sum + size, 0)
    expect(all).toBeLessThan(11_000_000)
    expect(held('s19')).toBeGreaterThan(1_900_000)
  })

  it('are kept only for the newest sessions', () => {
    const talks = new HostedConversations()
    for (let n = 0; n < 80; n++) talks.tell(`s${n}`, news(1, 0, 'x'))
    expect(talks.of('s0')).toBeUndefined()
    expect(talks.of('s79')).toBeDefined()
  })

  it('pass a person’s input to the hosting program when the agent waits, and tell whether one is subscribed', () => {
    const talks = new HostedConversations()
    const words: HostedWord[] = []
    const stop = talks.hear('s', word => words.push(word))
    const talk = talks.of('s')
    expect(talk?.since(0)).toMatchObject({ state: 'waiting', items: [], hears: true })
    expect(talk?.say({ kind: 'say', text: 'go on' })).toBe('taken')
    talks.tell('s', news(1, 0, 'I work'))
    expect(talk?.say({ kind: 'say', text: 'too early' })).toBe('busy')
    expect(talk?.say({ kind: 'stop' })).toBe('taken')
    expect(words).toEqual([{ kind: 'say', text: 'go on' }, { kind: 'stop' }])
    let heard = 0
    talk?.listen(() => heard++)
    stop()
    expect(heard).toBe(1)
    expect(talk?.since(0).hears).toBe(false)
    expect(talk?.say({ kind: 'say', text: 'anybody?' })).toBe('deaf')
  })
})
