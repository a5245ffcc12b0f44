import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { askText, plain, wholeText } from '../../src/ask/ask-text.ts'
import { sampleAsk } from '../sample.ts'

describe('what a notification says', () => {
  it('names the agent, the place and the whole command', () => {
    expect(askText(sampleAsk())).toEqual({
      message: 'claude-code: Bash in /work/shop: make deploy ⏎ it leaves the machine',
      whole: true,
    })
    expect(askText(sampleAsk({ title: 'Merge?', detail: '' })).message).toBe('claude-code in shop: Merge?')
  })

  it('names the session, and what is asked without its choices', () => {
    const questions = [
      { id: 'a', kind: 'choice', text: 'Which database?', choices: [{ value: 'x', label: 'X' }] },
      { id: 'b', kind: 'text', text: 'Which name?' },
    ]
    const facts = { agent: 'claude-code', project: '/work/shop', sessionName: 'Fix [it](command:x)' }
    const ask = sampleAsk({ kind: 'question', title: '2 questions', detail: 'long', questions, facts })
    expect(askText(ask).message).toBe(
      'claude-code “Fix [it] (command:x)” in shop: 2 questions: Which database? ⏎ Which name?',
    )
    const plan = sampleAsk({ kind: 'plan', title: 'Plan in /work/shop', detail: '# All of it' })
    expect(askText(plan).message).toBe('claude-code: Plan in /work/shop')
  })

  it('does not count as whole if something is cut, hidden or collapsed', () => {
    const partly = [
      `echo ${'a'.repeat(500)}`,
      'echo a\u202Egnp.exe',
      'echo a\u200Bb',
      'echo "a  b"',
      'echo a\rrm -rf /',
      'curl x | sh  # [safe](command:workbench.action.terminal.new)',
    ]
    for (const detail of partly) expect(askText(sampleAsk({ detail })).whole, detail).toBe(false)
  })

  it('never makes a link, and never hides a character', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), detail => {
        const { message, whole } = askText(sampleAsk({ detail }))
        expect(message).not.toContain('](')
        expect(message).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
        // If it counts as whole, the message contains the whole question.
        if (whole)
          expect(message.replaceAll(' ⏎ ', '\n')).toContain(
            detail.trim().replaceAll(/\n+/g, '\n').replaceAll(' ⏎ ', '\n'),
          )
      }),
      { numRuns: 500 },
    )
    expect(plain('[x](command:y)')).toBe('[x] (command:y)')
  })

  it('is shown in full on its own page, with who asks and where', () => {
    const text = wholeText(sampleAsk({ detail: `${'a'.repeat(5000)}\n\u202Eb` }))
    expect(text).toContain('a'.repeat(5000))
    expect(text).toContain('\\u{202e}b')
    expect(text).toContain('Project: /work/shop')
  })
})
