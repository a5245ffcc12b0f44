import { generateKeyPairSync, sign } from 'node:crypto'
import { EventEmitter } from 'node:events'
import { expect, test } from 'vitest'
import { systemIds } from '../../src/adapters/system/ids.ts'
import { LOGIN_MS, openLogins } from '../../src/daemon/logins.ts'
import { openSqlite } from '../../src/store/sqlite.ts'

test('a login that is over ends with its stream, and nothing of it is kept', async () => {
  const store = await openSqlite(':memory:')
  const memory = store.asks.memory('dashboard')
  let now = 1_000_000
  const clock = { now: () => now, elapsed: () => now }
  const logins = await openLogins(memory, { clock, ids: systemIds, cookieName: () => 'baton_1' })
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const shown = publicKey.export({ format: 'der', type: 'spki' }).toString('base64url')
  const { cookie = '' } = (await logins.enter(logins.code().code, shown)) ?? {}
  const words = Buffer.from(`baton_1 ${logins.nonce}`)
  const proof = sign('sha256', words, { key: privateKey, dsaEncoding: 'ieee-p1363' }).toString('base64url')
  const headers = { cookie: `baton_1=${cookie}`, 'baton-page': proof }
  let cut = false
  const stream = Object.assign(new EventEmitter(), {
    headersSent: true,
    destroy() {
      cut = true
    },
  })
  logins.hold(headers, stream as unknown as Parameters<typeof logins.hold>[1])

  await logins.expire()
  expect({ known: logins.knows(headers), cut }).toEqual({ known: true, cut: false })
  // What is used stays for another while; what is not, ends.
  now += LOGIN_MS * 0.75
  expect(logins.knows(headers)).toBe(true)
  now += LOGIN_MS * 0.75
  await logins.expire()
  expect({ known: logins.knows(headers), cut }).toEqual({ known: true, cut: false })
  now += LOGIN_MS
  await logins.expire()
  expect({ known: logins.knows(headers), cut }).toEqual({ known: false, cut: true })
  expect(await memory.list('login:')).toEqual([])
  await store.close()
})
