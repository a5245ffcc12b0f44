import { createHmac } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { hear, isSigned } from '../../src/cli/commands/webhook.ts'

const SECRET = 'only we know'
const sign = (body: string, secret = SECRET) =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`

/** Delivers to a real server, as GitHub does. */
async function deliver(body: string, headers: Record<string, string>, times = 1, method = 'POST') {
  const nudges: unknown[] = []
  const seen = new Set<string>()
  const server = createServer((request, response) => {
    void hear(request, response, SECRET, seen, async about => void nudges.push(about))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const statuses: number[] = []
  for (let n = 0; n < times; n++)
    statuses.push((await fetch(url, { method, headers, ...(method === 'POST' ? { body } : {}) })).status)
  server.close()
  return { statuses, nudges }
}

const payload = JSON.stringify({
  repository: { full_name: 'acme/app' },
  check_run: {
    pull_requests: [{ number: 7 }],
    head_branch: null,
    check_suite: { head_branch: 'issue-42', pull_requests: [] },
  },
})
const headers = (more = {}) => ({
  'x-hub-signature-256': sign(payload),
  'x-github-event': 'check_run',
  'x-github-delivery': 'd-1',
  ...more,
})

describe('a delivery of GitHub', () => {
  test('with a good signature says where to look, once', async () => {
    const { statuses, nudges } = await deliver(payload, headers(), 2)
    expect(statuses).toEqual([202, 200])
    expect(nudges).toEqual([{ repository: 'acme/app', pulls: [7], branches: ['issue-42'] }])
  })

  test.each([
    ['no signature', { 'x-hub-signature-256': '' }],
    ['another secret', { 'x-hub-signature-256': sign(payload, 'guess') }],
    ['another body', { 'x-hub-signature-256': sign(`${payload} `) }],
    ['the old form', { 'x-hub-signature-256': `sha1=${'0'.repeat(40)}` }],
    ['an empty secret', { 'x-hub-signature-256': sign(payload, '') }],
  ])('with %s is turned away unread', async (_, more) => {
    const { statuses, nudges } = await deliver(payload, headers(more))
    expect(statuses).toEqual([401])
    expect(nudges).toEqual([])
  })

  test('of another kind, or that is not JSON, starts nothing', async () => {
    expect(await deliver(payload, headers({ 'x-github-event': 'ping' }))).toEqual({
      statuses: [202],
      nudges: [],
    })
    const odd = '{"repository":{"full_name":"../../etc"}}'
    expect(await deliver(odd, headers({ 'x-hub-signature-256': sign(odd) }))).toEqual({
      statuses: [202],
      nudges: [],
    })
    expect(await deliver('', headers(), 1, 'GET')).toEqual({ statuses: [405], nudges: [] })
  })

  test('no signature but the right one holds', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (body, signature) => {
        expect(isSigned(Buffer.from(body), signature, SECRET)).toBe(false)
        expect(isSigned(Buffer.from(body), sign(body), SECRET)).toBe(true)
        expect(isSigned(Buffer.from(body), sign(body, ''), '')).toBe(false)
      }),
    )
  })
})
