import type { ConversationView } from '@batonpass/contract/conversation'
import { describe, expect, it } from 'vitest'
import { HostedTalks } from '../../src/session/hosted-talks.ts'

const at = '2026-01-01T00:00:00.000Z'
const news = (rev: number, nth: number, text: string): ConversationView => ({
  state: 'working',
  rev,
  items: [{ nth, rev, at, kind: 'reply', text }],
  plan: [],
})

describe('conversations that other programs tell of', () => {
  it('are put together from what is told, and told on', () => {
    const talks = new HostedTalks()
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

  it('begin anew with a program that does', () => {
    const talks = new HostedTalks()
    talks.tell('s', news(9, 5, 'old'))
    talks.tell('s', news(1, 0, 'new'))
    expect(talks.of('s')?.since(0).items).toHaveLength(1)
  })

  it('are held of the newest only', () => {
    const talks = new HostedTalks()
    for (let n = 0; n < 80; n++) talks.tell(`s${n}`, news(1, 0, 'x'))
    expect(talks.of('s0')).toBeUndefined()
    expect(talks.of('s79')).toBeDefined()
  })
})
