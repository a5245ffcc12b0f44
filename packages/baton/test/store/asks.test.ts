import { Ask } from '@batonpass/contract/ask'
import { expect, it } from 'vitest'
import { openSqlite } from '../../src/store/sqlite.ts'
import { at, sessionId } from '../world/journal.ts'

const asked = (n: number, createdAt: string) =>
  Ask.parse({
    id: `ask_${String(n).padStart(20, '0')}`,
    kind: 'permission',
    title: 'May it?',
    detail: 'git push',
    facts: { session: sessionId(n) },
    key: `evt ${n}`,
    fingerprint: String(n).repeat(64),
    options: ['allow-session', 'deny'],
    createdAt,
    expiresAt: at(9000),
    state: 'open',
  })

it('What was allowed for a session goes with its old question, and nothing else does', async () => {
  const store = await openSqlite(':memory:')
  const [old, young] = [asked(1, at(0)), asked(2, at(5000))]
  for (const ask of [old, young]) {
    await store.asks.add(ask)
    const { fingerprint, facts } = ask
    await store.asks.settle({ ...ask, state: 'answered' }, { fingerprint, session: facts.session })
  }
  expect(await store.asks.forget({ before: at(1000) })).toBe(1)
  expect(await store.asks.allowed(old.fingerprint)).toBe(false)
  expect(await store.asks.allowed(young.fingerprint)).toBe(true)
  await store.close()
})
