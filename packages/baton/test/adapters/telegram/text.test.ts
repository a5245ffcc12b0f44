import { AskOption } from '@batonpass/contract/ask'
import { visible } from '@batonpass/contract/visible'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { callbackData, readCallback } from '../../../src/adapters/telegram/callback.ts'
import { questionMessages, withOutcome } from '../../../src/adapters/telegram/question-messages.ts'
import { toTelegramError } from '../../../src/adapters/telegram/telegram-error.ts'
import { line, split } from '../../../src/adapters/telegram/text.ts'
import { sampleAsk } from '../../ask/sample.ts'

const hostile = fc.string({
  unit: fc.oneof(
    fc.constantFrom('\u202e', '\n', ' ', '😀', '<', '*', '\ud800', 'x'),
    fc.string({ minLength: 1, maxLength: 5, unit: 'binary' }),
  ),
  maxLength: 400,
})

describe('text for Telegram', () => {
  it('is split into pieces that fit and together are the text', () => {
    fc.assert(
      fc.property(hostile, fc.integer({ min: 2, max: 60 }), (text, room) => {
        const clean = visible(text)
        const pieces = split(clean, room)
        expect(pieces.join('')).toBe(clean)
        for (const piece of pieces) {
          expect(piece.length).toBeLessThanOrEqual(room)
          expect(piece.isWellFormed()).toBe(true)
        }
      }),
    )
  })

  it('hides nothing: what would not be seen or would turn the text around is written out', () => {
    expect(visible('a\u202eb\u200bc\r\u00a0d\ud800')).toBe('a\\u{202e}b\\u{200b}c\\u{d}\\u{a0}d\\u{d800}')
    expect(visible('tab\tline\nä 日本 😀')).toBe('tab\tline\nä 日本 😀')
    fc.assert(fc.property(hostile, text => !/[\p{Cc}\p{Cf}\p{Cs}]/u.test(line(text, 80))))
  })

  it('fits into messages with room for the outcome, whatever the question holds', () => {
    fc.assert(
      fc.property(hostile, fc.integer({ min: 1, max: 30 }), hostile, (text, times, reason) => {
        const ask = sampleAsk({
          title: text.slice(0, 300) || 'x',
          detail: text.repeat(times),
          facts: { cwd: text, project: `/${text}`, agent: 'cursor' },
        })
        const { parts } = questionMessages(ask)
        const answer = {
          option: 'deny',
          reason: `r${reason}`,
          by: { channel: 'telegram', who: text },
          at: ask.createdAt,
        } as const
        for (const part of parts) {
          const { text, entities } = withOutcome(part, { ...ask, state: 'answered', answer })
          expect(text.length).toBeLessThanOrEqual(4096)
          expect(part.text.trim()).not.toBe('')
          for (const { offset, length } of entities)
            expect(offset + length).toBeLessThanOrEqual(part.text.length)
        }
      }),
    )
  })

  it('names the project once, and a session by the start of its id', () => {
    const facts = {
      project: '/work/shop',
      agent: 'claude-code',
      nativeSession: '2456c4ed-5ad9-42be-966b',
    } as const
    const textOf = (title: string) => questionMessages(sampleAsk({ title, facts })).parts[0]?.text ?? ''
    expect(textOf('Bash in /work/shop')).toMatch(
      /^🔔 Bash in \/work\/shop\nclaude-code, session 2456c4ed\n(?!Project)/,
    )
    expect(textOf('Is it done?')).toContain('Project: /work/shop\n')
  })

  it('names option, ask and nonce in at most 64 bytes, and reads back only that', () => {
    fc.assert(
      fc.property(fc.constantFrom(...AskOption.options), option => {
        const pressed = { option, ask: `ask_${'z'.repeat(26)}`, nonce: '0123456789abcdef' }
        const data = callbackData(pressed)
        expect(Buffer.byteLength(data)).toBeLessThanOrEqual(64)
        expect(readCallback(data)).toEqual(pressed)
      }),
    )
    fc.assert(fc.property(fc.string(), data => readCallback(data) === undefined))
  })

  it('never carries the token in an error', () => {
    const token = '123:secret-token'
    const inner = Object.assign(new Error(`request to https://api.telegram.org/bot${token}/getMe failed`), {
      code: 'ECONNRESET',
    })
    for (const cause of [
      Object.assign(new Error('Network request failed'), { error: inner }),
      inner,
      { error_code: 400, description: `Bad Request: bot${token}` },
      'x',
      undefined,
    ]) {
      const trouble = toTelegramError('getMe', cause, token)
      expect(`${trouble.stack} ${JSON.stringify(trouble)} ${trouble.cause}`).not.toContain('secret')
    }
  })
})
