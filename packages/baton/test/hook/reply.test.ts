import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readReply } from '../../src/hook/client.ts'

const head =
  'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nBaton-Protocol: 1\r\nconnection: close\r\n\r\n'
const anAnswer = fc.dictionary(fc.string(), fc.jsonValue()).map(value => JSON.stringify(value))
const blanks = fc.nat(50).map(count => ' '.repeat(count))

describe('a reply of the daemon', () => {
  test('is taken whole, whatever signs of life came before it', () => {
    fc.assert(
      fc.property(anAnswer, blanks, (answer, before) => {
        expect(readReply(`${head}${before}${answer}\n`)).toEqual({ answer })
      }),
    )
  })

  test('is never taken in part: wherever it is cut, the client asks again', () => {
    fc.assert(
      fc.property(anAnswer, blanks, fc.nat(), (answer, before, at) => {
        const whole = `${head}${before}${answer}\n`
        expect(readReply(whole.slice(0, at % whole.length))).toMatchObject({ reason: 'lost' })
      }),
    )
  })

  test('is not taken from anything else', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), text => {
        fc.pre(!'HTTP/1.'.startsWith(text.slice(0, 7)))
        expect(readReply(text)).toMatchObject({ reason: 'final' })
      }),
    )
    expect(readReply(`${head.replace('Baton-Protocol', 'X-Other')}{}\n`)).toMatchObject({ reason: 'final' })
    expect(readReply(`${head}{}\n{}\n`)).toMatchObject({ reason: 'final' })
    expect(readReply(`${head}{nonsense}\n`)).toMatchObject({ reason: 'final' })
  })

  test('says why the daemon refused', () => {
    const body = JSON.stringify({ error: { code: 'protocol_unsupported', message: 'too new' } })
    expect(readReply(`HTTP/1.1 426 Upgrade Required\r\n\r\n${body}\n`)).toEqual({
      failed: 'the daemon refused (426) too new',
      reason: 'final',
    })
  })
})
